"""What lies in deploy/ fits the published schemas, is locked up as it says, and names only what there is.

No container is started here; tests/test_proxies.py runs the configurations of nginx and Caddy."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import redis as redis_py
import yaml

import warlog_core
from tests.servers import redis_executable
from tests.service.waiting import eventually
from warlog_service.cli import SECRET
from warlog_service.settings import Settings

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"
MANIFESTS = sorted((DEPLOY / "k8s").glob("*.yaml"))
KUBERNETES = ("1.29", "1.37")
"""The oldest and the newest version that the manifests are for."""


def documents() -> dict[Path, list[Any]]:
    return {path: list(yaml.safe_load_all(path.read_text())) for path in DEPLOY.rglob("*.y*ml")}


def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return loaded


def manifests() -> Iterator[dict[str, Any]]:
    for path in MANIFESTS:
        yield from yaml.safe_load_all(path.read_text())


def pods() -> dict[str, dict[str, Any]]:
    """The pod template of every Deployment, StatefulSet and the like, by the name of its owner."""
    return {
        one["metadata"]["name"]: one["spec"]["template"] for one in manifests() if "template" in one["spec"]
    }


def manifest(kind: str, name: str) -> dict[str, Any]:
    (found,) = [one for one in manifests() if (one["kind"], one["metadata"]["name"]) == (kind, name)]
    return found


def images() -> list[str]:
    named = [service["image"] for service in compose()["services"].values()]
    named += [container["image"] for pod in pods().values() for container in pod["spec"]["containers"]]
    return named + re.findall(r"^FROM (\S+)", (DEPLOY / "Dockerfile").read_text(), re.M)


# ---- schemas -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", KUBERNETES)
def test_manifests_fit_the_published_schemas_of_kubernetes(version: str) -> None:
    found = list(manifests())
    assert len(found) >= 6
    for one in found:
        kubernetes_validate.validate(one, version, strict=True)


def test_a_manifest_with_a_field_that_kubernetes_does_not_know_does_not_fit() -> None:
    deployment = manifest("Deployment", "warlog")
    context = deployment["spec"]["template"]["spec"]["containers"][0]["securityContext"]
    context["allowPrivilegesEscalation"] = context.pop("allowPrivilegeEscalation")
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(deployment, KUBERNETES[-1], strict=True)


def checked(schema: str, path: Path) -> subprocess.CompletedProcess[str]:
    """A file checked against a schema that check-jsonschema brings along: no network."""
    check = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(path)]
    return subprocess.run(check, capture_output=True, text=True, check=False, timeout=60)


def test_the_compose_file_fits_the_schema_of_its_specification() -> None:
    done = checked("vendor.compose-spec", DEPLOY / "compose.yaml")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_public_workflow_fits_its_schema_and_runs_what_our_own_ci_runs(tmp_path: Path) -> None:
    workflow = ROOT / ".github/workflows/ci.yml"
    done = checked("vendor.github-workflows", workflow)
    assert done.returncode == 0, done.stdout + done.stderr
    wrong = tmp_path / "ci.yml"
    wrong.write_text(workflow.read_text().replace("runs-on:", "runs_on:"))
    assert checked("vendor.github-workflows", wrong).returncode != 0
    (job,) = yaml.safe_load(workflow.read_text())["jobs"].values()
    assert job["steps"][-1] == {"run": ".ci/run"}
    assert os.access(ROOT / ".ci/run", os.X_OK)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert job["strategy"]["matrix"]["python"][0] == project["requires-python"].removeprefix(">=")


# ---- settings, versions, files -----------------------------------------------------------------------------------


def test_every_file_is_yaml_and_every_setting_that_is_named_exists() -> None:
    assert len(documents()) >= 8
    for path in (*documents(), *DEPLOY.glob("*/*.conf"), DEPLOY / "caddy/Caddyfile", DEPLOY / "Dockerfile"):
        named = set(re.findall(r"WARLOG_([A-Z_]+)", path.read_text()))
        assert named <= {SECRET.removeprefix("WARLOG_"), *map(str.upper, Settings.__struct_fields__)}, path


def test_every_image_has_a_version_and_ours_has_the_projects() -> None:
    assert len(images()) >= 9
    for image in images():
        name, _, tag = image.partition(":")
        assert re.match(r"v?\d+\.\d+\.\d+", tag), image
        assert name != "warlog" or tag == warlog_core.__version__


def test_compose_mounts_files_that_are_there_and_names_services_networks_and_volumes_that_it_has() -> None:
    whole = compose()
    services = whole["services"]
    for service in services.values():
        assert set(service.get("depends_on", [])) <= set(services)
        assert set(service["networks"]) <= set(whole["networks"])
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert (DEPLOY / source).exists() if source.startswith(".") else source in whole["volumes"], (
                source
            )
    used = {network for service in services.values() for network in service["networks"]}
    assert used == set(whole["networks"])


def test_prometheus_asks_every_worker_where_it_shows_its_figures() -> None:
    (targets,) = yaml.safe_load((DEPLOY / "prometheus/prometheus.yml").read_text())["scrape_configs"]
    dockerfile = (DEPLOY / "Dockerfile").read_text()
    workers = int(re.findall(r'^CMD \["serve", "--workers", "(\d+)"\]', dockerfile, re.M)[0])
    first = int(compose()["services"]["warlog"]["environment"]["WARLOG_METRICS_PORT"])
    assert targets["static_configs"][0]["targets"] == [f"warlog:{first + i}" for i in range(workers)]


def test_a_process_is_given_more_time_to_end_than_it_takes() -> None:
    """A supervisor waits 30 seconds for its workers, after five of the pod's own."""
    for pod in pods().values():
        assert pod["spec"]["terminationGracePeriodSeconds"] > 35
    for name in ("warlog", "redis"):
        assert int(compose()["services"][name]["stop_grace_period"].removesuffix("s")) > 30


# ---- locked up ---------------------------------------------------------------------------------------------------


def test_every_pod_may_do_as_little_as_kubernetes_calls_restricted_on_a_root_that_is_read_only() -> None:
    assert set(pods()) == {"warlog", "warlog-bots", "warlog-redis"}
    for pod in pods().values():
        spec = pod["spec"]
        assert spec["automountServiceAccountToken"] is False
        assert spec["enableServiceLinks"] is False
        assert spec["securityContext"]["runAsNonRoot"] is True
        assert spec["securityContext"]["runAsUser"] > 0
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert not {"hostNetwork", "hostPID", "hostIPC"} & set(spec)
        for container in spec["containers"]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }
            assert "memory" in container["resources"]["limits"]


def test_every_service_of_compose_is_read_only_without_capabilities_or_new_privileges() -> None:
    for name, service in compose()["services"].items():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service.get("cap_add", []) == (["NET_BIND_SERVICE"] if name == "caddy" else [])
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert "privileged" not in service


def test_only_the_proxy_is_public_and_redis_and_figures_are_in_networks_of_their_own() -> None:
    whole = compose()
    published = {name: service["ports"] for name, service in whole["services"].items() if "ports" in service}
    assert published == {"caddy": ["80:80", "443:443"], "grafana": ["127.0.0.1:3000:3000"]}
    members = {
        network: {name for name, service in whole["services"].items() if network in service["networks"]}
        for network in whole["networks"]
    }
    assert members["public"] == {"caddy", "warlog"}
    assert members["stored"] == {"warlog", "redis"}
    assert members["watched"] == {"warlog", "prometheus", "grafana"}
    assert whole["networks"]["stored"]["internal"] is whole["networks"]["watched"]["internal"] is True
    (subnet,) = whole["networks"]["public"]["ipam"]["config"]
    assert whole["services"]["warlog"]["environment"]["WARLOG_TRUSTED_PROXIES"] == subnet["subnet"]


def test_passwords_come_from_the_environment_and_nothing_starts_without() -> None:
    text = (DEPLOY / "compose.yaml").read_text()
    for name in ("REDIS_PASSWORD", "GRAFANA_PASSWORD", "DOMAIN"):
        uses = re.findall(rf"(?<!\$)\$\{{?{name}\b[^}}]*\}}?", text)
        assert uses
        assert all(re.fullmatch(rf"\$\{{{name}:\?[^}}]+\}}", use) for use in uses), uses


def test_policies_let_the_ingress_reach_players_port_prometheus_the_figures_and_warlog_redis() -> None:
    """And nothing else: every pod has a policy for both directions."""
    for name, pod in pods().items():
        policy = manifest("NetworkPolicy", name)["spec"]
        assert policy["podSelector"]["matchLabels"].items() <= pod["metadata"]["labels"].items()
        assert policy["policyTypes"] == ["Ingress", "Egress"]

    def allowed(name: str) -> dict[int, str]:
        found: dict[int, str] = {}
        for rule in manifest("NetworkPolicy", name)["spec"]["ingress"]:
            for port in rule["ports"]:
                found[port["port"]] = found.get(port["port"], "") + str(rule["from"])
        return found

    (container,) = pods()["warlog"]["spec"]["containers"]
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    environment = {one["name"]: one.get("value") for one in container["env"]}
    assert environment["WARLOG_METRICS_PORT"] == str(ports["metrics"])
    annotations = pods()["warlog"]["metadata"]["annotations"]
    assert annotations["prometheus.io/port"] == str(ports["metrics"])
    to_warlog = allowed("warlog")
    assert to_warlog.keys() == set(ports.values())
    assert "ingress-nginx" in to_warlog[ports["http"]]
    assert "monitoring" in to_warlog[ports["metrics"]]
    assert "'app': 'warlog-bots'" in to_warlog[ports["http"]]
    assert allowed("warlog-bots").keys() == {ports["metrics"]}
    assert allowed("warlog-redis") == {6379: "[{'podSelector': {'matchLabels': {'app': 'warlog'}}}]"}
    assert manifest("NetworkPolicy", "warlog-redis")["spec"]["egress"] == []


def test_the_probes_ask_what_the_service_answers_and_services_find_their_pods() -> None:
    (container,) = pods()["warlog"]["spec"]["containers"]
    assert container["readinessProbe"]["httpGet"]["path"] == "/health/ready"
    assert container["livenessProbe"]["httpGet"]["path"] == "/health/live"
    for name in ("warlog", "warlog-redis"):  # nobody calls the bots
        pod, service = pods()[name], manifest("Service", name)["spec"]
        assert service["selector"].items() <= pod["metadata"]["labels"].items()
        ports = {port["name"] for one in pod["spec"]["containers"] for port in one["ports"]}
        assert {port["targetPort"] for port in service["ports"]} <= ports - {"metrics"}
    for one in manifests():
        if "template" in one["spec"]:
            labels = one["spec"]["template"]["metadata"]["labels"]
            assert one["spec"]["selector"]["matchLabels"].items() <= labels.items()
    (backend,) = manifest("Ingress", "warlog")["spec"]["rules"][0]["http"]["paths"]
    assert backend["backend"]["service"] == {"name": "warlog", "port": {"name": "http"}}


def test_the_bots_have_pods_of_their_own_which_play_on_the_service_with_the_secret_of_the_house() -> None:
    (server,) = pods()["warlog"]["spec"]["containers"]
    assert {"name": "WARLOG_BOTS", "value": "0"} in server["env"]
    (bots,) = pods()["warlog-bots"]["spec"]["containers"]
    assert bots["args"][:3] == [
        "bots",
        "--url",
        f"http://{manifest('Service', 'warlog')['metadata']['name']}",
    ]
    secrets = {one["name"]: one["valueFrom"]["secretKeyRef"] for one in bots["env"] if "valueFrom" in one}
    assert secrets == {SECRET: {"name": "warlog-bots", "key": "token"}}


@pytest.mark.parametrize("where", ["compose", "k8s"])
def test_redis_asks_for_the_password_keeps_its_data_and_is_what_warlog_wants(
    tmp_path: Path, where: str
) -> None:
    """The very command, with another folder and a socket instead of a port."""
    if where == "compose":
        *shell, script = compose()["services"]["redis"]["command"]
        script = script.replace("$$", "$").replace("${REDIS_MAXMEMORY:-2gb}", "2gb")
    else:
        *shell, script = pods()["warlog-redis"]["spec"]["containers"][0]["command"]
    options = {"redis-server -": f"{redis_executable()} -", "--dir /data": f"--dir {tmp_path}"}
    for found, instead in options.items():
        assert script.count(found) == 1
        script = script.replace(
            found, f"{instead} --port 0 --unixsocket redis.sock" if "-server" in found else instead
        )
    environment = {**os.environ, "REDIS_PASSWORD": "abc123"}
    process = subprocess.Popen([*shell, script], env=environment, stdout=subprocess.DEVNULL)
    try:
        path = str(tmp_path / "redis.sock")
        eventually(lambda: (tmp_path / "redis.sock").exists())
        with redis_py.Redis(unix_socket_path=path) as stranger, pytest.raises(redis_py.AuthenticationError):
            stranger.ping()
        with redis_py.Redis(unix_socket_path=path, password="abc123") as client:
            assert client.ping()
            settings: Any = client.config_get("*")
            wanted = {"appendonly": "yes", "appendfsync": "everysec", "maxmemory-policy": "noeviction"}
            assert wanted.items() <= settings.items()
            assert 1 << 30 <= int(settings["maxmemory"]) <= 0.8 * (4 << 30)  # of `limits` in redis.yaml
        shown = Path(f"/proc/{process.pid}/cmdline").read_bytes()
        assert b"redis-server" in shown  # no shell is left, which would keep the signal to itself
        assert b"abc123" not in shown
    finally:
        process.terminate()
        assert process.wait(20) == 0
