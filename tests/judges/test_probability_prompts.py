"""Prompts that ask for a probability: its strict reading, and what the prompt declares."""

from __future__ import annotations

from pathlib import Path

import pytest
from each_row import each_row

from fiducial.errors import DecodingError, PromptError
from fiducial.judges import load_judge
from fiducial.judges.catalogue import PromptName, known_prompts
from fiducial.judges.parsing.declared_parser import make_parser
from fiducial.judges.prompt_file import read_prompt_file

VARIANTS = ("tool_call_accuracy/probability", "groundedness/probability")


@each_row(
    ("number", "score"), [("0", 0.0), ("1", 0.01), ("7", 0.07), ("50", 0.5), ("99", 0.99), ("100", 1.0)]
)
@pytest.mark.parametrize("spec", VARIANTS)
def test_a_whole_number_of_percent_is_read(spec: str, number: str, score: float):
    parse = make_parser(load_judge(spec, model="m").prompt)
    for reply in (f"<S1>why</S1>\n<S2>{number}</S2>", f"<S1>81 of 100?</S1> <S2> {number} </S2>", number):
        assert parse(reply).score == score


@each_row(
    "written",
    ["87.5", "0.87", "87 %", "87%", "87/100", "80-90", "101", "-1", "1e2", "about 87", "87 or 88", "N", "", "eighty"],
)  # fmt: skip
@pytest.mark.parametrize("spec", VARIANTS)
def test_what_is_no_whole_number_of_percent_is_not_read(spec: str, written: str):
    parse = make_parser(load_judge(spec, model="m").prompt)
    for reply in (f"<S1>why</S1>\n<S2>{written}</S2>", f"<S2>87</S2> <S2>{written}</S2>", written):
        with pytest.raises(DecodingError):
            parse(reply)


@pytest.mark.parametrize("spec", VARIANTS)
def test_its_scores_are_declared_probabilities_that_pass_from_a_half(spec: str):
    judge = load_judge(spec, model="m")
    assert (judge.scores, judge.pass_at) == ("probabilities", 0.5)


@pytest.mark.parametrize("spec", VARIANTS)
def test_it_is_experimental_until_replies_are_recorded(spec: str):
    judge, variant = spec.split("/")
    known = known_prompts()[PromptName(judge, variant)]
    assert (known.recorded, known.measured) == ((), ())


def test_its_rules_are_those_of_the_default():
    """Only what is asked for differs, so that a comparison is of that."""
    for judge, first, last in (
        ("tool_call_accuracy", "1. Right tools.", "would treat them so."),
        ("groundedness", "A piece is supported when", "denies it, it is not."),
    ):
        default, probability = (
            read_prompt_file(load_judge(f"{judge}/{variant}", model="m").prompt.path).template
            for variant in ("reasons", "probability")
        )
        rules = default[default.index(first) : default.index(last) + len(last)]
        assert rules in probability


@pytest.mark.parametrize("kind", ["probability", "[1]", "1", "{a: 1}"])
def test_another_declaration_is_refused(kind: str, tmp_path: Path):
    path = tmp_path / "mine.prompty"
    path.write_text(
        f"---\nname: m\nscale: {{minimum: 0, maximum: 1}}\nscores: {kind}\n---\nuser:\nReply 0 or 1.\n"
    )
    with pytest.raises(PromptError, match=":4: scores: expected probabilities or grades"):
        read_prompt_file(path)


@pytest.mark.parametrize("kind", ["probabilities", "grades", None])
def test_a_custom_prompt_may_declare_what_its_scores_are(kind: str | None, tmp_path: Path):
    path = tmp_path / "mine.prompty"
    declared = f"scores: {kind}\n" if kind else ""
    path.write_text(
        f"---\nname: m\ninputs:\n  query: {{type: string}}\nscale: {{minimum: 0, maximum: 1}}\n{declared}---\nuser:\n{{{{query}}}}\n"
    )
    assert load_judge(str(path), model="m").scores == kind
