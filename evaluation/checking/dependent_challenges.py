"""Verdicts on challenges that depend on others: held back if a dependency failed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from ...deterministic.artifacts.dependencies import ChallengeNames, challenge_name, dependencies_of
from ...records import Case, Verdict, kind_spec

UNKNOWN = "unknown_dependencies"
"""Key of the evidence that names dependencies which no output here answers for."""


class _Try(NamedTuple):
    """Key of one try at a challenge; other systems' and trials' results do not affect it."""

    system: str
    trial: int
    name: str


class _Waiting(NamedTuple):
    """A verdict that may have to give way."""

    verdict: Verdict
    itself: _Try
    depends_on: list[str]


def apply_dependencies(checked: Iterable[tuple[Case, Verdict]]) -> Iterator[Verdict]:
    """Replace the verdicts on challenges whose dependencies failed.

    A dependency is a challenge's name or a node id; names repeat, and every challenge of the name must have passed. A name that no output
    here answers for holds nothing back and is named in the evidence. An open answer that awaits a judge holds nothing back either.
    """
    failed: set[_Try] = set()
    waiting: list[_Waiting] = []
    names: ChallengeNames | None = None
    for case, verdict in checked:
        if kind_spec(case.kind).family != "workspace":
            yield verdict
            continue
        names = names or ChallengeNames()
        names.add(case)
        itself = _Try(verdict.system, verdict.trial, challenge_name(case))
        if verdict.score is not None and verdict.score < 1.0:
            failed.add(itself)
        if depends_on := dependencies_of(case):
            waiting.append(_Waiting(verdict, itself, depends_on))
        else:
            yield verdict
    if names is None:
        return
    needs = [_needs(entry, names) for entry in waiting]
    _spread(failed, list(zip((entry.itself for entry in waiting), needs, strict=True)))
    for entry, needed in zip(waiting, needs, strict=True):
        problems = [need.name for need in needed if need in failed]
        unknown = [name for name in entry.depends_on if names.resolve(name) is None]
        verdict = _held_back(entry.verdict, problems) if problems else entry.verdict
        yield _with_unknown(verdict, unknown) if unknown else verdict


def _needs(entry: _Waiting, names: ChallengeNames) -> list[_Try]:
    found = (names.resolve(name) for name in entry.depends_on)
    return [entry.itself._replace(name=name) for name in found if name not in (None, entry.itself.name)]


def _spread(failed: set[_Try], dependents: list[tuple[_Try, list[_Try]]]) -> None:
    """Mark all that depends on a failure as failed, transitively."""
    before = -1
    while len(failed) != before:
        before = len(failed)
        failed.update(itself for itself, needs in dependents if not failed.isdisjoint(needs))


def _held_back(verdict: Verdict, problems: list[str]) -> Verdict:
    return msgspec.structs.replace(
        verdict,
        outcome="not_applicable",
        score=None,
        error_type="dependency_failed",
        reason=f"depends on {', '.join(problems)}, which did not pass",
        evidence={"by_itself": {"score": verdict.score, "error_type": verdict.error_type}},
    )


def _with_unknown(verdict: Verdict, unknown: list[str]) -> Verdict:
    return msgspec.structs.replace(verdict, evidence={**(verdict.evidence or {}), UNKNOWN: unknown})
