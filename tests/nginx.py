"""A real nginx before the server, where the machine has one; otherwise the test is skipped."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cluster import free_ports

NGINX = """
daemon off;
master_process off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log stderr;
events {{ worker_connections 256; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    upstream warlog {{ server {upstream}; keepalive 8; }}
    server {{
        listen {address};
        location / {{
            proxy_pass http://warlog;
            proxy_http_version 1.1;
            proxy_set_header Connection "{connection}";
            proxy_set_header Host $http_host;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
            {more}
        }}
    }}
}}
"""


@contextmanager
def nginx(folder: Path, upstream: str, *, connection: str = "", more: str = "") -> Iterator[str]:
    """The URL of one that forwards to `upstream`. `connection`: the header that it sends; `more`: directives."""
    executable = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if executable is None:
        pytest.skip("there is no nginx on this machine: the test asks a real one to forward")
    (port,) = free_ports(1)
    address = f"127.0.0.1:{port}"
    conf = folder / "nginx.conf"
    conf.write_text(
        NGINX.format(folder=folder, upstream=upstream, address=address, connection=connection, more=more)
    )
    process = subprocess.Popen([executable, "-p", str(folder), "-c", str(conf)], stderr=subprocess.PIPE)
    try:
        deadline = time.monotonic() + 20
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert process.poll() is None, process.stderr and process.stderr.read().decode()
            assert time.monotonic() < deadline
            time.sleep(0.02)
        yield f"http://{address}"
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)
        if process.stderr is not None:
            process.stderr.close()
