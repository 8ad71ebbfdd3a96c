"""Compile the package to bytecode, as installing a wheel does.

Where Python may not write bytecode, a checkout is compiled again at every start.
"""

from __future__ import annotations

import compileall
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_NOT_THE_PACKAGE = re.compile(r"/(\.[^/]+|tests|benchmarks|notebooks|docs)/")


def compile_package(root: Path = ROOT) -> None:
    """Update the bytecode of every module of a checkout, except in its environments."""
    compileall.compile_dir(root, rx=_NOT_THE_PACKAGE, quiet=1)


if __name__ == "__main__":
    compile_package()
