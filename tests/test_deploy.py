"""What lies in deploy/ is well formed and names only what there is; no container is started here."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from warlog_service.settings import Settings

DEPLOY = Path(__file__).parents[1] / "deploy"


def documents() -> dict[Path, list[Any]]:
    return {path: list(yaml.safe_load_all(path.read_text())) for path in DEPLOY.rglob("*.y*ml")}


def test_every_file_is_yaml_and_every_setting_that_is_named_exists() -> None:
    assert len(documents()) >= 6
    for path in (*documents(), DEPLOY / "Dockerfile"):
        named = set(re.findall(r"WARLOG_([A-Z_]+)", path.read_text()))
        assert named <= {name.upper() for name in Settings.__struct_fields__}, path


def test_compose_mounts_files_that_are_there_and_depends_on_services_that_it_has() -> None:
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    for service in services.values():
        assert set(service.get("depends_on", [])) <= set(services)
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert not source.startswith(".") or (DEPLOY / source).exists(), source
    assert "noeviction" in services["redis"]["command"]


def test_the_probes_ask_what_the_service_answers_and_the_service_finds_its_pods() -> None:
    deployment, service = yaml.safe_load_all((DEPLOY / "k8s/warlog.yaml").read_text())
    pod = deployment["spec"]["template"]
    (container,) = pod["spec"]["containers"]
    assert container["readinessProbe"]["httpGet"]["path"] == "/health/ready"
    assert container["livenessProbe"]["httpGet"]["path"] == "/health/live"
    assert service["spec"]["selector"].items() <= pod["metadata"]["labels"].items()
    assert deployment["spec"]["selector"]["matchLabels"].items() <= pod["metadata"]["labels"].items()


def test_a_process_is_given_more_time_to_end_than_it_takes() -> None:
    """A supervisor waits 30 seconds for its workers, after five of the pod's own."""
    deployment = next(yaml.safe_load_all((DEPLOY / "k8s/warlog.yaml").read_text()))
    assert deployment["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] > 35
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    assert int(compose["services"]["warlog"]["stop_grace_period"].removesuffix("s")) > 30
