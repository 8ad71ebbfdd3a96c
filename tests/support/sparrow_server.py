"""Server of `sparrow-decider`, a decision model that ships in a package."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from importlib.util import find_spec


def has_sparrow() -> bool:
    """Return whether the package is installed."""
    return find_spec("sparrow_decider") is not None


@contextmanager
def sparrow_server() -> Generator[str]:
    """Run the server on a free port; its address."""
    port = _free_port()
    command = [sys.executable, "-m", "sparrow_decider.cli", "serve", "--port", str(port)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as server:
        try:
            for _ in range(600):
                with socket.socket() as client:
                    if client.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.1)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.terminate()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
