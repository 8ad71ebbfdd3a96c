"""Challenges that build on others: where one it depends on failed, nothing is said of the challenge itself.

As in the original a dependency is a challenge's name; names repeat, and every challenge of the name must have passed. A name that nobody
answered for, and an open answer that awaits a judge, hold nothing back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, cast

import msgspec

from ...records import Case, Verdict


class _Try(NamedTuple):
    """Whose try at a challenge: results of other systems and trials say nothing about it."""

    system: str
    trial: int
    name: str


class _Waiting(NamedTuple):
    """A verdict that may have to give way."""

    verdict: Verdict
    itself: _Try
    needs: list[_Try]


def hold_back_dependents(checked: Iterable[tuple[Case, Verdict]]) -> Iterator[Verdict]:
    """Replace the verdicts on challenges whose dependencies failed.

    Args:
        checked: Cases and the verdicts on what was done for them.

    Yields:
        The verdicts, at once where a case has no dependencies; those of the others at the end, in their order.
    """
    failed: set[_Try] = set()
    waiting: list[_Waiting] = []
    for case, verdict in checked:
        if case.kind != "artifact":
            yield verdict
            continue
        itself = _Try(verdict.system, verdict.trial, str(case.reference.get("name")))
        needs = [itself._replace(name=name) for name in _dependencies(case) if name != itself.name]
        if verdict.score is not None and verdict.score < 1.0:
            failed.add(itself)
        if needs:
            waiting.append(_Waiting(verdict, itself, needs))
        else:
            yield verdict
    _spread(failed, waiting)
    for entry in waiting:
        problems = [need.name for need in entry.needs if need in failed]
        yield _held_back(entry.verdict, problems) if problems else entry.verdict


def _dependencies(case: Case) -> list[str]:
    named = case.reference.get("dependencies")
    return [str(name) for name in cast("list[Any]", named)] if isinstance(named, list) else []


def _spread(failed: set[_Try], waiting: list[_Waiting]) -> None:
    """What depends on a failure counts as one, and so on."""
    before = -1
    while len(failed) != before:
        before = len(failed)
        failed.update(entry.itself for entry in waiting if not failed.isdisjoint(entry.needs))


def _held_back(verdict: Verdict, problems: list[str]) -> Verdict:
    return msgspec.structs.replace(
        verdict,
        outcome="not_applicable",
        score=None,
        error_type="dependency_failed",
        reason=f"depends on {', '.join(problems)}, which did not pass",
        evidence={"by_itself": {"score": verdict.score, "error_type": verdict.error_type}},
    )
