"""Scripts of this repository as modules: benchmarks, and pages of the documentation that are made."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[2]


def script(name: str) -> Any:
    """A script by its path in the repository; those beside it can be imported, as when it is run."""
    path = _ROOT / name
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look their annotations up
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    spec.loader.exec_module(module)
    return module
