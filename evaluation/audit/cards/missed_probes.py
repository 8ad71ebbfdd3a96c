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
    facts = [each for each in read_facts(folder) if each.key in wanted]
    outputs = {each.key: each for each in read_records(sources_path(card.set.name), Output)}
    outputs |= {each.key: each for each in read_records(folder / OUTPUTS, Output) if each.key in wanted}
    named = {each.key.case_id for each in facts}
    cases = {each.id: each for each in read_records(folder / CASES, Case) if each.id in named}
    found: dict[str, list[ShownProbe]] = {}
    for each in facts:
        miss = wanted[each.key]
        found.setdefault(each.operator, []).append(shown_probe(each, miss.score, miss.reason, outputs, cases))
    return found


def _key(miss: CardMiss) -> ItemKey:
    return ItemKey(miss.case_id, miss.system, miss.trial)
