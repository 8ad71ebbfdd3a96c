"""Notes on imported challenges: code to be allowed, missing packages, and ignored fields."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...deterministic.artifacts.challenge import ignored_mock
from ...deterministic.artifacts.needed_modules import missing_packages, runs_code
from ...records import Case, kind_spec
from ...spelling import flag
from .number_text import counted

_MAX_NOTES = 5
"""Most challenges that are named for one reason."""


def challenge_notes(cases: Iterable[Case]) -> Iterator[str]:
    """Yield what challenges need of this machine, and which of their fields are ignored."""
    challenges = [case for case in cases if kind_spec(case.kind).family == "workspace"]
    with_code = sum(map(runs_code, challenges))
    if with_code:
        yield f"{running(with_code)} code: `fiducial artifacts run` and `fiducial run` need {flag('allow_code')}"
    yield from _first_notes(
        f"{case.id}: its hidden tests import {' and '.join(names)}, not installed here"
        for case in challenges
        if (names := missing_packages(case))
    )
    yield from _first_notes(
        f"{case.id}: {', '.join(names)}: ignored; `fiducial artifacts run {flag('mock')}` takes artifacts_out"
        for case in challenges
        if (names := ignored_mock(case))
    )


def _first_notes(notes: Iterable[str]) -> Iterator[str]:
    all_notes = list(notes)
    yield from all_notes[:_MAX_NOTES]
    if hidden := all_notes[_MAX_NOTES:]:
        yield f"{len(hidden):,} more like {'this' if len(hidden) == 1 else 'these'}"


def running(challenges: int) -> str:
    """Return a number of challenges with the verb: ``1 challenge runs``."""
    return f"{counted(challenges, 'challenge')} {'runs' if challenges == 1 else 'run'}"
