"""`fd.judge`: judges as callables, in scripts, notebooks, threads and coroutines."""

from __future__ import annotations

import asyncio
import pickle
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from command import fiducial
from judge_items import HOTEL, make_case, make_output
from provider_server import Answer, ProviderServer, Status, in_the_form_asked_for

import fiducial as fd
from fiducial.api.callable_judge import CallableJudge
from fiducial.calibration.pass_threshold import PassThreshold
from fiducial.errors import ConfigurationError, PromptError, RecordError, UsageError
from fiducial.evaluation.store.run_store import RunStore
from fiducial.records import encode_record

pytestmark = pytest.mark.usefixtures("bare_environment")

Make = Callable[..., CallableJudge]

_REFERENCES: dict[str, dict[str, Any]] = {
    "tool_call": {"calls": [{"book_hotel": {"city": ["Rome"], "nights": [2]}}]},
    "memory_answer": {"answers": ["Rome", "Roma"]},
    "open_answer": {"criterion": "The answer names a city."},
}


def case_of(number: int = 0, kind: str = "tool_call", **fields: Any) -> fd.Case:
    settings: dict[str, Any] = {"kind": kind, "reference": _REFERENCES.get(kind, {})}
    return make_case(number, **settings | fields)


def pairs_of(count: int) -> list[tuple[fd.Case, fd.Output]]:
    return [(case_of(number), make_output(number)) for number in range(count)]


GROUNDED = case_of(kind="grounded_answer", messages=[{"role": "user", "content": "Which city?"}])


@pytest.fixture
def make(server: ProviderServer) -> Iterator[Make]:
    """Makes judges at the loopback server, without a cache unless one is asked for."""
    made: list[CallableJudge] = []

    def judge(prompt: Any = "tool_call_accuracy/direct", **settings: Any) -> CallableJudge:
        options: dict[str, Any] = {"model": "m", "base_url": server.base_url, "api_key": "secret-key"}
        options |= {"cache": False} | settings
        made.append(fd.judge(prompt, **options))
        return made[-1]

    yield judge
    for ready_judge in made:
        ready_judge.close()


def test_a_case_and_an_output_get_a_verdict(make: Make):
    verdict = make()(case_of(), make_output())
    assert isinstance(verdict, fd.Verdict)
    assert (verdict.case_id, verdict.system, verdict.by) == ("case-0", "agent", "tool_call_accuracy/direct@m")
    assert (verdict.outcome, verdict.score) == ("graded", 1.0)


def test_mappings_are_validated_like_files(make: Make):
    case = {"id": "c", "kind": "open_answer", "reference": {"criterion": "It is short."}}
    judge = make("rubric/direct")
    assert judge(case, {"text": "Yes."}).score == 1.0
    with pytest.raises(RecordError, match="criterion"):
        judge({"id": "c", "kind": "open_answer", "reference": {}}, {"text": "Yes."})
    with pytest.raises(UsageError, match="of case 'd'"):
        judge(case, {"case_id": "d", "text": "Yes."})
    question: Any = {"role": "user", "content": "Which city?"}
    with pytest.raises(RecordError, match="either messages or turns of messages, got both"):
        judge(case_of(messages=[question, [question]]), make_output())


def test_it_works_under_a_running_loop_and_in_many_threads(make: Make, server: ProviderServer):
    judge = make()

    async def in_a_notebook() -> fd.Verdict:
        return judge(case_of(), make_output())

    assert asyncio.run(in_a_notebook()).score == 1.0
    assert asyncio.run(judge.one(case_of(1), make_output(1))).score == 1.0
    with ThreadPoolExecutor(4) as threads:
        verdicts = list(threads.map(judge, *zip(*pairs_of(12), strict=True)))
    assert [verdict.case_id for verdict in verdicts] == [f"case-{number}" for number in range(12)]
    assert len(server.seen) == 14


def test_many_are_judged_side_by_side_as_they_are_taken(make: Make, server: ProviderServer):
    judge = make(concurrency=4)
    taken: list[int] = []

    def pairs() -> Iterator[tuple[fd.Case, fd.Output]]:
        for number, pair in enumerate(pairs_of(100)):
            taken.append(number)
            yield pair

    async def first(count: int) -> list[fd.Verdict]:
        found: list[fd.Verdict] = []
        stream = judge.many(pairs())
        async for verdict in stream:
            found.append(verdict)
            if len(found) == count:
                break
        await stream.aclose()
        return found

    assert len(asyncio.run(first(3))) == 3
    assert len(taken) < 100

    async def everything() -> list[fd.Verdict]:
        return [verdict async for verdict in judge.many(pairs_of(10), repeats=2)]

    found = asyncio.run(everything())
    assert sorted({(verdict.case_id, verdict.repeat) for verdict in found}) == sorted(
        (f"case-{number}", repeat) for number in range(10) for repeat in (0, 1)
    )


@pytest.mark.parametrize("is_prompt", [True, False])
def test_judging_many_can_be_cancelled_and_time_out(is_prompt: bool, make: Make, server: ProviderServer):
    async def never(case: fd.Case, output: fd.Output) -> float:
        del case, output
        await asyncio.sleep(3600)
        return 1.0

    server.script = lambda seen: Answer("1", delay=3600)
    fd.judge_function("never")(never)
    judge = make() if is_prompt else fd.judge("never")

    async def judged() -> list[fd.Verdict]:
        return [verdict async for verdict in judge.many(pairs_of(3))]

    async def cancelled() -> None:
        task = asyncio.create_task(judged())
        await asyncio.sleep(0.1)
        task.cancel()
        await task

    with pytest.raises(TimeoutError):
        asyncio.run(asyncio.wait_for(judged(), 0.1))
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())


@pytest.mark.parametrize("repeats", [0, -2])
def test_many_are_judged_at_least_once(repeats: int, make: Make):
    async def judged() -> None:
        async for _ in make().many(pairs_of(1), repeats=repeats):
            pass

    with pytest.raises(UsageError, match="repeats= expects a whole number of at least 1"):
        asyncio.run(judged())


def test_a_wrong_pair_among_many_is_the_error_that_it_is(make: Make):
    async def judged() -> None:
        async for _ in make().many([(case_of(), {"text": 3})]):
            pass

    with pytest.raises(RecordError, match="text"):
        asyncio.run(judged())


@pytest.mark.parametrize(
    ("spec", "pair", "inputs"),
    [
        (
            "groundedness",
            (GROUNDED, make_output(tool_calls=None)),
            {
                "response": "I booked 2 nights in Rome.",
                "search_results": [{"id": "1", "request": "search(city)", "content": "Rome is a city."}],
                "query": "Which city?",
            },
        ),
        (
            "groundedness/explicit",
            (case_of(kind="grounded_answer", messages=[]), make_output(tool_calls=None)),
            {
                "response": "I booked 2 nights in Rome.",
                "search_results": case_of().context,
            },
        ),
        (
            "tool_call_accuracy",
            (case_of(), make_output(text=None)),
            {
                "messages": [{"role": "user", "content": "Book 2 nights in Rome. (#0)"}],
                "tool_calls": [
                    {"function": {"name": "book_hotel", "arguments": {"city": "Rome", "nights": 2}}}
                ],
                "tool_definitions": [HOTEL["function"]],
            },
        ),
        (
            "tool_call_accuracy",
            (case_of(), make_output(tool_calls=None, text="[book_hotel(city='Rome')]")),
            {
                "query": "Book 2 nights in Rome. (#0)",
                "tool_calls": "[book_hotel(city='Rome')]",
                "tool_definitions": HOTEL,
            },
        ),
        (
            "memory_answer",
            (case_of(kind="memory_answer"), make_output(tool_calls=None, text="Rome")),
            {
                "query": "Book 2 nights in Rome. (#0)",
                "response": "Rome",
                "accepted_answers": ["Rome", "Roma"],
            },
        ),
        (
            "rubric",
            (case_of(kind="open_answer"), make_output(tool_calls=None, text="Rome")),
            {
                "query": "Book 2 nights in Rome. (#0)",
                "response": "Rome",
                "criterion": "The answer names a city.",
            },
        ),
    ],
)
def test_inputs_by_name_ask_what_case_and_output_ask(
    make: Make, server: ProviderServer, spec: str, pair: tuple[Any, Any], inputs: dict[str, Any]
):
    judge = make(spec)
    verdict = judge(**inputs)
    judge(*pair)
    assert (verdict.outcome, verdict.case_id) == ("graded", "call")
    assert server.seen[0].messages == server.seen[1].messages


def test_a_conversation_is_a_transcript_with_results(make: Make, server: ProviderServer):
    conversation: list[dict[str, Any]] = [
        {"role": "user", "content": "Book Rome."},
        {
            "role": "assistant",
            "tool_calls": [{"function": {"name": "book", "arguments": '{"city": "Rome"}'}}],
        },
        {"role": "tool", "content": "booked"},
        {"role": "assistant", "content": "Done."},
    ]
    judge = make("task_completion")
    assert judge(messages=conversation, tool_definitions=[]).score == 1.0
    assert judge(transcript=conversation, tool_definitions=[]).score == 1.0
    assert server.seen[0].messages == server.seen[1].messages
    assert '"arguments": {"city": "Rome"}}, "result": "booked"}' in server.seen[0].text
    judge(transcript="just a text", tool_definitions=[])
    assert "just a text" in server.seen[2].text


@pytest.mark.parametrize(
    ("spec", "inputs", "message"),
    [
        ("groundedness", {"response": "x"}, "groundedness/reasons@m needs search_results; it takes search_results, query, response"),
        ("tool_call_accuracy", {"tool_calls": [], "tool_definitions": []}, "tool_call_accuracy/reasons@m needs query; it takes"),
        ("groundedness", {"response": "x", "search_results": ["y"], "criterion": "z"}, "takes query, response, search_results, not 'criterion'"),
        ("groundedness", {"response": "x", "context": ["y"]}, "takes query, response, search_results; 'context' is search_results here"),
        ("groundedness", {"answer": "x"}, "takes query, response, search_results; 'answer' is response here"),
        ("groundedness", {"response": 3, "search_results": ["y"]}, "response: expected a text, got int"),
        ("groundedness", {"response": "x", "search_results": 3}, "search_results: expected a text or a list, got int"),
        ("rubric/together", {"response": "x", "criteria": "be nice"}, "criteria: expected a list, got str"),
        ("task_completion", {"messages": "x", "tool_definitions": []}, "messages: expected a list, got str"),
        ("groundedness", {}, "with a case and an output, or with inputs by name"),
    ],
)  # fmt: skip
def test_inputs_that_cannot_be_used_are_one_line_before_anything_is_asked(
    make: Make, server: ProviderServer, spec: str, inputs: dict[str, Any], message: str
):
    with pytest.raises(UsageError) as caught:
        make(spec)(**inputs)
    assert message in str(caught.value)
    assert server.seen == []


def test_a_case_without_an_output_is_a_usage_error(make: Make):
    with pytest.raises(UsageError, match="with a case and an output"):
        make()(case_of())


def test_a_prompt_of_ones_own_takes_its_inputs_by_its_names(
    make: Make, server: ProviderServer, tmp_path: Path
):
    path = tmp_path / "mine.prompty"
    path.write_text(
        "---\ninputs:\n  answer: {type: string}\n  tone: {type: string, default: plain}\nmap: {answer: response}\n"
        "scale: {minimum: 0, maximum: 1, step: 1}\n---\nuser:\n{{answer}} {{tone}}\nThe whole reply is one of these two:\n\n0\n\n1\n"
    )
    server.script = lambda seen: Answer("1")
    judge = make(path)
    assert judge(answer="Rome").score == judge(response="Rome", tone="stern").score == 1.0
    assert [seen.text.splitlines()[0] for seen in server.seen] == ["Rome plain", "Rome stern"]
    assert judge.by == "mine/custom@m"


def test_calls_are_executed_in_worlds_of_ones_own(make: Make, server: ProviderServer):
    class Bell:
        def load(self, config: dict[str, Any]) -> None:
            self.tone = config["tone"]

        def ring(self) -> str:
            return f"a {self.tone} sound"

    reference = {"classes": ["Bell"], "initial_config": {"Bell": {"tone": "clear"}}, "calls": [["ring()"]]}
    case = case_of(kind="multi_turn", reference=reference)
    output = make_output(text=None, tool_calls=None, turns=[["[ring()]"]])
    assert make("task_completion", worlds={"Bell": Bell})(case, output).score == 1.0
    assert '"result": "a clear sound"' in server.seen[0].text


def test_replies_are_recorded_and_answer_without_an_endpoint(
    make: Make, server: ProviderServer, tmp_path: Path
):
    first = make(record=tmp_path / "replies.jsonl")(case_of(), make_output())
    replayed = fd.judge("tool_call_accuracy/direct", model="m", replay=tmp_path / "replies.jsonl")
    again = replayed(case_of(), make_output())
    assert (again.score, again.raw) == (first.score, first.raw)
    assert replayed(case_of(2), make_output(2)).outcome == "failed"
    assert len(server.seen) == 1
    with pytest.raises(ConfigurationError, match="there is no recording"):
        fd.judge("groundedness", model="m", replay=tmp_path / "nothing.jsonl")


def test_the_cache_is_shared_by_judges_unless_there_is_none(
    make: Make, server: ProviderServer, tmp_path: Path
):
    for cache in (tmp_path / "c.sqlite", tmp_path / "c.sqlite", True, True, False):
        make(cache=cache)(case_of(), make_output())
    assert len(server.seen) == 3
    assert (tmp_path / "cache" / "fiducial" / "replies.sqlite").exists()


def test_a_failed_call_is_a_verdict_that_says_so(make: Make, server: ProviderServer):
    server.script = lambda seen: Status(400)
    verdict = make()(case_of(), make_output())
    assert (verdict.outcome, verdict.score) == ("failed", None)
    assert "HTTP 400" in (verdict.reason or "")


def test_a_budget_holds_for_the_judge(make: Make):
    judge = make(max_calls=2)
    assert [judge(*pair).outcome for pair in pairs_of(4)] == ["graded", "graded", "failed", "failed"]
    with pytest.raises(ConfigurationError):
        make(model="a model without a price", max_cost=1.0)


def test_the_environment_names_the_endpoint(server: ProviderServer, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "from-the-environment")
    with fd.judge("tool_call_accuracy/direct@m", cache=False) as judge:
        assert judge(case_of(), make_output()).score == 1.0
    assert server.seen[0].headers["authorization"] == "Bearer from-the-environment"


def test_what_is_not_configured_is_said_when_the_judge_is_made():
    with pytest.raises(ConfigurationError, match="no model endpoint is configured"):
        fd.judge("groundedness", model="m")
    with pytest.raises(ConfigurationError, match="no model is named"):
        fd.judge("groundedness", base_url="http://127.0.0.1:1/v1")
    with pytest.raises(UsageError, match="did you mean groundedness"):
        fd.judge("grundedness", model="m", base_url="http://127.0.0.1:1/v1")
    with pytest.raises(UsageError, match="concurrency"):
        fd.judge("groundedness", model="m", base_url="http://127.0.0.1:1/v1", concurrency=0)
    with pytest.raises(PromptError, match="there is no such prompt file"):
        fd.judge("nothing.prompty", model="m", base_url="http://127.0.0.1:1/v1")
    with pytest.raises(UsageError, match="drop base_url and api_key"):
        fd.judge("groundedness", model="m", base_url="http://127.0.0.1:1/v1", connection="mine")


def test_the_baseline_needs_no_endpoint_and_takes_inputs_by_name():
    judge = fd.judge("groundedness", model="baseline")
    assert judge.by == "groundedness/lexical@baseline"
    assert judge(response="Rome is a city.", search_results=["Rome is a big city."]).score == 1.0

    async def everything() -> list[fd.Verdict]:
        return [verdict async for verdict in judge.many([(GROUNDED, make_output())])]

    assert asyncio.run(everything())[0].by == judge.by
    with pytest.raises(UsageError, match="cannot use question"):
        judge(question="What?", response="Rome")


def test_from_which_score_on_a_verdict_passes_is_declared_or_told():
    options: dict[str, Any] = {"model": "m", "base_url": "http://127.0.0.1:9/v1"}
    assert fd.judge("groundedness", **options).pass_at == 1.0
    assert fd.judge("groundedness", model="baseline").pass_at == 0.5
    told = fd.judge("groundedness", **options, pass_at=0.8)
    assert pickle.loads(pickle.dumps(told)).pass_at == told.pass_at == 0.8
    with pytest.raises(UsageError, match="pass_at: a verdict passes at a score above 0"):
        fd.judge("groundedness", **options, pass_at=0)


def test_a_judge_that_is_told_what_passes_is_held_to_it_in_a_run(tmp_path: Path):
    judge = fd.judge("groundedness", model="baseline", pass_at=0.25)
    fd.evaluate([GROUNDED], [make_output()], judges=[judge], out=tmp_path / "run")
    assert [known.threshold for known in RunStore(tmp_path / "run").roster] == [PassThreshold(0.25, "told")]


def test_a_key_is_never_shown_and_a_judge_can_be_sent_to_another_process(make: Make):
    judge = make(parameters={"max_tokens": 5})
    assert repr(judge) == "<judge tool_call_accuracy/direct@m>"
    assert "secret-key" not in repr(vars(judge)["access"])
    again = pickle.loads(pickle.dumps(judge))
    assert again.task.id == judge.task.id
    assert again(case_of(), make_output()).score == 1.0
    again.close()


def test_a_closed_judge_connects_again(make: Make, server: ProviderServer):
    judge = make()
    judge(case_of(), make_output())
    judge.close()
    judge.close()
    assert judge(case_of(1), make_output(1)).score == 1.0
    assert len(server.seen) == 2


def test_waiting_in_the_loop_that_asks_is_refused_instead_of_hanging(make: Make):
    judge = make()

    async def agent(case: fd.Case) -> str:
        return str(judge(case, {"text": "x"}).score)

    with pytest.raises(UsageError, match="await judge"):
        fd.generate([case_of()], agent)

    async def polite(case: fd.Case) -> str:
        return str((await judge.one(case, {"text": "x"})).score)

    assert fd.generate([case_of()], polite)[0].text == "1.0"


def test_nothing_is_left_open_when_a_judge_is_forgotten(make: Make, server: ProviderServer):
    names = {thread.name for thread in threading.enumerate()}
    judge = fd.judge("rubric/direct", model="m", base_url=server.base_url, api_key="k", cache=False)
    judge(case_of(kind="open_answer"), make_output())
    connection = vars(judge)["_connection"]
    del judge
    assert vars(connection)["_open"] is None
    assert {thread.name for thread in threading.enumerate()} <= names | {"fiducial-judges"}


def test_the_request_is_the_one_that_the_command_line_makes(
    make: Make, server: ProviderServer, tmp_path: Path
):
    server.script = in_the_form_asked_for()
    (tmp_path / "cases.jsonl").write_bytes(encode_record(case_of()))
    (tmp_path / "outputs.jsonl").write_bytes(encode_record(make_output()))
    at = ("--model", "m", "--base-url", server.base_url, "--no-cache")
    judged = ("--judge", "tool_call_accuracy/direct", *at, "--out", tmp_path / "run")
    fiducial("judge", tmp_path / "cases.jsonl", "--outputs", tmp_path / "outputs.jsonl", *judged)
    make()(case_of(), make_output())
    assert server.seen[0].body == server.seen[1].body


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ({"prompt": 3}, "prompt= expects a text or a path, got 3"),
        ({"prompt": None}, "prompt= expects a text or a path, got None"),
        ({"model": 3}, "model= expects a text, got 3"),
        ({"base_url": 3}, "base_url= expects a text, got 3"),
        ({"api_key": b"secret-key"}, "api_key= expects a text, got bytes"),
        ({"cache": 3}, "cache= expects a path or True or False, got 3"),
        ({"concurrency": "4"}, "concurrency= expects a whole number, got '4'"),
        ({"timeout": "1"}, "timeout= expects a number, got '1'"),
        ({"pass_at": "0.5"}, "pass_at= expects a number, got '0.5'"),
        ({"parameters": 3}, "parameters= expects a mapping, got 3"),
    ],
)
def test_an_argument_of_a_wrong_type_is_named_when_the_judge_is_made(
    make: Make, argument: dict[str, Any], expected: str
):
    with pytest.raises(UsageError, match=f"^{re.escape(expected)}$"):
        make(**argument)
