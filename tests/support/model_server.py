"""Third-party server mlx-lm on loopback, and tiny models made for it."""

from __future__ import annotations

import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

_MAKE = Path(__file__).parents[1] / "server" / "tiny_model.py"
_PATIENCE = 120.0


class Served(NamedTuple):
    """A server, and the models that it can serve.

    Attributes:
        base_url: Where it is.
        model: Makes one, which says these texts, or has random weights; gives the name by which it is asked for.
    """

    base_url: str
    model: Callable[..., str]


def model_maker(python: str, folder: Path) -> Callable[..., str]:
    """Makes models in a folder, each once; ``python`` has mlx-lm."""
    made: dict[tuple[str, ...], str] = {}

    def model(*texts: str) -> str:
        if texts not in made:
            place = folder / f"model-{len(made)}"
            subprocess.run([python, str(_MAKE), str(place), *texts], check=True, capture_output=True)
            made[texts] = str(place)
        return made[texts]

    return model


@contextmanager
def model_server(python: str, log: Path) -> Generator[str]:
    """Run the server; where it is."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [
        python,
        "-m",
        "mlx_lm.server",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--max-tokens",
        "60",
    ]
    with log.open("wb") as out:
        running = subprocess.Popen(command, stdout=out, stderr=out, env={**os.environ, "HF_HUB_OFFLINE": "1"})
        try:
            _wait(running, port, log)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            running.kill()
            running.wait()


def _wait(running: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        assert running.poll() is None, log.read_text(errors="replace")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5):
                return
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.2)
    pytest.fail(f"the server does not answer: {log.read_text(errors='replace')}")
