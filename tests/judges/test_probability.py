"""The finer score that log-probabilities give."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from each_row import each_row
from judge_items import VerdictOn
from provider_server import Answer, ProviderServer

from fiducial.errors import PromptError
from fiducial.judges import load_judge, read_again
from fiducial.judges.reply_verdicts import probability_of_best
from fiducial.judges.transport import TokenLogprob
from fiducial.records.scale import PASS_OR_FAIL, Scale


def token(text: str, **top: float) -> TokenLogprob:
    return TokenLogprob(token=text, logprob=math.log(top[text]), top={k: math.log(p) for k, p in top.items()})


@each_row(
    ("tokens", "expected"),
    [
        ([token("1", **{"1": 0.8, "0": 0.2})], 0.8),
        ([token("0", **{"0": 0.6, "1": 0.2, "x": 0.2})], 0.25),
        ([token("1", **{"1": 0.5, " 1": 0.25, "0": 0.25})], 0.75),
        ([token("0", **{"0": 0.9, "1": 0.1}), token("1", **{"1": 0.7, "0": 0.3})], 0.7),
        ([token("1", **{"1": 1.0})], 1.0),
        ([token("yes", yes=0.5)], None),
        ([TokenLogprob(token="1", logprob=-0.1)], None),
        ([], None),
    ],
)
def test_the_best_score_is_weighed_against_the_worst(
    tokens: list[TokenLogprob], expected: float | None
) -> None:
    assert probability_of_best(tokens, PASS_OR_FAIL) == (
        expected if expected is None else pytest.approx(expected)
    )


def test_the_best_score_may_be_the_lowest() -> None:
    tokens = [token("1", **{"1": 0.8, "0": 0.2})]
    assert probability_of_best(tokens, Scale(0, 1, 1, "low")) == pytest.approx(0.2)


@pytest.mark.parametrize("scale", [Scale(1, 5, 1), Scale(0, 1, None)])
def test_a_scale_of_more_than_two_scores_has_none(scale: Scale) -> None:
    assert probability_of_best([token("1", **{"1": 0.8, "0": 0.2})], scale) is None


WEIGHED = """---
name: weighed
description: Reads the probability of a 1.
inputs:
  query: {type: string, kind: string}
scale: {minimum: 0, maximum: 1, step: 1}
parse: {mode: logprobs}
---
user:
{{query}}
Reply 0 or 1.
"""


@pytest.fixture
def weighed(tmp_path: Path) -> str:
    """A prompt whose score is a probability."""
    path = tmp_path / "weighed.prompty"
    path.write_text(WEIGHED)
    return str(path)


def a_one(*probabilities: float) -> Answer:
    top = [{"token": token, "logprob": math.log(p)} for token, p in zip("10", probabilities, strict=True)]
    return Answer("1", logprobs={"content": [{**top[0], "top_logprobs": top}]})


def test_a_prompt_may_declare_it_to_be_the_score(
    server: ProviderServer, verdict_on: VerdictOn, weighed: str
) -> None:
    verdict = verdict_on(a_one(0.6, 0.2), spec=weighed)
    assert (server.seen[0].body["logprobs"], server.seen[0].body["top_logprobs"]) == (True, 5)
    assert (verdict.outcome, verdict.score) == ("graded", pytest.approx(0.75))
    assert verdict.evidence == {"said": 1.0, "probability": pytest.approx(0.75)}
    assert read_again(verdict, load_judge(weighed, model="judge")) == verdict


@pytest.mark.parametrize("answer", [Answer("1"), Answer("Certainly: 1")], ids=str)
def test_a_reply_without_it_is_unparsable_there(
    server: ProviderServer, verdict_on: VerdictOn, weighed: str, answer: Answer
) -> None:
    verdict = verdict_on(answer, spec=weighed)
    assert (verdict.outcome, verdict.score, len(server.seen)) == ("unparsable", None, 2)


def test_it_is_refused_on_a_scale_of_more_than_two_scores(weighed: str) -> None:
    path = Path(weighed)
    path.write_text(path.read_text().replace("minimum: 0, maximum: 1,", "minimum: 1, maximum: 5,"))
    with pytest.raises(PromptError, match="needs a scale of two scores"):
        load_judge(weighed, model="m")


def test_it_is_kept_beside_the_score_when_the_reply_has_it(
    server: ProviderServer, verdict_on: VerdictOn
) -> None:
    asked = {"logprobs": True, "top_logprobs": 5}
    verdict = verdict_on(a_one(0.9, 0.1), spec="tool_call_accuracy/direct", parameters=asked)
    assert server.seen[0].body["logprobs"] is True
    assert verdict.score == 1.0
    assert verdict.evidence["probability"] == pytest.approx(0.9)
