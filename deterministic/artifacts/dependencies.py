"""Resolve dependencies between challenges: names, class names, node ids and folders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Any, NamedTuple, cast

from ...records import Case, kind_spec

_TEST_FILE_MARKS = ("_test", "test_")


class UnknownDependency(NamedTuple):
    """Dependency that names none of the challenges."""

    case_id: str
    dependency: str


class ChallengeNames:
    """Names of challenges, for resolving dependencies.

    Without an exact match, capitals and underscores are ignored, since data sets spell names inconsistently.
    """

    def __init__(self, cases: Iterable[Case] = ()) -> None:
        self._exact: dict[str, str] = {}
        self._loose: dict[str, str] = {}
        for case in cases:
            self.add(case)

    def add(self, case: Case) -> None:
        """Add the name of a challenge, and the class name that its folder suggests."""
        name = challenge_name(case)
        self._exact.setdefault(name, name)
        for spelling in (name, class_name(PurePosixPath(case.id).name)):
            self._loose.setdefault(_loosely(spelling), name)

    def resolve(self, dependency: str) -> str | None:
        """Return the name of the challenge that a dependency means, or None if there is none."""
        spellings = list(_spellings(dependency))
        exact = (self._exact.get(spelling) for spelling in spellings)
        loose = (self._loose.get(_loosely(spelling)) for spelling in spellings)
        return next((name for name in (*exact, *loose) if name is not None), None)


def challenge_name(case: Case) -> str:
    """Return a challenge's name; without one, the last part of its id."""
    name = case.reference.get("name")
    return str(name) if name else PurePosixPath(case.id).name


def class_name(folder: str) -> str:
    """Return the class name for a challenge's folder: ``TestWriteFile`` for ``write_file``."""
    words = folder.replace("-", "_").split("_")
    name = "".join(word[:1].upper() + word[1:] for word in words)
    return name if name.startswith("Test") else f"Test{name}"


def dependencies_of(case: Case) -> list[str]:
    """Return a challenge's dependencies as written."""
    named = case.reference.get("dependencies")
    return [str(name) for name in cast("list[Any]", named)] if isinstance(named, list) else []


def unknown_dependencies(cases: Iterable[Case]) -> list[UnknownDependency]:
    """Return the dependencies that name none of the challenges."""
    challenges = [case for case in cases if kind_spec(case.kind).family == "workspace"]
    names = ChallengeNames(challenges)
    return [
        UnknownDependency(case.id, dependency)
        for case in challenges
        for dependency in dependencies_of(case)
        if names.resolve(dependency) is None
    ]


def _spellings(dependency: str) -> Iterator[str]:
    """Yield the names that a dependency may mean, the likeliest first.

    Of a node id such as ``tests/write_file/write_file_test.py::TestWriteFile::test_method`` these are the class, the file and its folder.
    """
    path, *inside = dependency.split("::")
    if not inside:
        yield dependency
        return
    yield from (part.partition("[")[0] for part in inside)
    file = PurePosixPath(path)
    stem = file.stem
    for mark in _TEST_FILE_MARKS:
        stem = stem.removesuffix(mark).removeprefix(mark)
    yield class_name(stem)
    yield class_name(file.parent.name)


def _loosely(name: str) -> str:
    return name.replace("_", "").casefold()
