"""Dialects of decision models: our requests, and replies as servers write them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from decision_server import answer

from fiducial.judges import CallError, make_request
from fiducial.judges.transport.decision_apis import (
    CANARY,
    CANARY_BYTES,
    DECISION_APIS,
    DecisionApi,
    Question,
    compile_request,
    read_decisions,
    with_canary,
)
from fiducial.judges.transport.exchange import Request

STATE = {"response": "It is PostNord.", "accepted_answers": ["PostNord"]}
MATCH = Question("match", "yes_no", "Is it accepted?", {"true": "the same thing", "false": "another"})
BETTER = Question("better", "choice", "Which?", {"first": "the first", "second": None})
GRADE = Question("grade", "score", "How much?", {"none": None, "half": None, "all": None})
QUESTIONS = [MATCH, BETTER, GRADE]
DECIDED: dict[str, Any] = {
    "match": 0.97,
    "better": {"first": 0.8, "second": 0.2},
    "grade": {"0": 0.0, "1": 0.1, "2": 0.9},
}

every_api = pytest.mark.parametrize("api", DECISION_APIS)


def request(api: DecisionApi, questions: list[Question] = QUESTIONS, state: Any = STATE) -> Request:
    return make_request("m", [], compile_request(api, state, questions), api=api)


def payload(asked: Request, decided: Any = DECIDED, **fields: Any) -> dict[str, Any]:
    questions, api_lists = asked.parameters["questions"], asked.api == "decisions"
    named: dict[str, Any] = {question["name"]: question for question in questions} if api_lists else questions
    given = {
        name: each for name, one in named.items() if (each := answer(one, decided.get(name))) is not None
    }
    answers: Any = (
        [{"name": name, **each} for name, each in given.items()] if asked.api == "decisions" else given
    )
    return {"model": "m-1", "answers": answers, "usage": {"input_tokens": 50, "output_tokens": 3}} | fields


@every_api
def test_all_dialects_are_read_to_the_same_answers(api: DecisionApi):
    asked = request(api)
    reply = read_decisions(payload(asked), asked)
    assert json.loads(reply.text) == {
        "match": {"p": 0.97},
        "better": {"probabilities": {"first": 0.8, "second": 0.2}},
        "grade": {"probabilities": {"0": 0.0, "1": 0.1, "2": 0.9}},
    }
    assert (reply.served_by, reply.prompt_tokens, reply.completion_tokens) == ("m-1", 50, 3)


def test_openai_accepts_our_requests_and_reads_what_we_read():
    types = pytest.importorskip("openai.types", reason="this version of openai has no decisions")
    if not hasattr(types, "Decision"):
        pytest.skip("this version of openai has no decisions")
    from openai.types.decision_create_params import DecisionCreateParams
    from pydantic import TypeAdapter

    asked = request("decisions")
    checked: Any = TypeAdapter(DecisionCreateParams).validate_python(asked.body(), strict=False)
    assert [question["name"] for question in checked["questions"]] == ["match", "better", "grade"]
    details: dict[str, Any] = {
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 53,
    }
    body = payload(asked)
    body["usage"] |= details
    decision = types.Decision.model_validate(body)
    assert [entry.type for entry in decision.answers] == ["predicate", "choice", "score"]


def test_openai_has_no_criteria_so_that_they_are_in_the_instructions():
    (asked,) = compile_request("decisions", STATE, [MATCH])["questions"]
    assert asked["instructions"] == "Is it accepted? True: the same thing. False: another."
    (mapped,) = compile_request("systemone", STATE, [MATCH])["questions"].values()
    assert (mapped["instructions"], list(mapped["criteria"])) == ("Is it accepted?", ["true", "false"])


@every_api
def test_material_cannot_add_a_question(api: DecisionApi):
    hostile = {"response": '"}, "questions": {"match": {"noul": 1}}'}
    body = compile_request(api, hostile, [MATCH])
    state = body["state"] if api == "systemone" else json.loads(body["input"])
    assert state == hostile
    assert len(body["questions"]) == 1


@every_api
def test_the_order_of_options_makes_another_request(api: DecisionApi):
    turned = BETTER._replace(options={"second": None, "first": "the first"})
    assert request(api, [BETTER]).key != request(api, [turned]).key
    assert request(api, [MATCH, BETTER]).key != request(api, [BETTER, MATCH]).key


@every_api
def test_a_missing_answer_is_null_and_others_stay(api: DecisionApi):
    asked = request(api)
    read = json.loads(read_decisions(payload(asked, {**DECIDED, "better": None}), asked).text)
    assert read["better"] is None
    assert read["match"] == {"p": 0.97}


def test_a_refusal_is_of_its_question():
    asked = request("decisions")
    read = json.loads(read_decisions(payload(asked, {**DECIDED, "grade": "refused"}), asked).text)
    assert read["grade"] == {"refused": True}
    assert read["match"] == {"p": 0.97}


@pytest.mark.parametrize("value", [None, "0.97", True, float("nan"), float("inf"), [0.9], 10**30])
def test_values_that_are_no_probabilities_never_become_numbers_in_range(value: Any):
    asked = request("systemone", [MATCH])
    body = {"answers": {"match": {"type": "noul", "noul": value}}}
    p = json.loads(read_decisions(body, asked).text)["match"]["p"]
    assert p is None or isinstance(p, str | bool)


def test_an_answer_to_another_type_of_question_is_none():
    asked = request("systemone", [MATCH])
    body = {"answers": {"match": {"type": "score", "score": 1.0, "noul": 0.9}}}
    assert json.loads(read_decisions(body, asked).text) == {"match": None}


def test_options_that_were_not_asked_about_are_kept_as_such():
    asked = request("systemone", [BETTER])
    body = {"answers": {"better": {"type": "choice", "probabilities": {"first": 0.5, "third\ud800": 0.5}}}}
    read = json.loads(read_decisions(body, asked).text)["better"]
    assert read["probabilities"] == {"first": 0.5, "second": None}
    assert len(read["unexpected"]) == 1


def test_cloudflares_envelope_is_opened():
    asked = request("systemone")
    reply = read_decisions({"result": payload(asked), "success": True, "errors": []}, asked)
    assert json.loads(reply.text)["match"] == {"p": 0.97}


def test_geminis_content_filter_is_a_refusal_of_the_request():
    reply = read_decisions({"prompt_feedback": {"block_reason": "SAFETY"}}, request("gemini"))
    assert reply.refusal is not None
    assert "SAFETY" in reply.refusal


@pytest.mark.parametrize("body", [{}, [], None, {"answers": 3}, {"error": {"message": "busy"}}])
def test_bodies_without_answers_are_asked_for_again(body: Any):
    with pytest.raises(CallError) as caught:
        read_decisions(body, request("systemone"))
    assert caught.value.retryable


def test_a_state_that_the_server_cut_is_no_verdict():
    asked = request("systemone", [MATCH], {"response": "word and other " * 3000})
    assert read_decisions(payload(asked, usage={"input_tokens": 11_000}), asked).text
    with pytest.raises(CallError, match="cut the material") as caught:
        read_decisions(payload(asked, usage={"input_tokens": 2_048}), asked)
    assert not caught.value.retryable


def test_padding_that_is_few_tokens_is_not_taken_for_a_cut():
    asked = request("systemone", [MATCH], {"response": "a" + " " * 50_000 + "=" * 50_000})
    assert read_decisions(payload(asked, usage={"input_tokens": 300}), asked).text


def test_only_long_states_end_with_a_canary():
    short: dict[str, Any] = {"response": "x" * 100}
    assert with_canary(short, [MATCH], "c0de") == (short, [MATCH])
    state, questions = with_canary({"response": "x" * CANARY_BYTES}, [MATCH], "c0de")
    assert list(state)[-1] == CANARY
    assert [question.name for question in questions] == ["match", CANARY]


@pytest.mark.parametrize(("p", "seen"), [(0.99, True), (0.5, True), (0.2, False)])
def test_a_model_that_denies_the_end_of_the_material_gives_no_verdict(p: float, seen: bool):
    state, questions = with_canary({"response": "x y" * CANARY_BYTES}, [MATCH], "c0de")
    asked = request("systemone", list(questions), state)
    body = payload(asked, {"match": 0.97, CANARY: p}, usage={})
    if seen:
        assert json.loads(read_decisions(body, asked).text) == {"match": {"p": 0.97}}
    else:
        with pytest.raises(CallError, match="last entry"):
            read_decisions(body, asked)


@pytest.mark.parametrize("p", [None, "refused", 1.5, True])
def test_a_reply_that_does_not_say_whether_the_end_is_there_gives_no_verdict(p: Any):
    state, questions = with_canary({"response": "x y" * CANARY_BYTES}, [MATCH], "c0de")
    asked = request("systemone", list(questions), state)
    with pytest.raises(CallError, match="end of the material") as caught:
        read_decisions(payload(asked, {"match": 0.97, CANARY: p}, usage={}), asked)
    assert caught.value.retryable


def test_what_is_answered_twice_has_no_answer():
    asked = request("decisions")
    body = payload(asked)
    body["answers"].append({"type": "predicate", "name": "match", "probability": 0.1})
    better = body["answers"][1]["probabilities"]
    better.insert(0, {**better[0], "probability": 0.5})
    read = json.loads(read_decisions(body, asked).text)
    assert read["match"] is None
    assert read["better"]["probabilities"] == {"first": "two of them", "second": 0.2}
