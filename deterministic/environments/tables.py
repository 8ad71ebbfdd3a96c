"""The tables of the simulated worlds: prices, zip codes, default states, the bulk data of long-context scenarios."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any


@cache
def table(name: str) -> dict[str, Any]:
    """Read a table, once per process.

    Args:
        name: A file of the folder ``data`` without its ending.

    Returns:
        The parsed file. It is shared by all worlds: read it, copy what is to be changed or handed out.
    """
    package = __name__.rpartition(".")[0]
    return json.loads((resources.files(package) / "data" / f"{name}.json").read_text("utf-8"))
