"""Texts of the probes that a card's judge graded wrongly, from the shipped set."""

from __future__ import annotations

from ....records import Case, ItemKey, Output, read_records
from ....records.folder_files import CASES, OUTPUTS
from ..audit_results import ShownProbe
from ..probe_folder import read_facts
from ..weakness_examples import shown_probe
from .audit_sets import audit_set, sources_path
from .judge_card import AuditCard, CardMiss


def missed_probes(card: AuditCard) -> dict[str, list[ShownProbe]]:
    """Return the set's probes that a card's judge graded wrongly, by operator.

    Score and reason are those of the card, everything else is the set's. Misses that the set does not have are left out.

    Raises:
        InputError: The set is not the one that was shipped.
    """
    folder, _ = audit_set(card.set.name)
    wanted = {_key(miss): miss for miss in card.misses}
    facts = [fact for fact in read_facts(folder) if fact.key in wanted]
    outputs = {record.key: record for record in read_records(sources_path(card.set.name), Output)}
    outputs |= {
        record.key: record for record in read_records(folder / OUTPUTS, Output) if record.key in wanted
    }
    named = {fact.key.case_id for fact in facts}
    cases = {record.id: record for record in read_records(folder / CASES, Case) if record.id in named}
    found: dict[str, list[ShownProbe]] = {}
    for fact in facts:
        miss = wanted[fact.key]
        found.setdefault(fact.operator, []).append(shown_probe(fact, miss.score, miss.reason, outputs, cases))
    return found


def _key(miss: CardMiss) -> ItemKey:
    return ItemKey(miss.case_id, miss.system, miss.trial)
