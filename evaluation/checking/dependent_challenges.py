"""Verdicts on challenges that depend on others: not applicable if a dependency failed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from ...deterministic.artifacts.dependencies import ChallengeNames, challenge_name, dependencies_of
from ...records import Case, Verdict, kind_spec

UNKNOWN = "unknown_dependencies"
"""Key of the evidence that names dependencies without an output here."""


class _Attempt(NamedTuple):
    """Key of an attempt: one system's trial at the challenges of a name."""

    system: str
    trial: int
    name: str


class _Waiting(NamedTuple):
    """Verdict that is withheld until all dependencies are known, and replaced if one failed."""

    verdict: Verdict
    attempt: _Attempt
    depends_on: list[str]


def apply_dependencies(checked: Iterable[tuple[Case, Verdict]]) -> Iterator[Verdict]:
    """Replace the verdicts on challenges whose dependencies failed.

    A dependency is a challenge's name or a node id. Names may repeat; every challenge of the name must have passed. A name without
    any output here has no effect, but is listed in the evidence. An undecided dependency, which awaits a judge, has no effect either.
    """
    failed: set[_Attempt] = set()
    waiting: list[_Waiting] = []
    names: ChallengeNames | None = None  # made for the first challenge, since most runs have none
    for case, verdict in checked:
        if kind_spec(case.kind).family != "workspace":
            yield verdict
            continue
        names = names or ChallengeNames()
        names.add(case)
        attempt = _Attempt(verdict.system, verdict.trial, challenge_name(case))
        if verdict.score is not None and verdict.score < 1.0:
            failed.add(attempt)
        if depends_on := dependencies_of(case):
            waiting.append(_Waiting(verdict, attempt, depends_on))
        else:
            yield verdict
    if names is None:
        return
    # Names can only be resolved now, when all challenges are known.
    needs_of_waiting = [_needed_attempts(entry, names) for entry in waiting]
    _add_dependents(failed, list(zip((entry.attempt for entry in waiting), needs_of_waiting, strict=True)))
    for entry, needed_attempts in zip(waiting, needs_of_waiting, strict=True):
        failed_names = [attempt.name for attempt in needed_attempts if attempt in failed]
        unknown = [name for name in entry.depends_on if names.resolve(name) is None]
        verdict = _hold_back(entry.verdict, failed_names) if failed_names else entry.verdict
        yield _with_unknown(verdict, unknown) if unknown else verdict


def _needed_attempts(entry: _Waiting, names: ChallengeNames) -> list[_Attempt]:
    resolved = (names.resolve(name) for name in entry.depends_on)
    return [entry.attempt._replace(name=name) for name in resolved if name not in (None, entry.attempt.name)]


def _add_dependents(failed: set[_Attempt], dependents: list[tuple[_Attempt, list[_Attempt]]]) -> None:
    """Add to the failed attempts all that depend on one of them, directly or indirectly."""
    size_before = -1
    while len(failed) != size_before:
        size_before = len(failed)
        failed.update(attempt for attempt, needs in dependents if not failed.isdisjoint(needs))


def _hold_back(verdict: Verdict, failed_names: list[str]) -> Verdict:
    return msgspec.structs.replace(
        verdict,
        outcome="not_applicable",
        score=None,
        error_type="dependency_failed",
        reason=f"depends on {', '.join(failed_names)}, which did not pass",
        evidence={"by_itself": {"score": verdict.score, "error_type": verdict.error_type}},
    )


def _with_unknown(verdict: Verdict, unknown: list[str]) -> Verdict:
    return msgspec.structs.replace(verdict, evidence={**(verdict.evidence or {}), UNKNOWN: unknown})
