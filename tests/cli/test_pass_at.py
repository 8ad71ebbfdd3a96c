"""Pass thresholds belong to the judge: declared, given, kept in the run, and printed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from command import Result, fiducial, typed, verdicts_in
from provider_server import Answer, ProviderServer, Seen

from fiducial.records import Case, ContextItem, Output, Verdict, write_records

pytestmark = pytest.mark.usefixtures("few_draws")

Run = Callable[..., Result]

DATA = Path(__file__).parents[2] / "data"
JUDGES = ("groundedness/direct", "mine.prompty")

MINE = """---
name: Mine
model: {api: chat, parameters: {temperature: 0.0}}
inputs:
  response: {type: string, kind: string}
template: {format: {kind: jinja2}, parser: {kind: prompty}}
scale: {minimum: 0, maximum: 1}
pass_at: 0.75
---
user:
{{response}}
"""


def share(number: int) -> float:
    """Of the answer with this number, which share is supported, by every judge and by the label."""
    return (1.0, 0.6, 0.0)[number % 3]


def said(seen: Seen) -> Answer:
    (number,) = re.findall(r"Answer (\d+)\.", seen.messages[-1]["content"])
    return Answer(str(share(int(number))))


def answers() -> None:
    """Write twelve cases with an answer and a label each, and a judge of one's own."""
    ids = [f"case-{number}" for number in range(12)]
    context = [ContextItem(id="1", request="?", content="facts")]
    asked: Any = [{"role": "user", "content": "?"}]
    write_records(
        Path("cases.jsonl"),
        (Case(id=id_, kind="grounded_answer", messages=asked, reference={}, context=context) for id_ in ids),
    )
    write_records(
        Path("outputs.jsonl"),
        (Output(case_id=each, system="agent", text=f"Answer {number}.") for number, each in enumerate(ids)),
    )
    write_records(
        Path("labels.jsonl"),
        (
            Verdict(
                case_id=each,
                system="agent",
                by="ana",
                source="human",
                outcome="graded",
                score=float(share(number) == 1),
            )
            for number, each in enumerate(ids)
        ),
    )
    Path("mine.prompty").write_text(MINE)


def judged_at(address: str, *options: str, judges: tuple[str, ...] = JUDGES) -> Result:
    asked = ("--judge", *judges, "--model", "m", "--base-url", address)
    inputs = ("cases.jsonl", "--outputs", "outputs.jsonl", "--labels", "labels.jsonl")
    return fiducial("judge", "-v", *inputs, *asked, *options, "--out", "run")


@pytest.fixture
def judge(server: ProviderServer) -> Run:
    """`fiducial judge` on twelve answers with labels, by judges who say what the labels say."""
    server.script = said
    answers()
    return partial(judged_at, server.base_url)


@dataclass(frozen=True)
class Judged:
    """A folder in which `fiducial judge` was typed, and what that printed."""

    folder: Path
    result: Result


@pytest.fixture(scope="module")
def judged_once(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """Both judges asked, without an option."""
    folder = tmp_path_factory.mktemp("judged")
    with ProviderServer() as server, pytest.MonkeyPatch.context() as patched:
        server.script = said
        patched.chdir(folder)
        answers()
        return Judged(folder, judged_at(server.base_url))


@pytest.fixture
def judged(judged_once: Judged, monkeypatch: pytest.MonkeyPatch) -> Result:
    """Work in the folder of that run, which nobody changes; return what it printed."""
    monkeypatch.chdir(judged_once.folder)
    return judged_once.result


def thresholds() -> dict[str, dict[str, Any]]:
    roster = json.loads(Path("run/run.json").read_text())["roster"]
    return {judge["by"]: judge.get("cut", {}) for judge in roster}


def at() -> tuple[float, float, int]:
    """Return at which score an answer passes by either judge, and what the first passes wrongly."""
    found = panels()
    first = found["groundedness/direct@m"]
    return first["pass_at"], found["mine/custom@m"]["pass_at"], first["fp"]


def panels(*options: str) -> dict[str, dict[str, Any]]:
    result = fiducial("calibrate", "run", "--json", *options)
    assert result.code == 0, result.err
    return json.loads(result.out)["judges"]


def panel(judge: str, *options: str) -> dict[str, Any]:
    return panels(*options)[judge]


def test_a_run_holds_each_judge_to_the_threshold_it_declares_and_says_it(judged: Result):
    assert judged.code == 0, judged.err
    assert "groundedness/direct@m: n 12; tp 4, fp 0, fn 0, tn 8; threshold 1 (its own)" in judged.out
    assert "mine/custom@m: n 12; tp 4, fp 0, fn 0, tn 8; threshold 0.75 (its own)" in judged.out
    report = Path("run/report.html").read_text()
    assert "groundedness/direct@m from 1 on; mine/custom@m from 0.75 on" in report
    assert "threshold 0.75" in report


def test_tables_of_the_run_know_the_threshold_of_who_judged(judged: Result):
    assert judged.code == 0, judged.err
    assert thresholds()["groundedness/direct@m"] == {"at": 1.0, "source": "declared"}
    found = panel("groundedness/direct@m")
    assert (found["pass_at"], found["pass_at_source"], found["fp"]) == (1.0, "declared", 0)
    assert panel("groundedness/direct@m", "--pass-at", "0.5")["fp"] == 4
    assert panel("groundedness/direct@m", "--pass-at", "mine=0.5")["fp"] == 0
    compared = fiducial("compare", "run")
    assert "groundedness/direct@m at 1 (its own); mine/custom@m at 0.75 (its own)" in " ".join(
        compared.out.split()
    )
    for given, mean in (((), 1.6 / 3), (("--pass-at", "0.5"), 2 / 3), (("--pass-at", "mine=0.75"), 1 / 3)):
        estimated = fiducial("estimate", "run", "--judge", "mine/custom@m", *given, "--json", "-")
        assert estimated.code == 0, estimated.err
        assert json.loads(estimated.out)["all"]["judge_mean"] == pytest.approx(mean)


def test_a_threshold_that_was_told_is_kept_with_the_run_and_held_to_until_another_is_told(
    judge: Run, server: ProviderServer
):
    first = judge("--pass-at", "groundedness=0.5")
    assert first.code == 0, first.err
    assert "(as told)" not in first.out  # one half is what nobody has to be told
    asked = len(server.seen)
    assert at() == (0.5, 0.75, 4)
    judge()
    assert at() == (1.0, 0.75, 0)
    judge("--pass-at", "mine.prompty=0.5", judges=("mine.prompty",))
    assert (at(), len(server.seen)) == ((1.0, 0.5, 0), asked)


@pytest.mark.parametrize(
    "told", ["groundednes=1", "rubric=1", "groundedness=2", "groundedness=0", "=1", "groundedness"]
)
def test_a_threshold_for_nobody_or_of_nothing_is_refused_before_anything_is_done(judge: Run, told: str):
    result = judge("--pass-at", told)
    assert (result.code, Path("run").exists()) == (2, False)
    assert "--pass-at" in result.err


def test_a_jury_counts_each_opinion_by_the_threshold_of_who_gave_it(judge: Run):
    result = judge("--jury", "majority", "--weights", "1,2", "--pass-at", "mine=0.5")
    assert result.code == 0, result.err
    rows = verdicts_in("run")
    together = {row.case_id: row.score for row in rows if row.judge is not None and row.judge.kind == "jury"}
    assert [together[f"case-{number}"] for number in range(3)] == [1.0, 1.0, 0.0]


def test_a_mean_of_judges_with_one_threshold_has_that_threshold(judge: Run):
    result = judge(
        "--jury", "mean", "--pass-at", "0.8", judges=("groundedness/direct", "groundedness/direct@n")
    )
    assert result.code == 0, result.err
    (jury,) = (name for name in thresholds() if name.startswith("jury/"))
    assert thresholds()[jury]["at"] == 0.8


def test_an_answer_judged_by_its_statements_has_the_threshold_of_who_judged_them(judge: Run):
    result = judge("--split-statements", judges=("groundedness/direct",))
    assert result.code == 0, result.err
    assert {threshold.get("at") for name, threshold in thresholds().items() if "split" not in name} == {1.0}


def test_a_certificate_is_for_the_judges_own_threshold(judged: Result, tmp_path: Path):
    assert judged.code == 0, judged.err
    written = tmp_path / "certificate.json"
    claim = typed(by="groundedness/direct@m", claim="true_negative_rate=0.1", out=written)
    own = fiducial("audit", "certify", "run", *claim)
    assert own.code == 0, own.err
    assert json.loads(written.read_text())["pass_at"] == 1.0
    assert "; threshold 1" in " ".join(own.out.split())
    fiducial("audit", "certify", "run", *claim, "--pass-at", "0.5")
    assert json.loads(written.read_text())["pass_at"] == 0.5


def test_an_audit_holds_each_judge_to_its_threshold(server: ProviderServer, judge: Run):
    del judge
    server.script = lambda seen: Answer("0.9")
    few = [line for line in (DATA / "cases.jsonl").read_text().splitlines() if '"grounded_answer"' in line]
    Path("few.jsonl").write_text("\n".join(few[:6]) + "\n")
    made = fiducial("audit", "mutate", "few.jsonl", out="probes")
    assert made.code == 0, made.err
    asked = ("--judge", "groundedness/direct", "--model", "m", "--base-url", server.base_url, "--sample", "2")
    caught: dict[float, set[float]] = {}
    for folder, options in (("own", ()), ("half", ("--pass-at", "groundedness=0.5"))):
        result = fiducial("audit", "run", "probes", *asked, *options, "--out", folder, "--json", "-")
        assert result.code == 0, result.err
        (audit, *_) = json.loads(result.out)["judges"]
        caught[audit["pass_at"]] = {
            each["rate"]["value"] for each in audit["operators"] if each["plants"] == "fault"
        }
    assert caught == {1.0: {1.0}, 0.5: {0.0}}


GRADED = (
    "groundedness/direct",
    "groundedness/reasons",
    "groundedness/decomposed",
    "rubric/decomposed",
    "rubric/percentage",
    "rubric/scale",
)
"""Shipped prompts that grade, and have recorded replies."""


@pytest.mark.reference
def test_the_thresholds_of_shipped_prompts_tell_right_from_wrong_where_one_half_does_not(reference: Path):
    result = fiducial(
        *("judge", DATA / "cases.jsonl", "--judge", *GRADED),
        *typed(model="claude", replay=reference / "recorded/suite.jsonl", labels=DATA / "labels.jsonl"),
        *typed(outputs=DATA / "outputs.jsonl", out="run"),
    )
    assert result.code in {0, 3}, result.err  # the suite may have been mended since
    found, at_half = panels(), panels("--pass-at", "0.5")
    for name in GRADED:
        own, half = found[f"{name}@claude"], at_half[f"{name}@claude"]
        rates = [own["statistics"][rate]["value"] for rate in ("true_positive_rate", "true_negative_rate")]
        assert (own["n"] >= 40, own["pass_at"], min(rates) >= 0.95) == (True, 1.0, True), (name, rates)
        if name.startswith(
            "rubric"
        ):  # labels 1 and 0; a share that is the label's falls on its side of any threshold
            assert half["fp"] >= 5


@pytest.mark.reference
@pytest.mark.parametrize(("judge", "least"), [("groundedness/direct", 0.70), ("groundedness/reasons", 0.72)])
def test_summaries_that_people_labelled_are_told_apart_at_1_and_not_at_one_half(
    reference: Path, judge: str, least: float
):
    table = reference / "recorded/summaries.jsonl"

    def balanced(threshold: str) -> float:
        result = fiducial("calibrate", table, "--pass-at", threshold, "--json", "-")
        return json.loads(result.out)["judges"][f"{judge}@claude"]["statistics"]["balanced_accuracy"]["value"]

    assert balanced("groundedness=1") >= least
    assert balanced("0.5") == pytest.approx(0.5)


def test_the_threshold_of_scores_that_are_fractions_is_said():
    rows = [f"{n},{n % 5 + 1},{int(n % 5 > 2)}" for n in range(20)]
    Path("scores.csv").write_text("\n".join(["id,gpt_score,human_label", *rows]))
    scaled = ("calibrate", "scores.csv", "--score-scale", "1:5")
    assert "gpt_score: scores from 0.5 pass (--pass-at).\n" in fiducial(*scaled).out
    assert "gpt_score: scores from 0.75 pass (--pass-at).\n" in fiducial(*scaled, "--pass-at", "0.75").out
    assert "; threshold 0.5 (default)\n" in fiducial(*scaled, "-v").out
    refused = fiducial(*scaled, "--pass-at", "4")
    assert refused.code == 2
    assert "'--pass-at': 4 is not in (0, 1]; on a scale it is (score - worst) / (best - worst), so 4 of 1:5 is 0.75." in refused.err  # fmt: skip
