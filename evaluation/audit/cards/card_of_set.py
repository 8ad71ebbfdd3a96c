"""Probes of a card beside those of its set: all of a kind of case, and no others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from ....records import CaseIndex, ItemKey
from ....records.folder_files import CASES
from ..probe_folder import ProbeFacts, read_facts
from .audit_sets import audit_set
from .judge_card import AuditCard


def foreign_to_set(card: AuditCard) -> str:
    """Return what in a card is not of its set, a shipped one; empty if all of it is.

    Without this, a card could leave out the probes that its judge graded wrongly.

    Raises:
        InputError: The set is not the one that was shipped.
    """
    return next(_differences(card), "")


def _differences(card: AuditCard) -> Iterator[str]:
    by_kind = _probes_by_kind(card.set.name)
    if unknown := sorted(card.kinds.keys() - by_kind.keys()):
        yield f"{card.set.name} has no probes of {', '.join(unknown)}"
        return
    for kind, asked in card.kinds.items():
        if asked != len(by_kind[kind]):
            yield f"{card.set.name} has {len(by_kind[kind]):,} probes of {kind}, not {asked:,}"
    probes = [facts for kind in card.kinds for facts in by_kind[kind]]
    wanted = Counter((probe.operator, probe.plants) for probe in probes)
    for operator in card.operators:
        known = wanted.pop((operator.operator, operator.plants), 0)
        if operator.rate.n + sum(operator.ungraded.values()) != known:
            yield f"{card.set.name} has {known:,} probes of {operator.operator} for these kinds of case"
    if wanted:
        yield f"it has no share of {min(wanted)[0]}"
    names = {(probe.key, probe.operator, probe.plants) for probe in probes}
    listed = {
        (ItemKey(miss.case_id, miss.system, miss.trial), miss.operator, miss.plants) for miss in card.misses
    }
    if listed - names:
        yield "it lists a probe as graded wrongly that is none of its kinds of case"


@lru_cache(maxsize=2)
def _probes_by_kind(name: str) -> dict[str, list[ProbeFacts]]:
    folder, _ = audit_set(name)
    found: dict[str, list[ProbeFacts]] = {}
    with CaseIndex(folder / CASES) as cases:
        for fact in read_facts(folder):
            found.setdefault(cases.facts(fact.key.case_id).kind, []).append(fact)
    return found
