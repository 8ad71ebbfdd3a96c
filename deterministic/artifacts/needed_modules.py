"""Find the modules that a challenge's hidden tests import, and those not installed."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from ...records import Case
from .challenge import Challenge, ChallengeError, challenge_of

# Folders of a challenge whose files are in the workspace when the tests run, or would be in a solution's.
_CHALLENGE_FOLDERS = ("custom_python", "artifacts_in", "artifacts_out")
# Larger files are not parsed.
_MAX_BYTES = 1024 * 1024


def runs_code(case: Case) -> bool:
    """Return whether a challenge is graded by running code."""
    try:
        return challenge_of(case).evaluation in {"python", "pytest"}
    except ChallengeError:
        return False


def missing_packages(case: Case) -> list[str]:
    """Return the modules that a challenge needs and lacks here; see `missing_modules`."""
    try:
        return missing_modules(challenge_of(case)) if runs_code(case) else []
    except ChallengeError:
        return []


def standard_modules(challenge: Challenge) -> list[str]:
    """Return the standard modules that hidden tests import, except modules of the solution."""
    imported = {"unittest", *_imported_modules(challenge.hidden_tests(), anywhere=True)}
    solutions = set(challenge.solution_modules())
    return sorted(
        name
        for name in imported
        if (top := name.partition(".")[0]) in sys.stdlib_module_names and top not in solutions
    )


def missing_modules(challenge: Challenge, workspace: Path | None = None) -> list[str]:
    """Return the modules that the hidden tests need and that neither machine nor workspace has.

    Empty for a challenge without a solution in Python: the agent may be asked to write the missing module.
    """
    if challenge.folder is None or not any((challenge.folder / "artifacts_out").glob("*.py")):
        return []
    modules_there = {Path(name).stem for name in challenge.files}
    for folder in (
        *(challenge.folder / part for part in _CHALLENGE_FOLDERS),
        *([] if workspace is None else [workspace]),
    ):
        modules_there.update(path.stem for path in folder.glob("*"))
    imported = {
        name.partition(".")[0] for name in _imported_modules(challenge.hidden_tests(), anywhere=False)
    }
    return sorted(
        name for name in imported - modules_there - sys.stdlib_module_names if not _is_installed(name)
    )


def _is_installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):  # a module without a spec, such as __main__
        return True


def _imported_modules(tests: Path | None, *, anywhere: bool) -> set[str]:
    """Return the modules that tests import: in any statement, or in those that always run."""
    names: set[str] = set()
    for path in () if tests is None else sorted(tests.glob("*.py")):
        try:
            tree = ast.parse(path.read_bytes()) if path.stat().st_size <= _MAX_BYTES else None
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            continue  # the run of the tests says what is wrong with them
        if tree is not None:
            names.update(_module_names(ast.walk(tree) if anywhere else iter(tree.body)))
    return names


def _module_names(statements: Iterator[ast.AST]) -> Iterator[str]:
    for statement in statements:
        if isinstance(statement, ast.Import):
            yield from (alias.name for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom) and statement.module is not None and not statement.level:
            yield statement.module
