from __future__ import annotations

from typing import Any

import pytest
from judge_items import make_case, make_output

from fiducial.judges.prompt_variables import INPUT_BUILDERS, NotApplicableError, challenge_criterion
from fiducial.records import Case, Output, Pair


def criterion(**ground: Any) -> str | None:
    return challenge_criterion(
        Case(id="c", kind="artifact", reference={"ground": {"files": [".txt"], **ground}})
    )


@pytest.mark.parametrize("template", ["reference", "rubric", "question"])
def test_the_template_says_what_the_answer_is(template: str):
    words = criterion(answer="A plan {answer}.", eval={"type": "llm", "template": template})
    assert words is not None
    assert words.endswith(":\nA plan {answer}.")


def test_without_a_template_the_answer_stands_by_itself():
    assert criterion(answer="A plan.") == "A plan."
    assert criterion(answer="A plan.", eval={"type": "llm", "template": "custom"}) == "A plan."


def test_examples_come_after_it():
    words = criterion(answer="A plan.", eval={"type": "llm", "examples": "x: 0.5"})
    assert words == "A plan.\n\nExamples:\nx: 0.5"


def test_without_an_answer_there_is_no_criterion():
    assert criterion() is None


def shown(first: Output, second: Output) -> tuple[str, str]:
    pair = Pair.of(first, second)
    return INPUT_BUILDERS["first"](make_case(), pair), INPUT_BUILDERS["second"](make_case(), pair)


def test_each_output_of_a_pair_is_shown_in_its_own_form():
    answer, called = make_output(tool_calls=None), make_output(text=None)
    assert shown(answer, called) == (
        "I booked 2 nights in Rome.",
        '[\n{"name": "book_hotel", "arguments": {"city": "Rome", "nights": 2}}\n]',
    )


def test_a_conversation_in_a_pair_is_shown_as_its_transcript():
    talked = make_output(text=None, tool_calls=None, turns=[["Done."]])
    assert '{"turn": 1, "agent": "Done."}' in shown(talked, talked)[0]


def test_a_system_that_ended_with_an_error_is_shown_to_have():
    assert shown(make_output(error="time-out"), make_output())[0] == (
        "(The system ended with an error in place of an answer: time-out)"
    )


def test_no_output_of_a_pair_is_told_by_the_name_of_its_system():
    assert "very-secret" not in "".join(shown(make_output(system="very-secret"), make_output()))


def test_a_pair_is_needed_to_compare():
    with pytest.raises(NotApplicableError, match="compares two outputs of a case"):
        INPUT_BUILDERS["first"](make_case(), make_output())


def test_an_output_without_anything_cannot_be_compared():
    with pytest.raises(NotApplicableError, match="the first output has neither text nor calls"):
        shown(make_output(text=None, tool_calls=None), make_output())


@pytest.mark.parametrize("kind", ["memory_answer", "web_search_answer"])
@pytest.mark.parametrize("role", ["user", "patient"])
def test_a_judge_of_answers_is_shown_the_question_without_the_agents_instructions(kind: Any, role: str):
    messages: Any = [
        {"role": "system", "content": "Answer as JSON."},
        {"role": role, "content": "Which illness?"},
    ]
    case = Case(id="c", kind=kind, messages=messages, reference={"answers": ["Gout"]})
    output = Output(case_id="c", system="s", text="Gout")
    assert (
        INPUT_BUILDERS["question"](case, output) == INPUT_BUILDERS["query"](case, output) == "Which illness?"
    )


def test_other_judges_are_shown_the_instructions_too():
    messages: Any = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hi"}]
    case = Case(id="c", kind="open_answer", messages=messages, reference={"criterion": "kind"})
    assert "Be kind." in INPUT_BUILDERS["query"](case, Output(case_id="c", system="s", text="Hi"))
