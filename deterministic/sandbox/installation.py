"""List the files of the Python installation that a private root has to show."""

from __future__ import annotations

import os
import site
import sys
from pathlib import Path

_PYTHON_PATTERNS = (
    "pyvenv.cfg",
    "bin/python*",
    "lib/python3*",
    "lib64/python3*",
    "lib/libpython*",
    "lib64/libpython*",
)
"""Python's files in a folder that it shares with other programs."""

_MAX_LINKS = 20
"""Stops at a cycle of links."""

_NO_PLUGINS = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
"""Hidden tests need no pytest plugins, and the sandbox may not show the files of one, such as an editable installation."""


def python_folders() -> list[str]:
    """Return the interpreter, its library, and the packages that can be imported.

    An installation in a separate folder is shown whole, since some have shared libraries there. A virtual environment may be in a
    project's folder, and ``~/.local`` has keyrings, mail and histories, so only Python's part of these is shown.
    """
    packages = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    prefixes = dict.fromkeys((Path(sys.base_prefix), Path(sys.base_prefix).resolve(), Path(sys.prefix)))
    parts = [part for prefix in prefixes for part in _python_files_below(prefix)]
    return list(dict.fromkeys([*map(str, [*parts, *_links_to_interpreter()]), *packages]))


def package_variables() -> dict[str, str]:
    """Return variables with which Python finds the user's packages, but none in a workspace.

    The workspace is the home folder of sandboxed code, so ``.local/lib/python3.x/site-packages/usercustomize.py`` in it would run before
    any test.
    """
    packages = {"PYTHONUSERBASE": site.getuserbase()} if site.ENABLE_USER_SITE else {"PYTHONNOUSERSITE": "1"}
    return packages | _NO_PLUGINS


def _python_files_below(prefix: Path) -> list[Path]:
    if _is_dedicated(prefix):
        return [prefix]
    return [part for pattern in _PYTHON_PATTERNS for part in sorted(prefix.glob(pattern))]


def _links_to_interpreter() -> list[Path]:
    """Return the interpreter's path and every link between it and the program."""
    links = [Path(sys.executable)]
    while links[-1].is_symlink() and len(links) < _MAX_LINKS:
        links.append(links[-1].parent / links[-1].readlink())
    return links


def _is_dedicated(prefix: Path) -> bool:
    """Return whether a folder has nothing but a Python installation."""
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - Path.home() raises if there is none
    shared = {home / ".local", home, *home.parents}
    return prefix not in shared and not (prefix / "pyvenv.cfg").exists()
