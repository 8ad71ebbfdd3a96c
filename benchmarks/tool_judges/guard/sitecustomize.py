"""Keep a Python process on loopback: any other address is refused, and written to a file.

Python imports this module at start-up where its folder is on PYTHONPATH, also in child processes.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, cast

_LOCAL = {"localhost", "::1", "0.0.0.0", "::", ""}  # noqa: S104 - compared, never bound
_LOOK_UPS = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}
_SENDS = {"socket.connect", "socket.sendto", "socket.sendmsg"}


def is_local(host: object) -> bool:
    """Return whether a host is this machine, by its address or the name localhost."""
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else host
    if name is None:
        return True
    return isinstance(name, str) and (name in _LOCAL or name.startswith("127."))


def watch(event: str, arguments: tuple[Any, ...]) -> None:
    """Refuse the look-up of another host, and any connection to one.

    Raises:
        ConnectionRefusedError: The host is not this machine.
    """
    host: object
    if event in _LOOK_UPS:
        host = arguments[0]
    elif event in _SENDS and isinstance(arguments[1], tuple):
        host = cast("tuple[object, ...]", arguments[1])[0]
    else:
        return
    if not is_local(host):
        path = os.environ.get("REFUSED_ADDRESSES")
        if path:
            with Path(path).open("a", encoding="utf-8") as file:
                file.write(f"{host}\n")
        raise ConnectionRefusedError(f"only loopback is reached here, not {host}")


if os.environ.get("REFUSED_ADDRESSES"):
    sys.addaudithook(watch)
