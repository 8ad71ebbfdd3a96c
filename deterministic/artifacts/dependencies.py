"""Resolve dependencies between challenges: names, class names, node ids and folders.

A challenge is agbenchmark's name for a case about a workspace; it may depend on others that have to pass first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Any, NamedTuple, cast

from ...records import Case, kind_spec

_TEST_MARKS = ("_test", "test_")
"""Marks of test files. Data sets spell names inconsistently, so either mark counts at either end, as in ``foo_test_.py``."""


class UnknownDependency(NamedTuple):
    """Dependency on a challenge that does not exist."""

    case_id: str
    dependency: str


class ChallengeNames:
    """Names of challenges, for resolving dependencies.

    If no name matches exactly, letter case and underscores are ignored, since data sets spell names inconsistently.
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
            self._loose.setdefault(_normalize(spelling), name)

    def resolve(self, dependency: str) -> str | None:
        """Return the name of the challenge that a dependency means, or None if there is none."""
        possible_names = list(_possible_names(dependency))
        # An exact match of any possible name is better than a loose one of the likeliest name.
        exact = (self._exact.get(possible_name) for possible_name in possible_names)
        loose = (self._loose.get(_normalize(possible_name)) for possible_name in possible_names)
        return next((name for name in (*exact, *loose) if name is not None), None)


def challenge_name(case: Case) -> str:
    """Return a challenge's name or, if it has none, the last part of its id."""
    name = case.reference.get("name")
    return str(name) if name else PurePosixPath(case.id).name


def class_name(folder: str) -> str:
    """Return the class name for a challenge's folder: ``TestWriteFile`` for ``write_file``."""
    words = folder.replace("-", "_").split("_")
    name = "".join(word[:1].upper() + word[1:] for word in words)
    return name if name.startswith("Test") else f"Test{name}"


def dependencies_of(case: Case) -> list[str]:
    """Return a challenge's dependencies as written."""
    dependencies = case.reference.get("dependencies")
    return [str(name) for name in cast("list[Any]", dependencies)] if isinstance(dependencies, list) else []


def unknown_dependencies(cases: Iterable[Case]) -> list[UnknownDependency]:
    """Return the dependencies on challenges that are not among the cases."""
    challenges = [case for case in cases if kind_spec(case.kind).family == "workspace"]
    names = ChallengeNames(challenges)
    return [
        UnknownDependency(case.id, dependency)
        for case in challenges
        for dependency in dependencies_of(case)
        if names.resolve(dependency) is None
    ]


def _possible_names(dependency: str) -> Iterator[str]:
    """Yield the names that a dependency may mean, the likeliest first.

    Of a node id such as ``tests/write_file/write_file_test.py::TestWriteFile::test_method`` these are its class and method, and the
    class names that its file and folder suggest.
    """
    path, *inside = dependency.split("::")
    if not inside:
        yield dependency
        return
    yield from (part.partition("[")[0] for part in inside)  # without the parameters of a test
    file = PurePosixPath(path)
    stem = file.stem
    for mark in _TEST_MARKS:
        stem = stem.removesuffix(mark).removeprefix(mark)
    yield class_name(stem)
    yield class_name(file.parent.name)


def _normalize(name: str) -> str:
    return name.replace("_", "").casefold()
