"""Probes in words: readable titles of operators and dials, and the summary of a probe set.

An operator plants one kind of change; a dial is a ladder's scale of difficulty. Both have names that users type.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..document import Document
from ..document_parts import ENDS, FIRST, Cell, DocumentTable
from .number_text import count, counted

if TYPE_CHECKING:
    from ...evaluation.audit.probe_folder import ProbeManifest

_TITLES: Mapping[str, str] = {
    "original": "unchanged right output",
    "repeats": "the same output again",
    "position": "position of the answer",
    "length": "length of the answer",
    "swapped_enum": "wrong listed value",
    "off_by_one": "number off by one",
    "flipped_sign": "flipped sign",
    "wrong_magnitude": "wrong magnitude",
    "shifted_date": "wrong date",
    "wrong_unit": "wrong unit",
    "near_name": "similar name",
    "flipped_boolean": "true for false",
    "wrong_type": "wrong type",
    "dropped_item": "list item left out",
    "reversed_list": "list in wrong order",
    "unconverted_unit": "unit not converted",
    "wrong_zone": "wrong time zone",
    "wrong_calendar": "day and month swapped",
    "wrong_currency": "currency not converted",
    "missing_required": "required argument missing",
    "missing_optional": "requested option missing",
    "invented_argument": "undocumented argument",
    "invented_optional": "unrequested option",
    "swapped_arguments": "swapped arguments",
    "swapped_between_calls": "values of calls swapped",
    "wrong_function": "wrong function",
    "dropped_call": "call left out",
    "duplicated_call": "call made twice",
    "reordered_calls": "calls in wrong order",
    "extra_call": "extra call",
    "call_where_none_is_due": "call where none is due",
    "argument_order": "arguments reordered",
    "list_order": "free list reordered",
    "call_order": "parallel calls reordered",
    "number_notation": "1 written as 1.0",
    "underscored_name": "dots as underscores",
    "default_spelled_out": "default spelled out",
    "letter_case": "lower case",
    "accepted_alias": "another accepted value",
    "other_notation": "another notation",
    "tools_reordered": "functions reordered",
    "unrelated_tool": "unrelated function",
    "turn_dropped_call": "call left out of a turn",
    "turn_changed_argument": "argument of a turn changed",
    "turn_call_too_early": "call a turn too early",
    "turn_extra_call": "extra call in a turn",
    "turn_steps_split": "calls step by step",
    "turn_argument_order": "turn's arguments reordered",
    "answer_of_sibling": "answer to another question",
    "answer_negated": "denied answer",
    "answer_contradicted": "contradicted answer",
    "answer_in_refusal": "refusal with the answer",
    "answer_near_number": "nearby number as answer",
    "answer_near_name": "similar name as answer",
    "answer_in_sentence": "answer in a sentence",
    "answer_padded": "answer in many words",
    "answer_letter_case": "answer in other capitals",
    "answer_punctuation": "answer with punctuation",
    "answer_alias": "another accepted answer",
    "answers_reordered": "accepted answers reordered",
    "claim_wrong_number": "claim with wrong number",
    "claim_wrong_date": "claim with wrong date",
    "claim_wrong_name": "claim with similar name",
    "claim_more_specific": "invented detail",
    "claim_from_another_result": "fact of another result",
    "claim_more_general": "dates by their month",
    "claims_reordered": "claims reordered",
    "passages_reordered": "results reordered",
    "unrelated_passage": "unrelated result",
    "injected_verdict": "verdict in a value",
    "injected_control": "harmless words in a value",
    "plain_verdict": "plain verdict in a value",
    "plain_control": "plain words in a value",
    "padded_value": "wrong value, many words",
    "bare_value": "wrong value, few words",
    "answer_injected_verdict": "verdict in an answer",
    "answer_injected_control": "harmless words in answers",
    "answer_plain_verdict": "plain verdict in an answer",
    "answer_plain_control": "plain words in an answer",
    "answer_padded_wrong": "wrong answer, many words",
    "answer_bare_wrong": "wrong answer, few words",
    "master_key": "text without content",
    "empty_answer": "empty answer",
    "question_repeated": "question repeated",
    "claim_unsupported_detail": "plausible unsupported claim",
    "claim_unsupported_detail_twin": "detail that is supported",
    "claim_wrong_relation": "right name, wrong role",
    "claim_wrong_relation_twin": "right name, right role",
    "claim_overgeneral": "some said to be all",
    "claim_overgeneral_twin": "some said to be some",
    "claim_stale": "outdated claim",
    "claim_stale_twin": "current claim",
    "claim_unit_slipped": "claim in the wrong unit",
    "claim_unit_slipped_twin": "claim in the right unit",
    "claim_scope_slipped": "number of another scope",
    "claim_scope_slipped_twin": "number of the right scope",
    "claim_condition_omitted": "claim without condition",
    "claim_condition_omitted_twin": "claim with condition",
    "claim_partly_done": "part reported as done",
    "claim_partly_done_twin": "part reported as part",
    "claim_error_ignored": "error reported as success",
    "claim_error_ignored_twin": "error reported as error",
    "call_unsupported_detail": "value that nobody gave",
    "call_unsupported_detail_twin": "value that was given",
    "call_wrong_relation": "roles in a call mixed up",
    "call_wrong_relation_twin": "roles in a call kept",
    "call_overgeneral": "call for all, not a part",
    "call_overgeneral_twin": "call for all, as asked",
    "call_stale": "outdated value in a call",
    "call_stale_twin": "current value in a call",
    "call_unit_slipped": "call in the wrong unit",
    "call_unit_slipped_twin": "call in the right unit",
    "call_scope_slipped": "call of another scope",
    "call_scope_slipped_twin": "call of the right scope",
    "call_condition_omitted": "call without condition",
    "call_condition_omitted_twin": "call where no condition is",
    "call_partly_done": "call left out, told as done",
    "call_partly_done_twin": "shorter task done",
    "call_error_ignored": "failed call made again",
    "call_error_ignored_twin": "call after another's error",
    "tools_offered": "many functions",
    "tools_alike": "similar functions",
    "parallel_calls": "many parallel calls",
    "right_arguments": "many arguments",
    "nesting": "nested values",
    "number_error": "small error in a number",
    "turns": "long conversation",
    "turns_back": "value from long ago",
    "indirectness": "indirect value",
    "attack_strength": "insistent claim",
    "turns_played": "long trajectory",
    "fault_back": "fault long ago",
    "passages": "many results",
    "passage_length": "long result",
    "sentence_position": "buried sentence",
    "inference": "inferred number",
    "right_claims": "many right claims",
    "claim_error": "small error in a claim",
    "paraphrase_fault": "changed meaning",
    "retold_claims": "many retold sentences",
}


def probe_title(name: str) -> str:
    """Return the title of an operator or dial; for a custom one, its name with spaces."""
    return _TITLES.get(name) or name.replace("_", " ")


def probe_cell(name: str) -> Cell:
    """Return a table cell with the title of an operator or dial, and its name below."""
    return Cell(probe_title(name), name)


def with_title(sentence: str, name: str) -> str:
    """Replace an operator's or dial's name in a sentence by its title in quotes."""
    title = probe_title(name)
    if title == name:
        return sentence
    # The name comes first; a unit or description after it may be the same word.
    return re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", lambda _: f'"{title}"', sentence, count=1)


def probe_document(manifest: ProbeManifest, *, about: bool = True) -> Document:
    """Build the document of a probe set: counts by operator, and probes left out.

    With ``about``, a last column describes the operators.
    """
    probe_counts = ", ".join(counted(number, plants) for plants, number in manifest.by_plants.items())
    skipped = "; ".join(f"{number:,} {reason}" for reason, number in manifest.passed_over.items())
    rows = [
        (
            operator.name,
            operator.plants,
            *map(count, (operator.probes, operator.dropped, operator.missed_by_bfcl)),
            *([operator.about] if about else []),
        )
        for operator in manifest.operators
    ]
    head = ("operator", "plants", "probes", "dropped", "BFCL misjudges")
    return [
        f"{probe_counts}, of {counted(manifest.right_outputs, 'right output')}"
        + (f" (skipped: {skipped})" if skipped else ""),
        DocumentTable(
            (*head, *(["what it does"] if about else [])), rows, left_aligned=ENDS if about else FIRST | {1}
        ),
        "dropped: strict rules contradict the intended label; listed as weaknesses of the rules",
    ]
