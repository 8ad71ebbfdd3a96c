"""Built-in suite for the demo.

README.md beside this file describes each file.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from ..errors import InputError

__all__ = ["demo_path"]


def demo_path(name: str) -> Path:
    """Where a file of the suite lies on this machine.

    Args:
        name: ``cases.jsonl``, ``outputs.jsonl``, ``labels.jsonl``, ``replies/suite.jsonl`` or another file that is shipped in this
            folder.

    Returns:
        Its path.

    Raises:
        InputError: There is no such file, or the package was installed as an archive and has no files of its own.
    """
    folder = Path(str(files(__name__)))
    path = folder / name
    if ".." in path.parts or folder not in path.parents or not path.is_file():
        raise InputError("no such file in the demo suite", path=path)
    return path
