"""Read a challenge (agbenchmark's name for a workspace case) from a case's reference."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from ...records import Case
from ...records.typed_values import convert

Evaluation: TypeAlias = Literal["file", "python", "pytest", "llm"]
"""What is scored: the files, what they print as scripts, what pytest prints, or an open answer (by a judge)."""

_EVALUATION_BY_NAME: dict[str, Evaluation] = {
    "python": "python",
    "execute_python_code": "python",
    "custom_python": "python",
    "pytest": "pytest",
    "llm": "llm",
}
"""Evaluations by their names in both versions of agbenchmark's data. As there, any other name means ``file``."""


class ChallengeError(Exception):
    """The case cannot be used as a challenge, which is not the system's fault."""


# Field names of the next three types are those of agbenchmark's data.
class _Eval(msgspec.Struct):
    type: str


class _Ground(msgspec.Struct):
    files: list[str]
    should_contain: list[str] | None = None
    should_not_contain: list[str] | None = None
    type: str | None = None
    eval: _Eval | None = None
    case_sensitive: bool = True


class _Reference(msgspec.Struct):
    ground: _Ground
    folder: str | None = None


_MOCK_FIELDS = ("mock_func", "mock_task")


def ignored_mock(case: Case) -> list[str]:
    """Return the fields of a challenge that describe a mock of an agent; mocks are never run."""
    mock = case.reference.get("mock")
    nested_fields = [name for name in _MOCK_FIELDS if name in mock] if isinstance(mock, dict) else []
    own_fields = [name for name in _MOCK_FIELDS if case.reference.get(name)]
    return [*dict.fromkeys([*nested_fields, *own_fields])] or (["mock"] if mock else [])


class Challenge(msgspec.Struct, frozen=True):
    """Fields of a challenge that a checker needs.

    Attributes:
        evaluation: What is scored.
        files: Names of files, or endings such as ``.txt``.
        required: Words that a file must contain.
        forbidden: Words that it must not contain.
        case_sensitive: Whether words must match in letter case.
        folder: The challenge's folder, which has the hidden tests, or None if the case does not name it.
    """

    evaluation: Evaluation
    files: list[str]
    required: list[str]
    forbidden: list[str]
    case_sensitive: bool
    folder: Path | None

    def solution_modules(self) -> list[str]:
        """Return the modules of the solution that have the name of a standard module.

        Only modules that the challenge names or has in its folder count, so an agent cannot add any. ``unittest`` is excluded, since the
        hidden tests rely on it.
        """
        names = {Path(name).stem for name in self.files if name.endswith(".py") and "/" not in name}
        for part in ("artifacts_in", "artifacts_out"):
            if self.folder is not None:
                names.update(path.stem for path in (self.folder / part).glob("*.py"))
        return sorted((names & sys.stdlib_module_names) - {"unittest"})

    def hidden_tests(self) -> Path | None:
        """Return the folder of the tests that the agent does not see, or None if there is none.

        Raises:
            ChallengeError: The challenge's folder is missing, so its hidden tests are unknown.
        """
        if self.folder is None:
            return None
        if not self.folder.is_dir():
            raise ChallengeError(f"the challenge's folder is not there: {self.folder}")
        tests = self.folder / "custom_python"
        return tests if tests.is_dir() else None


def challenge_of(case: Case) -> Challenge:
    """Read the challenge in a case of kind ``artifact``.

    Raises:
        ChallengeError: Its ground truth is malformed.
    """
    try:
        reference = convert(case.reference, _Reference)
    except msgspec.ValidationError as error:
        raise ChallengeError(f"the reference is not a challenge: {error}") from error
    ground = reference.ground
    evaluation_name = ground.eval.type if ground.eval is not None else ground.type
    return Challenge(
        evaluation=_EVALUATION_BY_NAME.get(evaluation_name or "file", "file"),
        files=ground.files,
        required=ground.should_contain or [],
        forbidden=ground.should_not_contain or [],
        case_sensitive=ground.case_sensitive,
        folder=None if reference.folder is None else Path(reference.folder),
    )
