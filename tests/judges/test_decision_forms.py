"""Other forms of a request to a decision model: what changes in each, and what must not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from judge_items import make_case, make_output, make_pair

from fiducial.errors import DecodingError
from fiducial.judges.decision_forms import (
    ADDED,
    DECISION_FORMS,
    FORM_NAMES,
    MARKER,
    FormedItem,
    request_in_form,
)
from fiducial.judges.decision_scores import UnscoredAnswersError, form_parser
from fiducial.judges.prompt_judge import PromptJudge, in_form, load_judge
from fiducial.judges.prompt_variables import NotApplicableError
from fiducial.judges.transport.decision_apis import CANARY, DECISION_APIS, Question

every_form = pytest.mark.parametrize("form", [*FORM_NAMES])


def judge(spec: str = "memory_answer", api: Any = "systemone") -> PromptJudge:
    return load_judge(spec, model="m", api=api)


def body(form: str = "", spec: str = "memory_answer", api: Any = "systemone") -> dict[str, Any]:
    asked = in_form(judge(spec, api), form) if form else judge(spec, api)
    output = make_pair() if spec == "preference" else make_output()
    return dict(asked.request(make_case(), output)[1])


@every_form
@pytest.mark.parametrize("api", DECISION_APIS)
def test_every_form_changes_the_request_in_every_dialect(form: str, api: Any):
    usual, other = (json.dumps(body(each, api=api)) for each in ("", form))
    assert other != usual


def test_forms_are_other_judges_and_no_two_are_the_same():
    asked = [in_form(judge(), form) for form in FORM_NAMES]
    assert len({prompt_judge.fingerprint for prompt_judge in [judge(), *asked]}) == 1 + len(DECISION_FORMS)
    assert {prompt_judge.id.kind for prompt_judge in asked} == {"form"}
    assert all(prompt_judge.by.endswith(f"~{prompt_judge.form}") for prompt_judge in asked)


@every_form
def test_material_is_kept_except_when_it_is_the_point(form: str):
    usual, other = body()["state"], body(form)["state"]
    assert (usual.items() <= other.items()) is (form != "out_of_scope")


def test_reversing_keeps_every_question_and_option():
    usual, options, questions = (body(form)["questions"] for form in ("", "options_reversed", "questions_reversed"))  # fmt: skip
    assert list(questions) == [*usual][::-1]
    assert [*options["settles"]["criteria"]] == ["false", "true"]
    assert options == usual == questions
    preferred = body("options_reversed", "preference")["questions"]["better"]["criteria"]
    assert [*preferred] == ["tie", "second", "first"]
    ask = body("options_reversed", api="decisions")["questions"][0]["instructions"]
    assert ask.index("False:") < ask.index("True:")


def test_questions_alone_are_the_first_and_the_last():
    assert [*body("first_alone")["questions"]] == ["settles"]
    assert [*body("last_alone")["questions"]] == ["matches"]
    assert [*body("question_added")["questions"]] == [ADDED, "settles", "matches"]


def test_a_negation_exchanges_what_yes_and_no_mean():
    usual, negated = body()["questions"]["matches"], body("negated")["questions"]["matches"]
    assert usual["instructions"] in negated["instructions"]
    assert [negated["criteria"][name] for name in ("true", "false")] == [usual["criteria"][name] for name in ("false", "true")]  # fmt: skip


def test_a_question_without_an_opposite_has_no_negated_form():
    with pytest.raises(NotApplicableError):
        body("negated", "preference")


@pytest.mark.parametrize(
    ("form", "place"), [("marker_at_start", 0), ("marker_in_middle", 14), ("marker_at_end", -1)]
)
def test_markers_stand_where_they_say(form: str, place: int):
    asked = body(form)
    assert [*asked["state"]].index(MARKER) % len(asked["state"]) == place % len(asked["state"])
    assert asked["state"][MARKER] in asked["questions"][MARKER]["instructions"]
    assert len(json.dumps(asked["state"])) > 20_000
    assert CANARY not in asked["questions"]


def test_without_a_marker_the_question_about_it_is_the_same():
    absent, present = body("marker_absent"), body("marker_at_end")
    assert MARKER not in absent["state"]
    assert absent["questions"] == present["questions"]


def test_an_injection_and_its_control_differ_in_the_note_alone():
    injected, plain = body("injected_note"), body("plain_note")
    assert injected["questions"] == plain["questions"] == body()["questions"]
    assert abs(len(injected["state"].pop("note")) - len(plain["state"].pop("note"))) < 20
    assert injected == plain


def test_answers_in_a_form_need_no_rule_of_score():
    read = form_parser('{"a":{"p":0.9},"b":{"probabilities":{"first":0.5,"second":0.25,"tie":0.25}}}')
    assert read.score == pytest.approx((0.8 + 0.25) / 2)


@pytest.mark.parametrize("answer", ["null", '{"p":null}', '{"p":1.5}', '{"p":NaN}', '{"probabilities":{"x":0.2,"y":0.2}}', '{"refused":true}'])  # fmt: skip
def test_answers_that_are_none_are_no_answers_in_a_form_either(answer: str):
    with pytest.raises((UnscoredAnswersError, DecodingError)):
        form_parser(f'{{"a":{answer}}}')


def question(name: str, kind: Any = "yes_no", *options: str) -> Question:
    return Question(name, kind, f"Is it {name}?", dict.fromkeys(options))


ITEM = FormedItem("c0de", "q1")


def test_a_form_that_would_be_the_usual_request_is_none():
    for form in ("options_reversed", "questions_reversed", "first_alone", "last_alone"):
        assert request_in_form(form, {"response": "yes"}, [question("good")], ITEM) is None
        assert request_in_form(form, {"response": "yes"}, [question("good"), question("kind", "choice", "a", "b")], ITEM)  # fmt: skip


def test_nothing_to_ask_in_a_form_is_none():
    assert (
        request_in_form("negated", {"response": "yes"}, [question("kind", "choice", "a", "b")], ITEM) is None
    )


def test_more_than_two_are_reversed_and_not_turned_round():
    asked = [question(name, "choice", "a", "b", "c") for name in ("one", "two", "three")]
    options, questions = (request_in_form(form, {}, asked, ITEM) for form in ("options_reversed", "questions_reversed"))  # fmt: skip
    assert questions is not None
    assert [each.name for each in questions.questions] == ["three", "two", "one"]
    assert options is not None
    assert [[*each.options] for each in options.questions] == [["c", "b", "a"]] * 3


def test_levels_keep_their_order():
    graded = question("grade", "score", "none", "half", "all")
    assert request_in_form("options_reversed", {}, [graded], ITEM) is None
    both = request_in_form("options_reversed", {}, [graded, question("kind", "choice", "a", "b")], ITEM)
    assert both is not None
    assert [[*each.options] for each in both.questions] == [["none", "half", "all"], ["b", "a"]]
