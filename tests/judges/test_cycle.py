"""Judging as a stream."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from judge_items import Judging, VerdictOn, make_case, make_output, make_pairs
from provider_server import Answer, Body, ProviderServer, Response, Seen, Status

from fiducial.errors import PromptError, UsageError
from fiducial.judges import Endpoint, connect, judge_work, load_judge, read_again
from fiducial.judges.transport import Request
from fiducial.records import Case, Output, encode_record


def test_each_output_and_repetition_gets_one_verdict(server: ProviderServer, judging: Judging) -> None:
    server.script = lambda seen: Answer(f"<S1>why</S1><S2>{int('(#1)' in seen.text)}</S2>")
    verdicts = judging(make_pairs(3), repeats=2)
    assert [(verdict.case_id, verdict.repeat, verdict.score) for verdict in verdicts] == [
        ("case-0", 0, 0.0),
        ("case-0", 1, 0.0),
        ("case-1", 0, 1.0),
        ("case-1", 1, 1.0),
        ("case-2", 0, 0.0),
        ("case-2", 1, 0.0),
    ]
    verdict = verdicts[0]
    assert (verdict.by, verdict.source) == ("tool_call_accuracy/reasons@judge", "judge")
    assert (verdict.reason, verdict.raw) == ("why", "<S1>why</S1><S2>0</S2>")
    assert verdict.usage is not None
    assert (verdict.usage.calls, verdict.usage.prompt_tokens, verdict.usage.completion_tokens) == (1, 100, 10)


def test_a_model_that_another_answered_for_is_named(verdict_on: VerdictOn) -> None:
    verdict = verdict_on(Answer("<S2>1</S2>", model="judge-2026-01-01"))
    assert verdict.evidence == {"served_by": "judge-2026-01-01"}


def test_outputs_are_taken_only_as_fast_as_they_are_judged(server: ProviderServer) -> None:
    taken = 0

    def pairs() -> Iterator[tuple[Case, Output]]:
        nonlocal taken
        for pair in make_pairs(500):
            taken += 1
            yield pair

    async def run() -> int:
        judge = load_judge("tool_call_accuracy", model="judge")
        async with connect(Endpoint(server.base_url, "k"), concurrency=4) as provider:
            stream = judge_work(((*pair, 0) for pair in pairs()), judge, provider, concurrency=4)
            async for _ in stream:
                await asyncio.sleep(0.2)
                break
        return taken

    assert asyncio.run(run()) <= 40


def test_a_prompt_that_cannot_be_rendered_ends_the_run(judging: Judging, tmp_path: Path) -> None:
    path = tmp_path / "p.prompty"
    path.write_text("---\nscale: {minimum: 0, maximum: 1, step: 1}\n---\nuser:\n{{ 1 / 0 }}\n")
    with pytest.raises(PromptError, match="cannot be rendered"):
        judging(make_pairs(3), spec=str(path))


def test_a_failure_in_the_callers_own_data_is_the_callers(judging: Judging) -> None:
    def pairs() -> Iterator[tuple[Case, Output]]:
        yield make_case(), make_output()
        raise OSError("disk")

    with pytest.raises(OSError, match="disk"):
        judging(pairs())


def test_verdicts_of_slow_and_fast_items_do_not_mix(server: ProviderServer, judging: Judging) -> None:
    def script(seen: Seen) -> Response:
        number = int(seen.text.split("(#")[1].split(")")[0])
        return Answer(f"<S2>{number % 2}</S2>", delay=0.02 * (number % 3))

    server.script = script
    verdicts = judging(make_pairs(40))
    assert len(verdicts) == 40
    for verdict in verdicts:
        assert verdict.score == int(verdict.case_id.removeprefix("case-")) % 2


@pytest.mark.parametrize("spec", ["", "nothing", "tool_call_accuracy/nothing", "tool_call_accuracy/"])
def test_a_judge_that_there_is_not_is_refused(spec: str) -> None:
    with pytest.raises(UsageError, match="no judge"):
        load_judge(spec, model="m")


def test_a_judge_without_a_model_is_refused() -> None:
    with pytest.raises(UsageError, match="model="):
        load_judge("tool_call_accuracy", model="")


def test_parameters_can_be_replaced_and_left_out(server: ProviderServer, judging: Judging) -> None:
    judging(make_pairs(1), parameters={"temperature": None, "max_completion_tokens": 500})
    assert "temperature" not in server.seen[0].body
    assert server.seen[0].body["max_completion_tokens"] == 500


def test_what_is_answered_without_a_call_imports_no_openai() -> None:
    script = (
        "import sys, fiducial.judges as judges\n"
        "judges.load_judge('tool_call_accuracy', model='m'); judges.judge_work; judges.connect; judges.replay\n"
        "heavy = {'openai', 'pandas', 'scipy', 'promptflow', 'aiohttp'} & set(sys.modules)\n"
        "print(sorted(heavy))\n"
    )
    found = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert found.stdout == "[]\n"


@pytest.mark.parametrize(
    ("ended", "outcome"),
    [
        ("stop", "graded"),
        ("end_turn", "graded"),
        ("length", "unparsable"),
        ("max_tokens", "unparsable"),
        ("MAX_TOKENS", "unparsable"),
        ("content_filter", "refused"),
        ("SAFETY", "refused"),
        ("refusal", "refused"),
    ],
)
def test_why_a_reply_ended_decides_before_what_it_says(
    verdict_on: VerdictOn, ended: str, outcome: str
) -> None:
    verdict = verdict_on(Answer("<S2>1</S2>", finish_reason=ended))
    again = read_again(verdict, load_judge("tool_call_accuracy", model="judge"))
    assert (verdict.outcome, again.outcome, again.score) == (outcome, outcome, verdict.score)


@pytest.mark.parametrize(
    ("first", "then", "outcome"),
    [
        (Status(400), None, "failed"),
        (Status(500), None, "failed"),
        (Body(b"<html>"), None, "failed"),
        (Answer("<S2>1</S2>", delay=2.0), None, "failed"),
        (Status(500), Answer("<S2>1</S2>"), "graded"),
    ],
    ids=["refused", "down", "no JSON", "too slow", "down once"],
)
def test_a_failure_leaves_no_request_behind_for_a_search_for_garbage(
    server: ProviderServer, judging: Judging, first: Response, then: Response | None, outcome: str
) -> None:
    server.script = replies(first, then or first)
    with no_garbage_looked_for():
        before = requests_in_memory()
        verdicts = judging(make_pairs(12), attempts=2, timeout=60.0 if then else 0.2)
        assert {verdict.outcome for verdict in verdicts} == {outcome}
        assert requests_in_memory() == before


@contextmanager
def no_garbage_looked_for() -> Generator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def requests_in_memory() -> int:
    return sum(type(found) is Request for found in gc.get_objects())


def replies(first: Response, second: Response) -> Callable[[Seen], Response]:
    return lambda seen: first if seen.attempt == 1 else second


def test_the_reply_that_could_not_be_read_is_kept_beside_the_one_that_could(
    server: ProviderServer, judging: Judging
) -> None:
    server.script = replies(Answer("Score: 1"), Answer("<S2>0</S2>"))
    (verdict,) = judging(make_pairs(1))
    assert (verdict.score, verdict.raw, verdict.evidence) == (
        0.0,
        "<S2>0</S2>",
        {"unread": [{"text": "Score: 1"}]},
    )
    assert read_again(verdict, load_judge("tool_call_accuracy", model="judge")) == verdict


LAST = """---
name: last
inputs:
  query: {type: string, kind: string}
scale: {minimum: 0, maximum: 1, step: 1}
parse: {mode: number, pick: last}
---
user:
{{query}}
"""


@pytest.mark.parametrize(
    ("came", "then"),
    [
        ((Answer("Score: 1"), Answer("hm")), ("graded", 1.0)),
        ((Answer("hm"), Answer("Score: 1")), ("graded", 1.0)),
        ((Answer("Score: 1", finish_reason="length"), Answer("Score: 0")), ("graded", 0.0)),
        ((Answer("Score: 1"), Answer(None)), ("graded", 1.0)),
        ((Answer("hm"), Answer("hm")), ("unparsable", None)),
        ((Answer(None), Answer("I can't help with that.")), ("refused", None)),
    ],
)
def test_a_newer_parser_reads_replies_in_the_order_in_which_they_came(
    server: ProviderServer,
    judging: Judging,
    tmp_path: Path,
    came: tuple[Answer, Answer],
    then: tuple[str, float | None],
) -> None:
    server.script = replies(*came)
    prompt = tmp_path / "last.prompty"
    prompt.write_text(LAST.replace("last}", "alone}"))
    (verdict,) = judging(make_pairs(1), spec=str(prompt))
    assert not verdict.graded
    prompt.write_text(LAST)
    again = read_again(verdict, load_judge(str(prompt), model="judge"))
    assert (again.outcome, again.score) == then


@pytest.mark.attack("replies of systems")
def test_of_a_reply_without_end_a_verdict_keeps_the_beginning_and_says_so(verdict_on: VerdictOn) -> None:
    verdict = verdict_on(Answer("x" * 3_000_000))
    assert verdict.outcome == "unparsable"
    assert verdict.raw is not None
    assert len(encode_record(verdict)) < 3_000_000
    assert verdict.raw.endswith("\n[cut: 2,000,000 of 3,000,000 characters]")
