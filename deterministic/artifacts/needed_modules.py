"""Modules that the hidden tests of a challenge import, and those that are missing here."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from ...records import Case
from .challenge import Challenge, ChallengeError, challenge_of

_PARTS = ("custom_python", "artifacts_in", "artifacts_out")
_MAX_BYTES = 1024 * 1024


def runs_code(case: Case) -> bool:
    """Return whether a challenge is graded by running code."""
    try:
        return challenge_of(case).evaluation in {"python", "pytest"}
    except ChallengeError:
        return False


def missing_packages(case: Case) -> list[str]:
    """Return what a challenge's hidden tests import and is missing here; see `missing_modules`."""
    try:
        return missing_modules(challenge_of(case)) if runs_code(case) else []
    except ChallengeError:
        return []


def standard_modules(challenge: Challenge) -> list[str]:
    """Return the standard library's modules that hidden tests import, but no solution's."""
    used = {"unittest", *_imported(challenge.hidden_tests(), anywhere=True)}
    solutions = set(challenge.solution_modules())
    return sorted(
        name
        for name in used
        if (top := name.partition(".")[0]) in sys.stdlib_module_names and top not in solutions
    )


def missing_modules(challenge: Challenge, workspace: Path | None = None) -> list[str]:
    """Return the modules that the hidden tests need and that neither machine nor workspace has.

    Known only of a challenge with a solution in Python: without one, a module may be what the agent is to write.
    """
    if challenge.folder is None or not any((challenge.folder / "artifacts_out").glob("*.py")):
        return []
    own = {Path(name).stem for name in challenge.files}
    for folder in (
        *(challenge.folder / part for part in _PARTS),
        *([] if workspace is None else [workspace]),
    ):
        own.update(path.stem for path in folder.glob("*"))
    used = {name.partition(".")[0] for name in _imported(challenge.hidden_tests(), anywhere=False)}
    return sorted(name for name in used - own - sys.stdlib_module_names if not _is_installed(name))


def _is_installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):  # a module without a spec, such as __main__
        return True


def _imported(tests: Path | None, *, anywhere: bool) -> set[str]:
    """Return the modules that files import: in any statement, or in those that surely run."""
    names: set[str] = set()
    for path in () if tests is None else sorted(tests.glob("*.py")):
        try:
            tree = ast.parse(path.read_bytes()) if path.stat().st_size <= _MAX_BYTES else None
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            continue  # the run of the tests says what is wrong with them
        if tree is not None:
            names.update(_modules(ast.walk(tree) if anywhere else iter(tree.body)))
    return names


def _modules(statements: Iterator[ast.AST]) -> Iterator[str]:
    for statement in statements:
        if isinstance(statement, ast.Import):
            yield from (alias.name for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom) and statement.module is not None and not statement.level:
            yield statement.module
