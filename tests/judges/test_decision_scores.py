"""Scores of answers: rules, bounds, our own confidence, and answers that make no score."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fiducial.errors import DecodingError, PromptError
from fiducial.judges.decision_block import DecisionBlock
from fiducial.judges.decision_scores import UnscoredAnswersError, decision_parser
from fiducial.judges.prompt_file import read_prompt_file


def block_of(tmp_path: Path, text: str, front: str = "") -> DecisionBlock:
    path = tmp_path / "mine.prompty"
    path.write_text(f"---\nname: mine\n{front}decision: {text}\n---\n", encoding="utf-8")
    block = read_prompt_file(path).decision
    assert block is not None
    return block


TWO = "{state: [response], questions: {a: {ask: A?}, b: {ask: B?}}, score: all_of}"
LEVELS = (
    "{state: [response], questions: {a: {type: score, ask: A?, levels: [no, some, all]}}, score: expected}"
)
CHOICE = "{state: [response], questions: {a: {type: choice, ask: A?, choices: {x: null, y: null, z: null}, values: {x: 1, y: 0, z: 0.5}}}, score: expected}"
STEPS = "{state: [steps], questions: {a: {type: choice, ask: A?, choices: steps}}}"
EACH = "{state: [statements], questions: {a: {each: statements, ask: 'Is {number}?'}}, score: fraction}"


def parse(block: DecisionBlock, answers: Any, **options: Any) -> Any:
    return decision_parser(block, **options)(json.dumps(answers))


def test_all_of_is_the_least_with_its_bounds_and_no_product(tmp_path: Path):
    read = parse(block_of(tmp_path, TWO), {"a": {"p": 0.9}, "b": {"p": 0.8}})
    assert read.score == 0.8
    assert read.details["bounds"] == pytest.approx([0.7, 0.8])
    assert (read.details["least"], read.details["confidence"]) == ("b", pytest.approx(0.6))


def test_a_fault_turns_score_and_bounds_around(tmp_path: Path):
    read = parse(block_of(tmp_path, TWO), {"a": {"p": 0.9}, "b": {"p": 0.8}}, flipped=True)
    assert read.score == pytest.approx(0.2)
    assert read.details["bounds"] == pytest.approx([0.2, 0.3])


def test_a_score_is_the_expected_level_between_0_and_1(tmp_path: Path):
    distribution = {"0": 0.0, "1": 0.2, "2": 0.8}
    read = parse(block_of(tmp_path, LEVELS), {"a": {"probabilities": distribution}})
    assert read.score == pytest.approx(0.9)
    assert read.details["confidence"] == pytest.approx((3 * 0.8 - 1) / 2)


def test_a_choice_is_its_expected_value(tmp_path: Path):
    read = parse(block_of(tmp_path, CHOICE), {"a": {"probabilities": {"x": 0.6, "y": 0.2, "z": 0.2}}})
    assert read.score == pytest.approx(0.7)


def test_a_choice_among_steps_scores_none_and_names_the_likeliest(tmp_path: Path):
    read = parse(block_of(tmp_path, STEPS), {"a": {"probabilities": {"1": 0.1, "2": 0.6, "none": 0.3}}})
    assert (read.score, read.details["step"]) == (pytest.approx(0.3), 2)
    read = parse(block_of(tmp_path, STEPS), {"a": {"probabilities": {"1": 0.1, "2": 0.1, "none": 0.8}}})
    assert read.details["step"] == 0


def test_a_fraction_is_the_mean_over_the_parts(tmp_path: Path):
    assert parse(block_of(tmp_path, EACH), {"a_1": {"p": 1.0}, "a_2": {"p": 0.5}}).score == 0.75


BAD: list[Any] = [
    None,
    {"p": None},
    {},
    {"p": "0.9"},
    {"p": True},
    {"p": 1.01},
    {"p": -0.001},
    {"p": 2},
]


@pytest.mark.parametrize("bad", BAD)
def test_an_answer_that_is_no_probability_makes_no_score_and_others_are_kept(tmp_path: Path, bad: Any):
    with pytest.raises(UnscoredAnswersError) as caught:
        parse(block_of(tmp_path, TWO), {"a": bad, "b": {"p": 0.8}})
    assert not caught.value.refused
    assert caught.value.details["questions"]["b"] == {"p": 0.8}


@pytest.mark.parametrize(
    "probabilities",
    [
        {"0": 0.5, "1": 0.5, "2": None},
        {"0": 0.0, "1": 0.0, "2": 0.0},
        {"0": 0.5, "1": 0.5, "2": 0.5},
        {"0": 1.5, "1": -0.5, "2": 0.0},
        None,
    ],
)
def test_an_impossible_distribution_makes_no_score(tmp_path: Path, probabilities: Any):
    with pytest.raises(UnscoredAnswersError):
        parse(block_of(tmp_path, LEVELS), {"a": {"probabilities": probabilities}})


def test_options_that_were_not_asked_about_make_no_score(tmp_path: Path):
    with pytest.raises(UnscoredAnswersError):
        parse(
            block_of(tmp_path, LEVELS),
            {"a": {"probabilities": {"0": 0, "1": 0, "2": 1}, "unexpected": ["9"]}},
        )


def test_rounded_distributions_are_read(tmp_path: Path):
    read = parse(block_of(tmp_path, LEVELS), {"a": {"probabilities": {"0": 0.33, "1": 0.33, "2": 0.33}}})
    assert read.score == pytest.approx(0.5)


def many(value: float, options: int = 40) -> str:
    names = ", ".join(f"o{n}: null" for n in range(options))
    values = ", ".join(f"o{n}: {value}" for n in range(options))
    return f"{{state: [response], questions: {{a: {{type: choice, ask: A?, choices: {{{names}}}, values: {{{values}}}}}}}, score: expected}}"


@pytest.mark.parametrize(("p", "is_read"), [(0.02, True), (0.03, True), (0.0301, False), (0.0252, True), (0.0256, False)])  # fmt: skip
def test_of_many_options_only_rounded_ones_may_miss_1_by_much(tmp_path: Path, p: float, is_read: bool):
    answers = {"a": {"probabilities": {f"o{n}": p for n in range(40)}}}
    if is_read:
        assert parse(block_of(tmp_path, many(0.5)), answers).score == pytest.approx(0.5)
    else:
        with pytest.raises(UnscoredAnswersError, match="add up to"):
            parse(block_of(tmp_path, many(0.5)), answers)


def test_a_refused_question_refuses_a_score_that_needs_it(tmp_path: Path):
    with pytest.raises(UnscoredAnswersError) as caught:
        parse(block_of(tmp_path, TWO), {"a": {"refused": True}, "b": {"p": 0.8}})
    assert caught.value.refused
    only_b = TWO.replace("score: all_of", "of: [b]")
    assert parse(block_of(tmp_path, only_b), {"a": {"refused": True}, "b": {"p": 0.8}}).score == 0.8


@pytest.mark.parametrize("text", ["", "0.9", "[]", "null", '{"a": 1}', "{"])
def test_texts_without_answers_are_not_read(tmp_path: Path, text: str):
    with pytest.raises(DecodingError):
        decision_parser(block_of(tmp_path, TWO))(text)


@pytest.mark.parametrize(
    ("block", "problem"),
    [
        ("{state: [], questions: {a: {ask: A?}}}", "state"),
        ("{state: [response], questions: {}}", "questions"),
        ("{state: [response], questions: {a: {ask: ' '}}}", "empty"),
        ("{state: [response], questions: {a b: {ask: A?}}}", "name"),
        ("{state: [response], questions: {end_of_material: {ask: A?}}}", "name"),
        ("{state: [response], questions: {a: {ask: A?}}, of: [b]}", "no question"),
        ("{state: [response], questions: {a: {ask: A?}, b: {ask: B?}}}", "one yes/no"),
        ("{state: [response], questions: {a: {ask: A?}}, score: product}", "product"),
        ("{state: [response], questions: {a: {ask: A?, levels: [x, y]}}}", "levels"),
        ("{state: [response], questions: {a: {ask: A?, type: score, levels: [x]}}, score: expected}", "levels"),
        ("{state: [response], questions: {a: {ask: A?, type: score, levels: [x, x]}}, score: expected}", "levels"),
        ("{state: [response], questions: {a: {ask: A?, type: choice, choices: {x: null}}}, score: expected}", "choices"),
        ("{state: [response], questions: {a: {ask: A?, type: choice, choices: {x: null, y: null}}}, score: expected}", "values"),
        ("{state: [response], questions: {a: {ask: A?, type: choice, choices: {x: null, y: null}, values: {x: 2, y: 0}}}, score: expected}", "values"),
        ("{state: [response], questions: {a: {ask: A?, type: choice, choices: steps}}}", "steps"),
        ("{state: [response], questions: {a: {each: statements, ask: '{number}'}}, score: fraction}", "each"),
        ("{state: [statements], questions: {a: {each: statements, ask: A?}}, score: fraction}", "number"),
        ("{state: [response], questions: {a: {ask: A?}}, score: fraction}", "fraction"),
    ],
)  # fmt: skip
def test_an_invalid_block_is_refused_with_its_line(tmp_path: Path, block: str, problem: str):
    with pytest.raises(PromptError, match=problem) as caught:
        block_of(tmp_path, block)
    assert "mine.prompty:3" in str(caught.value)
