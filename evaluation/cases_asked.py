"""Cases that each system was asked, inferred from outputs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from ..records import CaseIndex


class CasesAsked(NamedTuple):
    """Cases that systems were asked.

    Attributes:
        counts: Number of cases by system.
        shared: Positions of the cases that a system's group answered; see `cases_asked`.
        anywhere: Positions of the cases that any system answered.
    """

    counts: dict[str, int]
    shared: Mapping[str, set[int]]
    anywhere: set[int]

    def missing_cases(self, answered: Mapping[str, set[int]], cases: Iterable[str]) -> dict[str, str]:
        """Return, by system, the smallest id of a case that it was asked and did not answer.

        Systems without such a case are left out. The id does not depend on the order of the cases, which differs among shards and merged runs.
        """
        return {name: min(ids) for name, ids in self.all_missing_cases(answered, cases).items()}

    def all_missing_cases(
        self, answered: Mapping[str, set[int]], cases: Iterable[str]
    ) -> dict[str, list[str]]:
        """Return the ids of the cases that a system was asked and did not answer, by system."""
        incomplete = [name for name, positions in answered.items() if self.counts[name] > len(positions)]
        ids = list(cases) if incomplete else []
        unanswered = set(range(len(ids))) - self.anywhere
        return {
            name: [ids[position] for position in sorted(unanswered | (self.shared[name] - answered[name]))]
            for name in incomplete
        }


def cases_asked(answered: Mapping[str, set[int]], cases: int, logged: Mapping[str, set[int]]) -> CasesAsked:
    """Return which cases each system was asked.

    The models of a log were asked the cases that they answered there. Of the other cases, systems that share an answered case
    form a group and are assumed to have been asked the same cases. A case that nobody answered was asked of all.
    """
    groups: list[tuple[list[str], set[int]]] = []  # names of systems, and positions of cases
    for system, positions_answered in answered.items():
        positions = positions_answered - logged.get(system, set())
        # A system joins all groups with which it shares a case into one.
        overlapping = [group for group in groups if not positions.isdisjoint(group[1])]
        others = [group for group in groups if positions.isdisjoint(group[1])]
        names = [name for group_names, _ in overlapping for name in group_names]
        joined_positions = positions.union(*(group_positions for _, group_positions in overlapping))
        groups = [*others, ([*names, system], joined_positions)]
    anywhere = set[int]().union(*answered.values())
    shared = {name: positions for names, positions in groups for name in names}
    # The cases of the system's group, those of its log, and those that nobody answered.
    counts = {
        name: len(shared[name]) + len(logged.get(name, ())) + cases - len(anywhere) for name in answered
    }
    return CasesAsked(counts, shared, anywhere)


def logged_cases(
    cases: CaseIndex, answered: Mapping[str, set[int]], sharing: Collection[str]
) -> dict[str, set[int]]:
    """Return the positions of a log's cases, for each system that shares a file."""
    if not sharing:
        return {}
    logged = {facts.position for facts in map(cases.facts, cases) if facts.logged}
    return {system: answered[system] & logged for system in sharing}
