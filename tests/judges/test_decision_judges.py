"""Judges that ask decision models, from the question to the verdict, over HTTP."""

from __future__ import annotations

import asyncio
import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from decision_server import REFUSED, deciding
from judge_items import make_case, make_output, make_pair
from provider_server import Answer, ProviderServer, Status

import fiducial as fd
from fiducial.errors import FiducialError, PromptError, UsageError
from fiducial.judges.catalogue import DEFAULT_VARIANTS, LOCALISING, PAIRWISE, all_prompts, decision_prompts
from fiducial.judges.prompt_judge import load_judge
from fiducial.judges.transport.decision_apis import CANARY, DECISION_APIS
from fiducial.records import Case, Output, Verdict

PATHS = {"systemone": "systemone", "decisions": "decisions", "gemini": "decisions"}

every_api = pytest.mark.parametrize("api", DECISION_APIS)


def decide(name: str, question: Any) -> Any:
    """Be sure that everything holds, that the first is better, and that no step is wrong."""
    if question["type"] in {"noul", "predicate"}:
        return 0.9
    if question["type"] == "score":
        levels = question.get("levels", question.get("criteria"))
        return {str(level): float(level == len(levels) - 1) for level in range(len(levels))}
    labels = [choice["value"] for choice in question.get("choices", ())] or list(question["criteria"])
    sure = "first" if "first" in labels else "none"
    return {label: float(label == sure) for label in labels}


def judged(server: ProviderServer, spec: str, api: str, **options: Any) -> Verdict:
    settings: dict[str, Any] = {"model": "jev-1.13.0", "api_key": "secret-key", "cache": False} | options
    judge = fd.judge(spec, base_url=server.base_url, api=api, **settings)
    return asked(judge, make_case(), make_pair() if spec.startswith("preference") else make_output())


def asked(judge: Any, case: Case, output: Output) -> Verdict:
    """Ask about a case that every judge can judge, of no kind that can be written to a file."""
    return asyncio.run(judge.task.judge.verdict(case, output, judge.access))


@every_api
@pytest.mark.parametrize("spec", [*map(str, decision_prompts())])
def test_every_shipped_judge_grades_in_every_dialect(server: ProviderServer, spec: str, api: str):
    server.script = deciding(decide)
    verdict = judged(server, spec, api)
    assert verdict.outcome == "graded", verdict.reason
    assert verdict.score == pytest.approx(0.9) or verdict.score == 1.0
    if not spec.startswith("rubric"):  # whose verdict is made of those on criteria
        assert verdict.evidence["served_by"] == "jev-1.13.0"
    (seen,) = server.seen
    assert seen.path.endswith(f"/{PATHS[api]}")
    key = seen.headers["x-goog-api-key"] if api == "gemini" else seen.headers["authorization"]
    assert key.removeprefix("Bearer ") == "secret-key"


def test_every_shipped_judge_has_questions_and_means_them():
    judges = {*DEFAULT_VARIANTS, *PAIRWISE, *LOCALISING}
    assert {name.judge for name in decision_prompts()} == judges
    for name in judges:
        assert load_judge(name, model="m", api="systemone").id.variant == "decision"
    assert not decision_prompts().keys() & all_prompts().keys()


def test_the_dialect_is_part_of_the_fingerprint():
    prints = {load_judge("memory_answer", model="m", api=api).fingerprint for api in DECISION_APIS}
    assert len(prints) == len(DECISION_APIS)


def test_questions_to_a_decision_model_are_refused_for_chat():
    with pytest.raises(UsageError, match="decision model"):
        load_judge("memory_answer/decision", model="m")
    with pytest.raises(UsageError, match="chat model"):
        load_judge("memory_answer/direct", model="m", api="systemone")


def test_a_prompt_file_may_hold_a_template_and_questions(server: ProviderServer, tmp_path: Path):
    path = tmp_path / "both.prompty"
    path.write_text(
        "---\nname: both\nmodel: {api: chat, parameters: {temperature: 0.0}}\n"
        "inputs: {response: {type: string, kind: string}}\nscale: {minimum: 1, maximum: 5, step: 1}\n"
        "decision: {state: [response], questions: {fine: {ask: Is `response` fine?}}}\n---\nuser:\n{{response}}\n",
        encoding="utf-8",
    )
    server.script = deciding(lambda name, question: 0.25)
    assert judged(server, str(path), "systemone").score == 0.25
    assert "temperature" not in server.seen[0].body
    server.script = lambda seen: Answer("5")
    assert judged(server, str(path), "chat").score == 1.0


def test_an_entry_that_nothing_fills_is_refused(tmp_path: Path):
    path = tmp_path / "bad.prompty"
    path.write_text("---\nname: bad\ndecision: {state: [answer], questions: {a: {ask: A?}}}\n---\n")
    with pytest.raises(PromptError, match="did you mean response"):
        load_judge(str(path), model="m", api="gemini")


@pytest.mark.parametrize(
    ("given", "outcome"), [(REFUSED, "refused"), (None, "unparsable"), (1.5, "unparsable")]
)
def test_answers_without_a_score_are_outcomes_and_keep_the_others(
    server: ProviderServer, given: Any, outcome: str
):
    server.script = deciding(lambda name, question: given if name == "settles" else 0.8)
    verdict = judged(server, "memory_answer", "decisions")
    assert (verdict.outcome, verdict.score) == (outcome, None)
    assert verdict.evidence["questions"]["matches"] == {"p": 0.8}


def test_a_cut_state_fails_and_is_not_cached(server: ProviderServer, tmp_path: Path):
    server.script = deciding(decide, input_tokens=5)
    case, output = make_case(query="word " * 1000), make_output()
    settings: dict[str, Any] = {"model": "m", "api": "systemone", "cache": tmp_path / "cache.sqlite"}
    judge = fd.judge("tool_call_accuracy", base_url=server.base_url, **settings)
    verdict = asked(judge, case, output)
    assert (verdict.outcome, verdict.score) == ("failed", None)
    assert "cut the material" in str(verdict.reason)
    server.script = deciding(decide)
    assert asked(judge, case, output).score == pytest.approx(0.9)
    calls = len(server.seen)
    assert asked(judge, case, output).score == pytest.approx(0.9)
    assert len(server.seen) == calls


def test_long_material_ends_with_a_code_of_its_own_that_nothing_else_says(server: ProviderServer):
    server.script = deciding(decide)
    judge = fd.judge("tool_call_accuracy", model="m", base_url=server.base_url, api="systemone", api_key="k", cache=False)  # fmt: skip
    query = "word " * 1_400
    codes = list[str]()
    for _ in range(2):
        assert asked(judge, make_case(query=query), make_output()).outcome == "graded"
        state, questions = (server.seen[-1].body[name] for name in ("state", "questions"))
        assert len(json.dumps(state)) > 7_000
        assert [*state][-1] == [*questions][-1] == CANARY
        codes.append(state.pop(CANARY))
        assert codes[-1] in questions[CANARY]["instructions"]
        assert codes[-1] not in json.dumps(
            [state, *(question for name, question in questions.items() if name != CANARY)]
        )
        query += codes[-1]
    assert codes[0] != codes[1]


@every_api
def test_a_server_that_did_not_read_the_end_of_long_material_gives_no_verdict(
    server: ProviderServer, api: str
):
    server.script = deciding(lambda name, question: 0.1 if name == CANARY else decide(name, question))
    judge = fd.judge("tool_call_accuracy", model="m", base_url=server.base_url, api=api, api_key="k", cache=False)  # fmt: skip
    verdict = asked(judge, make_case(query="word " * 1_400), make_output())
    assert (verdict.outcome, verdict.score) == ("failed", None)
    assert "last entry" in str(verdict.reason)
    assert asked(judge, make_case(), make_output()).outcome == "graded"


def test_a_fault_of_the_server_is_retried_after_the_time_it_names(server: ProviderServer):
    answers = deciding(decide)
    server.script = lambda seen: Status(429, {"retry-after-ms": "1"}) if seen.attempt == 1 else answers(seen)
    verdict = judged(server, "memory_answer", "systemone")
    assert verdict.usage is not None
    assert (verdict.score, verdict.usage.calls) == (pytest.approx(0.9), 2)
    assert verdict.usage.prompt_tokens > 0


@pytest.mark.parametrize("status", [404, 405])
def test_a_chat_route_that_is_not_there_names_the_option(server: ProviderServer, status: int):
    server.script = lambda seen: Status(status)
    assert "api=systemone|decisions|gemini" in str(judged(server, "memory_answer", "chat").reason)


def test_a_chat_request_to_a_decision_model_is_not_sent(server: ProviderServer):
    with pytest.raises(UsageError, match="chat model"):
        judged(server, "memory_answer/direct", "systemone")
    assert not server.seen


def test_names_that_move_to_new_versions_are_warned_of(server: ProviderServer):
    with pytest.warns(UserWarning, match="name a version"):
        fd.judge("memory_answer", model="jev-latest", base_url=server.base_url, api="systemone")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fd.judge("memory_answer", model="jev-1.14.0", base_url=server.base_url, api="systemone")
        fd.judge("memory_answer", model="chat-latest", base_url=server.base_url)


def test_named_inputs_fill_the_state(server: ProviderServer):
    server.script = deciding(decide)
    with fd.judge("groundedness", model="m", base_url=server.base_url, api="gemini", cache=False) as judge:
        verdict = judge(response="It opens at 9. It closes at 5.", search_results=["Open from 9 to 17."])
    assert verdict.score == pytest.approx(0.9)
    assert list(json.loads(server.seen[0].body["input"])["statements"]) == ["1", "2"]


def test_an_endpoint_names_its_protocol_and_path(server: ProviderServer):
    server.script = deciding(decide)
    endpoint = f"{server.base_url},api=systemone,path=decisions"
    judge = fd.judge("memory_answer", model="m", endpoints=endpoint, api_key="k", cache=False)
    assert asked(judge, make_case(), make_output()).score == pytest.approx(0.9)
    assert server.seen[0].path.endswith("/v1/decisions")
    assert "state" in server.seen[0].body


@pytest.mark.parametrize(
    "options",
    [
        {"endpoints": "http://127.0.0.1:9/v1,api=typesafe"},
        {"endpoints": ["http://127.0.0.1:9/v1,api=gemini", "http://127.0.0.1:8/v1,api=systemone"]},
        {"endpoints": "http://127.0.0.1:9/v1,path=decisions"},
        {"endpoints": "http://127.0.0.1:9/v1,api=gemini", "api": "gemini"},
        {"api": "gemini", "api_key": "k", "environment": {}},
        {"api": "typesafe", "base_url": "http://127.0.0.1:9/v1"},
    ],
)
def test_protocols_that_are_unknown_or_differ_are_refused(options: dict[str, Any]):
    with pytest.raises(FiducialError):
        fd.judge("memory_answer", model="m", **options)


def test_caches_of_two_protocols_are_apart(server: ProviderServer, tmp_path: Path):
    server.script = deciding(decide)
    for api in ("systemone", "gemini", "systemone"):
        judged(server, "memory_answer", api, cache=tmp_path / "cache.sqlite")
    assert len(server.seen) == 2


def test_tokens_and_a_limit_of_cost_are_those_of_chat(server: ProviderServer):
    server.script = deciding(decide, input_tokens=1_000_000, output_tokens=10)
    prices = ["jev-1.13.0=0.042/0"]
    judge = fd.judge(
        "memory_answer", model="jev-1.13.0", base_url=server.base_url, api="systemone", api_key="k",
        cache=False, prices=prices, max_cost=0.05,
    )  # fmt: skip
    first, second, third = (asked(judge, make_case(), make_output()) for _ in range(3))
    assert first.usage is not None
    assert (first.usage.prompt_tokens, first.usage.completion_tokens) == (1_000_000, 10)
    assert (second.outcome, third.outcome) == ("graded", "failed")
    assert "the budget of" in str(third.reason)
