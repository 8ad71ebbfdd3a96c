"""Answers: wrong by construction, right by construction, and never by accident."""

from __future__ import annotations

import random

from fiducial.deterministic import CheckOptions
from fiducial.deterministic.mutation import OPERATORS, Mutation, Probe, Subject, Weakness, make_probes
from fiducial.records import Case, Output


def texts(subject: Subject, operator: str) -> list[str | None]:
    return [mutation.output.text for mutation in OPERATORS[operator].mutate(subject, random.Random(0))]


def test_wrong_answers_are_other_questions_answers_none_of_which_is_accepted_here(answer: Subject):
    assert texts(answer, "answer_of_sibling") == ["Joseph Priestley", "Jules Janssen"]


def test_denials_refusals_and_contradictions_hold_the_right_answer(answer: Subject):
    for operator in ("answer_negated", "answer_in_refusal", "answer_contradicted"):
        found = texts(answer, operator)
        assert found
        assert all("Marie Curie" in (text or "") for text in found)


def test_a_wrong_answer_in_which_an_accepted_one_occurs_by_accident_is_set_aside(answer: Subject):
    def accident(subject: Subject, chance: random.Random):
        del chance
        yield Mutation(
            Output(case_id="radium", system="agent", text="certainly M. Curie"), "accident", label=0.0
        )

    operator = OPERATORS["answer_of_sibling"]
    mine = type(operator)("mine", "answer", "fault", accident, "an accident")
    (found,) = make_probes(answer, [mine], CheckOptions())
    assert isinstance(found, Weakness)
    assert found.failing == "cannot decide"


def test_a_right_answer_reads_differently_and_is_labelled_right(answer: Subject):
    names = (
        "answer_in_sentence",
        "answer_letter_case",
        "answer_punctuation",
        "answer_alias",
        "answer_padded",
    )
    probes = list(make_probes(answer, [OPERATORS[name] for name in names], CheckOptions()))
    labels = {(probe.output.text, probe.label.score) for probe in probes if isinstance(probe, Probe)}
    assert {("The answer is Marie Curie.", 1.0), ("MARIE CURIE", 1.0), ("M. Curie", 1.0)} <= labels
    assert {score for _, score in labels} == {1.0}


def test_the_order_of_accepted_answers_is_a_change_of_the_case(answer: Subject):
    (found,) = OPERATORS["answers_reordered"].mutate(answer, random.Random(0))
    assert found.case is not None
    assert found.case.reference["answers"] == ["Curie in 1898", "M. Curie", "Marie Curie"]


def test_numbers_and_dates_in_an_answer_are_shifted():
    case = Case(id="c", kind="memory_answer", reference={"answers": ["14 May 2026"]})
    found = texts(Subject(case, Output(case_id="c", system="s", text="14 May 2026")), "answer_near_number")
    assert "15 May 2026" in found
    assert "14 May 2027" in found


def test_the_last_text_of_a_conversation_is_the_answer(answer: Subject):
    output = Output(case_id="radium", system="agent", turns=[["let me see", "Marie Curie"]])
    found = list(
        OPERATORS["answer_of_sibling"].mutate(Subject(answer.case, output, answer.siblings), random.Random(0))
    )
    assert found[0].output.turns == [["let me see", "Joseph Priestley"]]


def test_master_keys_say_nothing_and_are_wrong(answer: Subject):
    probes = list(make_probes(answer, [OPERATORS["master_key"], OPERATORS["empty_answer"]], CheckOptions()))
    assert len(probes) == 4
    assert all(isinstance(probe, Probe) and probe.label.score == 0.0 for probe in probes)
