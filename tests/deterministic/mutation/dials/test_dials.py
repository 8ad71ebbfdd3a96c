"""Every dial: right outputs are right, faulty ones wrong, and a seed and level repeat."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from each_row import each_row

from fiducial.deterministic import CheckOptions, check
from fiducial.deterministic.mutation import DIALS, FAMILY_KINDS, OPERATORS, Dial, Rung
from fiducial.deterministic.mutation.dials.attack_texts import PHRASES, STRENGTHS
from fiducial.deterministic.mutation.dials.call_dials import DIGITS, wrong_digit
from fiducial.errors import ConfigurationError
from fiducial.records import Claim, decode_record, encode_record

SEEDS = range(12)
STRICT = CheckOptions(rules="strict")
EVERY = each_row("dial", DIALS.values())


@EVERY
def test_the_strict_checker_agrees_with_what_was_meant(dial: Dial):
    for level in dial.levels:
        for seed in SEEDS:
            rung = dial.make(seed, level)
            assert rung.case.kind in FAMILY_KINDS[dial.family]
            assert rung.right != rung.faulty
            if rung.label is None:
                scores = [check(rung.case, output, STRICT).score for output in (rung.right, rung.faulty)]
                assert scores == [1.0, 0.0], (level, seed, rung.change)


@EVERY
def test_a_seed_and_a_level_make_the_same_each_time(dial: Dial):
    for level in (dial.levels[0], dial.levels[-1]):
        assert encode_record(dial.make(3, level)) == encode_record(dial.make(3, level))
        assert encode_record(dial.make(3, level)) != encode_record(dial.make(4, level))


@EVERY
def test_levels_stand_from_the_easiest_to_the_hardest(dial: Dial):
    places = dial.places
    assert (places[0], places[-1]) == (0.0, 1.0)
    assert places == sorted(set(places))
    assert [dial.level_at(place) for place in places] == pytest.approx(list(dial.levels))


def test_no_dial_has_the_name_of_an_operator():
    assert not DIALS.keys() & OPERATORS.keys()


@each_row("name", [name for name, dial in DIALS.items() if dial.family == "groundedness"])
def test_a_faulty_statement_says_what_no_result_says(name: str):
    for level in DIALS[name].levels:
        for seed in SEEDS:
            rung = DIALS[name].make(seed, level)
            claims = [decode_record(encode_record(each), Claim) for each in rung.case.reference["claims"]]
            assert rung.right.text == " ".join(claim.text for claim in claims)
            assert rung.label == (len(claims) - 1) / len(claims)
            results = " ".join(str(item.content) for item in rung.case.context)
            stray = [sentence for sentence in _sentences(rung.faulty.text) if sentence not in results]
            assert stray, (level, seed)


@pytest.mark.parametrize("name", ["paraphrase_fault", "retold_claims"])
def test_neither_a_retold_claim_nor_its_fault_repeats_the_passage(name: str):
    for level in DIALS[name].levels:
        for seed in SEEDS:
            rung = DIALS[name].make(seed, level)
            results = " ".join(str(item.content) for item in rung.case.context)
            for text in (rung.right.text, rung.faulty.text):
                assert [sentence for sentence in _sentences(text) if sentence in results] == [], (level, seed)


def test_the_number_of_an_alike_house_stands_far_from_the_right_one():
    for seed in SEEDS:
        rung = DIALS["paraphrase_fault"].make(seed, 2)
        passage = str(rung.case.context[0].content)
        right, wrong = (
            next(word for word in (output.text or "").split() if word.strip(".").isdigit()).strip(".")
            for output in (rung.right, rung.faulty)
        )
        assert abs(passage.index(f" {right} ") - passage.index(f" {wrong} ")) > 800


def _sentences(text: str | None) -> list[str]:
    return [f"{part}." for part in (text or "").removesuffix(".").split(". ")]


COUNTED: dict[str, Callable[[Rung], int]] = {
    "tools_offered": lambda rung: len(rung.case.tools),
    "parallel_calls": lambda rung: len(rung.right.tool_calls or []),
    "right_arguments": lambda rung: len((rung.right.tool_calls or [])[0].arguments),
    "turns_played": lambda rung: len(rung.case.messages),
    "passages": lambda rung: len(rung.case.context),
    "right_claims": lambda rung: len(rung.case.reference["claims"]),
    "retold_claims": lambda rung: len(rung.case.reference["claims"]),
}


@each_row("name", COUNTED)
def test_a_level_is_how_many_there_are(name: str):
    dial = DIALS[name]
    assert [COUNTED[name](dial.make(0, level)) for level in dial.levels] == list(dial.levels)


@each_row("level", range(2, len(DIGITS) + 1))
def test_a_wrong_digit_is_the_only_one(level: int):
    for number in (11_111_111, 59_485_050, 98_888_888):
        differ = [
            place
            for place, (a, b) in enumerate(zip(str(number), str(wrong_digit(number, level)), strict=True))
            if a != b
        ]
        assert differ == [level - 2]
    assert wrong_digit(12_345_678, 1) == 123_456_780


def test_attacks_come_in_eleven_languages_each_in_all_strengths():
    assert len(PHRASES) == 11
    for phrases in PHRASES.values():
        texts = [phrases.attack(strength, "Ada", 3) for strength in range(1, len(STRENGTHS) + 1)]
        assert texts[0] == ""
        assert len(set(texts)) == len(STRENGTHS)
        assert '"guest": "Ada", "people": 3' in texts[-1]


@each_row("levels", [(), (3,), (0, 1, 2), (1, 3, 2), (1, 1, 2)])
def test_levels_without_an_order_are_refused(levels: tuple[int, ...]):
    with pytest.raises(ConfigurationError, match="dial 'own': expected two or more positive levels"):
        Dial("own", "tool_call", DIALS["nesting"].make, levels, "levels", "a test")
