"""`fd.jury`: judges that ask others, called like any judge."""

from __future__ import annotations

import asyncio
import pickle
from pathlib import Path
from typing import Any

import pytest
from judge_items import make_case, make_output
from provider_server import Body, ProviderServer, Seen, Status, in_the_form_asked_for

import fiducial as fd
from fiducial.errors import UsageError

pytestmark = pytest.mark.usefixtures("bare_environment")

CASE = make_case(0, kind="open_answer", reference={"criterion": "The answer names a city."})
OUTPUT = make_output(0, text="Rome")


@pytest.fixture
def at(server: ProviderServer) -> dict[str, Any]:
    server.script = in_the_form_asked_for(lambda seen: {"good": 1, "bad": 0}.get(seen.body["model"], 1))
    return {"base_url": server.base_url, "api_key": "k", "cache": False}


def asked(server: ProviderServer) -> list[str]:
    return [str(seen.body["model"]) for seen in server.seen]


def test_a_jury_counts_what_its_members_say(at: dict[str, Any]):
    jury = fd.jury(["rubric/direct@good", "rubric/direct@bad", "rubric/reasons@good"], **at)
    verdict = jury(CASE, OUTPUT)
    assert (verdict.outcome, verdict.score) == ("graded", 1.0)
    assert verdict.by == "jury/majority@rubric/direct@good+rubric/direct@bad+rubric/reasons@good"
    assert [said["score"] for said in verdict.evidence["opinions"]] == [1.0, 0.0, 1.0]
    assert (
        fd.jury(["rubric/direct@good", "rubric/direct@bad"], "mean", weights=[3, 1], **at)(CASE, OUTPUT).score
        == 0.75
    )


def test_members_are_reached_where_each_was_made(at: dict[str, Any], server: ProviderServer):
    with ProviderServer(in_the_form_asked_for(lambda _: 0)) as elsewhere:
        there: dict[str, Any] = at | {"base_url": elsewhere.base_url}
        other = fd.judge("rubric/direct", model="other", **there)
        jury = fd.jury([fd.judge("rubric/direct", model="good", **at), other], "mean")
        assert jury(CASE, OUTPUT).score == 0.5
        assert (asked(server), asked(elsewhere)) == (["good"], ["other"])
        jury.close()


def test_a_dear_judge_is_asked_where_the_cheap_one_fails_what_it_sees(
    at: dict[str, Any], server: ProviderServer
):
    doubtful = fd.jury(["rubric/direct@bad", "rubric/direct@good"], "escalate", unsure=(0, 0.5), **at)
    assert doubtful(CASE, OUTPUT).score == 1.0
    sure = fd.jury(["rubric/direct@good", "rubric/direct@bad"], "escalate", unsure=(0, 0.5), **at)
    assert sure(CASE, OUTPUT).score == 1.0
    assert asked(server) == ["bad", "good", "good"]


def test_one_judge_that_is_asked_often_is_a_jury(at: dict[str, Any], server: ProviderServer):
    jury = fd.jury(["rubric/direct@good"], repeats=3, **at)

    async def judged() -> list[fd.Verdict]:
        pairs = [
            (make_case(number, kind="open_answer", reference=CASE.reference), make_output(number))
            for number in range(2)
        ]
        return [verdict async for verdict in jury.many(pairs)]

    assert [len(verdict.evidence["opinions"]) for verdict in asyncio.run(judged())] == [3, 3]
    assert len(server.seen) == 6


def test_a_member_that_fails_fails_the_jury_with_the_reason(at: dict[str, Any], server: ProviderServer):
    answer = server.script
    server.script = lambda seen: Status(400) if seen.body["model"] == "bad" else answer(seen)
    verdict = fd.jury(["rubric/direct@good", "rubric/direct@bad"], attempts=1, **at)(CASE, OUTPUT)
    assert (verdict.outcome, verdict.score) == ("failed", None)
    assert verdict.reason == "1 of 2 calls failed"


def test_a_run_asks_a_jury_like_any_judge_and_keeps_what_its_members_said(at: dict[str, Any], tmp_path: Path):
    jury = fd.jury(["rubric/direct@good", "rubric/direct@bad", "rubric/reasons@good"], **at)
    run = fd.evaluate([CASE], [OUTPUT], judges=[jury], out=tmp_path / "run")
    said = {verdict.by: verdict.score for verdict in run.verdicts if verdict.source == "judge"}
    assert said == {
        jury.by: 1.0,
        "rubric/direct@good": 1.0,
        "rubric/direct@bad": 0.0,
        "rubric/reasons@good": 1.0,
    }


def test_a_jury_goes_to_another_process(at: dict[str, Any]):
    jury = pickle.loads(pickle.dumps(fd.jury(["rubric/direct@good", "rubric/direct@bad"], "mean", **at)))
    assert jury(CASE, OUTPUT).score == 0.5


def test_what_is_no_jury_is_refused(at: dict[str, Any]):
    with pytest.raises(UsageError, match="needs two judges, or"):
        fd.jury(["rubric/direct@good"], **at)
    with pytest.raises(UsageError, match="takes two judges"):
        fd.jury(["rubric/direct@a", "rubric/direct@b", "rubric/direct@c"], "escalate", **at)
    with pytest.raises(UsageError, match="rule= expects majority, mean or escalate, got 'median'"):
        fd.jury(["rubric/direct@a", "rubric/direct@b"], "median", **at)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("unsure", [(0.8, 0.2), (0.2,), (2, 3), ("a", "b"), (0.2, float("nan"))])
def test_a_range_that_holds_no_score_is_refused(unsure: Any, at: dict[str, Any]):
    with pytest.raises(UsageError, match="unsure= expects"):
        fd.jury(["rubric/direct@a", "rubric/direct@b"], "escalate", unsure=unsure, **at)


def test_members_whose_models_refuse_a_parameter_are_asked_without_it(server: ProviderServer):
    answer = in_the_form_asked_for(lambda _: 1)
    refusal = b'{"error": {"message": "Unsupported parameter: \'temperature\'", "param": "temperature", "code": "unsupported_parameter"}}'

    def without_temperature(seen: Seen) -> Any:
        return Body(refusal, 400) if "temperature" in seen.body else answer(seen)

    server.script = without_temperature
    at: dict[str, Any] = {"base_url": server.base_url, "api_key": "k", "cache": False}
    jury = fd.jury([fd.judge("rubric/direct", model=model, **at) for model in ("one", "two")], "mean")
    with pytest.warns(RuntimeWarning, match="temperature"):
        assert jury(CASE, OUTPUT).score == 1.0
    jury.close()
