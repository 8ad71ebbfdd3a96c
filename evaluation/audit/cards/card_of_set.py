"""Compare a card with the probes of its shipped set, and show those that its judge missed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from ....records import Case, CaseIndex, ItemKey, Output, read_records
from ....records.folder_files import CASES, OUTPUTS
from ..audit_results import ShownProbe
from ..probe_folder import ProbeFacts, read_facts
from ..weakness_examples import shown_probe
from .audit_sets import audit_set, sources_path
from .judge_card import AuditCard, CardMiss


def foreign_to_set(card: AuditCard) -> str:
    """Return a difference between a card's probes and those of its shipped set; empty if none.

    A card must be about all probes of each kind of case. Otherwise it could leave out those that its judge graded wrongly.

    Raises:
        InputError: The set is not the one that was shipped.
    """
    return next(_differences(card), "")


def _differences(card: AuditCard) -> Iterator[str]:
    by_kind = _probes_by_kind(card.set.name)
    if unknown := sorted(card.kinds.keys() - by_kind.keys()):
        yield f"{card.set.name} has no probes of {', '.join(unknown)}"
        return
    for kind, probe_count in card.kinds.items():
        if probe_count != len(by_kind[kind]):
            yield f"{card.set.name} has {len(by_kind[kind]):,} probes of {kind}, not {probe_count:,}"
    probes = [facts for kind in card.kinds for facts in by_kind[kind]]
    expected_counts = Counter((probe.operator, probe.plants) for probe in probes)
    for operator in card.operators:
        expected = expected_counts.pop((operator.operator, operator.plants), 0)
        if operator.rate.n + sum(operator.ungraded.values()) != expected:
            yield f"{card.set.name} has {expected:,} probes of {operator.operator} for these kinds of case"
    if expected_counts:
        yield f"it has no share of {min(expected_counts)[0]}"
    known_probes = {(probe.key, probe.operator, probe.plants) for probe in probes}
    listed_misses = {(_key(miss), miss.operator, miss.plants) for miss in card.misses}
    if listed_misses - known_probes:
        yield "it lists a probe as graded wrongly that is none of its kinds of case"


@lru_cache(maxsize=2)
def _probes_by_kind(name: str) -> dict[str, list[ProbeFacts]]:
    folder, _ = audit_set(name)
    by_kind: dict[str, list[ProbeFacts]] = {}
    with CaseIndex(folder / CASES) as cases:
        for fact in read_facts(folder):
            by_kind.setdefault(cases.facts(fact.key.case_id).kind, []).append(fact)
    return by_kind


def missed_probes(card: AuditCard) -> dict[str, list[ShownProbe]]:
    """Return the set's probes that a card's judge graded wrongly, by operator.

    Scores and reasons are the card's, everything else is the set's. Misses that the set does not have are left out.

    Raises:
        InputError: The set is not the one that was shipped.
    """
    folder, _ = audit_set(card.set.name)
    misses = {_key(miss): miss for miss in card.misses}
    facts = [fact for fact in read_facts(folder) if fact.key in misses]
    outputs = {record.key: record for record in read_records(sources_path(card.set.name), Output)}
    outputs |= {
        record.key: record for record in read_records(folder / OUTPUTS, Output) if record.key in misses
    }
    case_ids = {fact.key.case_id for fact in facts}
    cases = {record.id: record for record in read_records(folder / CASES, Case) if record.id in case_ids}
    by_operator: dict[str, list[ShownProbe]] = {}
    for fact in facts:
        miss = misses[fact.key]
        example = shown_probe(fact, miss.score, miss.reason, outputs, cases)
        by_operator.setdefault(fact.operator, []).append(example)
    return by_operator


def _key(miss: CardMiss) -> ItemKey:
    return ItemKey(miss.case_id, miss.system, miss.trial)
