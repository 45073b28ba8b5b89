"""A process that has imported the service once, and forks for every server that a test starts.

The start of a server cost two seconds of processor, most of it imports, and the tests start hundreds. What is forked
goes on as `python -m MODULE` does, in a process and an environment of its own. There are two such processes, which
fork by turns: strings hash differently in them, so two servers that must answer alike do not do so by chance.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import cycle
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).resolve().parent.parent
MESSAGE_BYTES_MAX = 1 << 18
_turns = cycle(range(2))
IMPORTED = ("cli", "server", "front", "supervisor", "tracing")


class Forked:
    """A process that `start` began, with what tests use of a `subprocess.Popen`."""

    def __init__(self, pid: int, stdout: IO[bytes], ended: socket.socket) -> None:
        self.pid = pid
        self.stdout = stdout
        self._ended = ended
        self._code: int | None = None

    def poll(self) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self._code

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code; the number of the signal that ended it, negative."""
        if self._code is None:
            self._ended.settimeout(timeout)
            try:
                told = self._ended.recv(16)
            except (BlockingIOError, TimeoutError):
                raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0) from None
            self._ended.close()
            self._code = int(told or b"-9")
        return self._code

    def send_signal(self, how: int) -> None:
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, how)


def start(
    module: str,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    errors: IO[bytes] | None,
) -> Forked:
    """`python -m MODULE ARGUMENTS`, forked."""
    mother = _mother(os.getpid(), next(_turns))
    reads, writes = os.pipe()
    ended, tells_end = socket.socketpair()
    body = {
        "module": module,
        "arguments": list(arguments),
        "environment": dict(environment),
        "cwd": os.getcwd(),
    }
    stderr = 2 if errors is None else errors.fileno()
    with tells_end:
        try:
            socket.send_fds(mother, [json.dumps(body).encode()], [writes, stderr, tells_end.fileno()])
        finally:
            os.close(writes)
        pid = int(mother.recv(16))
    return Forked(pid, os.fdopen(reads, "rb"), ended)


@cache
def _mother(pid: int, turn: int) -> socket.socket:
    """The process that forks for this one; it ends when this one does."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        subprocess.Popen(
            [sys.executable, "-m", "tests.warm", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            cwd=ROOT,
            start_new_session=True,  # a Ctrl-C is for pytest, which ends the servers
        )
    return ours


# ---- in the process that forks ---------------------------------------------------------------------------------


def main() -> None:
    control = socket.socket(fileno=int(sys.argv[1]))
    for name in IMPORTED:
        importlib.import_module(f"warlog_service.{name}")
    import warlog_core
    from warlog_service.front import front_of
    from warlog_service.routes import web
    from warlog_service.settings import Settings

    front_of(Settings())  # fills the caches of signatures and types; every server builds its own
    web.files()
    for name in warlog_core.games():
        warlog_core.game(name).describe({})
    gc.collect()
    gc.freeze()
    woken, wakes = socket.socketpair()
    for end in (woken, wakes):
        end.setblocking(False)
    signal.set_wakeup_fd(wakes.fileno())
    signal.signal(signal.SIGCHLD, lambda *_: None)
    children: dict[int, socket.socket] = {}  # → who waits for its end
    with selectors.DefaultSelector() as ready:
        ready.register(control, selectors.EVENT_READ)
        ready.register(woken, selectors.EVENT_READ)
        while True:
            for key, _ in ready.select():
                if key.fileobj is woken:
                    with suppress(BlockingIOError):
                        woken.recv(4096)
                    _tell_of_the_dead(children)
                    continue
                message, handles, _, _ = socket.recv_fds(control, MESSAGE_BYTES_MAX, 3)
                if not message:
                    return
                stdout, stderr, ended = handles
                pid = os.fork()
                if pid == 0:
                    for inherited in (control, woken, wakes, *children.values()):
                        inherited.close()
                    os.close(ended)
                    _become(json.loads(message), stdout, stderr)
                children[pid] = socket.socket(fileno=ended)
                os.close(stdout)
                os.close(stderr)
                control.send(str(pid).encode())


def _tell_of_the_dead(children: dict[int, socket.socket]) -> None:
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        with suppress(OSError), children.pop(pid) as ended:
            ended.send(str(os.waitstatus_to_exitcode(status)).encode())


def _become(body: dict[str, Any], stdout: int, stderr: int) -> None:
    """Never returns."""
    code = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.dup2(stdout, 1)
        os.dup2(stderr, 2)
        os.close(stdout)
        os.close(stderr)
        os.environ.clear()
        os.environ.update(body["environment"])
        os.chdir(body["cwd"])
        sys.argv[1:] = body["arguments"]
        runpy.run_module(body["module"], run_name="__main__", alter_sys=True)
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)


if __name__ == "__main__":
    main()
