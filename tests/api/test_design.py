"""The lines that the design promises, as they stand there."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from provider_server import ProviderServer, in_the_form_asked_for

import fiducial as fd
from fiducial.data import demo_path

MODEL = "gpt-4.1-mini"
NAME = f"groundedness/reasons@{MODEL}"


@pytest.fixture
def endpoint(
    bare_environment: None, server: ProviderServer, monkeypatch: pytest.MonkeyPatch
) -> ProviderServer:
    """A model behind the usual variables, and a working folder with nothing in it."""
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    server.script = in_the_form_asked_for()
    return server


@pytest.fixture
def cases() -> list[fd.Case]:
    """Ten of the suite's answers that should rest on search results, and ten tool calls."""
    suite = [*fd.read_records(demo_path("cases.jsonl"), fd.Case)]
    return [
        case
        for kind in ("grounded_answer", "tool_call")
        for case in [each for each in suite if each.kind == kind][:10]
    ]


@pytest.fixture
def outputs(cases: list[fd.Case]) -> list[fd.Output]:
    """Return the outputs of three systems for the cases."""
    known = {case.id for case in cases}
    return [
        record for record in fd.read_records(demo_path("outputs.jsonl"), fd.Output) if record.case_id in known
    ]


@pytest.mark.usefixtures("endpoint")
def test_the_fifteen_lines(cases: list[fd.Case], outputs: list[fd.Output], tmp_path: Path):
    grounded = next(case for case in cases if case.kind == "grounded_answer")
    answer = next(output for output in outputs if output.case_id == grounded.id)
    verdict = fd.check(grounded, answer)
    assert verdict.outcome == "undecided"

    judge = fd.judge("groundedness", model=MODEL)
    assert judge(grounded, answer).by == NAME
    assert judge(response=answer.text, search_results="Index: result-1\nResponse: Rome.").source == "judge"

    async def both() -> tuple[fd.Verdict, list[fd.Verdict]]:
        one = await judge.one(grounded, answer)
        return one, [each async for each in judge.many([(grounded, answer)])]

    one, many = asyncio.run(both())
    assert (one.score, len(many)) == (many[0].score, 1)

    known = {case.id for case in cases}
    trusted = fd.read_records(demo_path("labels.jsonl"), fd.Verdict)
    labels = [label for label in trusted if label.case_id in known]
    run = fd.evaluate(cases, outputs, judges=[judge], labels=labels, out=None)
    name = next(iter(run.systems))
    assert run.systems[name].decided.n > 0
    assert run.systems[name].open[NAME].value is not None
    assert run.calibration[NAME].cohen_kappa.n > 0
    assert len(run.verdicts) == len(run.to_frame())
    assert run.report("report.html") == Path("report.html")
    assert fd.calibrate(run)[NAME].accuracy.n == run.calibration[NAME].accuracy.n
    assert fd.compare(run, by="system").pairs is not None
    assert fd.audit(fd.mutate(cases, outputs), judge, sample=2).judges
    fd.evaluate(cases, outputs, out="run")
    assert fd.load_run("run").systems[name].decided.value == run.systems[name].decided.value
    assert {path.name for path in tmp_path.iterdir()} <= {"cache", "report.html", "run"}


def test_a_kind_of_ones_own_and_an_agent():
    @fd.checker("sum-of-two")
    def same_sum(case: fd.Case, output: fd.Output) -> bool:
        return output.text == str(sum(case.reference["numbers"]))

    cases: list[dict[str, Any]] = [
        {"id": str(n), "kind": "sum-of-two", "reference": {"numbers": [n, n]}} for n in range(30)
    ]
    outputs = fd.generate(cases, lambda case: str(sum(case.reference["numbers"])), system="me")
    run = fd.evaluate(cases, outputs)
    fd.assert_rate(run.systems["me"].decided, at_least=0.8)
    with pytest.raises(AssertionError):
        fd.assert_rate(
            fd.evaluate(cases, fd.generate(cases, lambda _: "0", system="me")).systems["me"].decided
        )
