"""Rubrics of many criteria, asked about one by one and all at once."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from command import Result, fiducial, verdicts_in
from provider_server import Answer, Body, ProviderServer, Response, Seen, Status

from fiducial.records import Case, Output, Verdict, write_records

CRITERIA = [
    {"text": "Names a dose.", "points": 5, "tags": ["axis:accuracy"]},
    {"text": "Tells to see a doctor.", "points": 3, "tags": ["axis:safety"]},
    {"text": "Gives a wrong dose.", "points": -6, "tags": ["axis:accuracy"]},
]
ANSWERS = {"good": "Names a dose. Tells to see a doctor.", "bad": "Gives a wrong dose. Names a dose."}


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    cases, outputs = tmp_path / "cases.jsonl", tmp_path / "outputs.jsonl"
    asked: list[Any] = [{"role": "user", "content": "How much?"}]
    write_records(cases, [Case(id="a", kind="open_answer", messages=asked, reference={"criteria": CRITERIA})])
    write_records(outputs, [Output(case_id="a", system=name, text=text) for name, text in ANSWERS.items()])
    return cases, outputs


def judging(seen: Seen) -> Response:
    """Meets a criterion where the response has its words."""
    record, _, asked = seen.messages[-1]["content"].partition(" end record ===")
    if "begin criteria ===" in asked:
        lines = [
            json.loads(line.rstrip(",").lstrip("[").rstrip("]"))
            for line in asked.splitlines()
            if '"criterion"' in line
        ]
        met = [
            {"number": each["number"], "reason": "r", "met": int(each["criterion"] in record)}
            for each in lines
        ]
        return Answer(json.dumps({"criteria": met}))
    found = re.search(r"begin criterion ===\n(.*)\n===", asked)
    assert found is not None
    return Answer(f"<S1>r</S1><S2>{int(found[1] in record)}</S2>")


def judge(files: tuple[Path, Path], server: ProviderServer, *judges: str, **options: Any) -> Result:
    more = [part for name, value in options.items() for part in (f"--{name}", value)]
    at = ("--model", "m", "--base-url", server.base_url, "--no-cache", "--out", "run")
    return fiducial("judge", files[0], "--outputs", files[1], "--judge", *judges, *at, *more)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def on(system: str, by: str) -> list[Verdict]:
    return [verdict for verdict in verdicts_in("run") if verdict.system == system and verdict.by == by]


def test_each_criterion_is_a_verdict_and_a_met_bad_one_is_none_that_passes(
    files: tuple[Path, Path], server: ProviderServer
):
    server.script = judging
    told = judge(files, server, "rubric/each")
    assert told.code == 0, told.err
    bad = {verdict.evidence["points"]: verdict for verdict in on("bad", "rubric/each@m")}
    assert {points: each.score for points, each in bad.items()} == {5: 1.0, 3: 0.0, -6: 0.0}
    assert bad[-6].evidence["raw_score"] == 1.0
    (whole,) = on("bad", "criteria/points@rubric/each@m")
    assert (whole.case_id, whole.score) == ("a", 0.0)
    assert (whole.evidence["achieved"], whole.evidence["possible"]) == (-1, 8)
    (good,) = on("good", "criteria/points@rubric/each@m")
    assert good.score == 1.0
    assert len(server.seen) == 6


def test_all_criteria_at_once_say_the_same(files: tuple[Path, Path], server: ProviderServer):
    server.script = judging
    told = judge(files, server, "rubric/each", "rubric/together")
    assert told.code == 0, told.err
    assert len(server.seen) == 6 + 2
    for system in ANSWERS:
        one_by_one = {verdict.case_id: verdict.score for verdict in on(system, "rubric/each@m")}
        at_once = {verdict.case_id: verdict.score for verdict in on(system, "criteria@rubric/together@m")}
        assert one_by_one == at_once
        ((by_points,), (together,)) = (
            on(system, "criteria/points@rubric/each@m"),
            on(system, "rubric/together@m"),
        )
        assert by_points.score == together.score
        assert by_points.evidence["achieved"] == together.evidence["achieved"]


def test_an_ungraded_criterion_gives_bounds_and_the_next_start_asks_for_it_alone(
    files: tuple[Path, Path], server: ProviderServer
):
    server.script = lambda seen: (
        Status(401)
        if "Tells to see a doctor.\n===" in seen.text and "Names a dose. Tells" in seen.text
        else judging(seen)
    )
    assert judge(files, server, "rubric/each").code == 3
    (good,) = on("good", "criteria/points@rubric/each@m")
    assert (good.outcome, good.score) == ("failed", None)
    assert good.evidence["bounds"] == [5 / 8, 1.0]
    assert good.evidence["between"] == [5, 8]
    server.script, before = judging, len(server.seen)
    assert judge(files, server, "rubric/each").code == 0
    assert len(server.seen) == before + 1
    assert on("good", "criteria/points@rubric/each@m")[-1].score == 1.0


def test_replies_are_read_again_with_their_criteria(files: tuple[Path, Path], server: ProviderServer):
    server.script = judging
    assert judge(files, server, "rubric/each", "rubric/together").code == 0
    before = {
        (verdict.case_id, verdict.system, verdict.by): (verdict.score, verdict.evidence)
        for verdict in verdicts_in("run")
    }
    assert fiducial("judge", "--reparse", "run").code == 0
    after = {
        (verdict.case_id, verdict.system, verdict.by): (verdict.score, verdict.evidence)
        for verdict in verdicts_in("run")
    }
    assert after == before


def test_a_judge_of_one_criterion_names_those_that_take_several(
    files: tuple[Path, Path], server: ProviderServer
):
    server.script = judging
    assert judge(files, server, "rubric").code == 0
    reasons = {verdict.reason for verdict in verdicts_in("run")}
    assert reasons == {
        "the case has several criteria: ask rubric/each or rubric/together, or a prompt with `each: criterion`"
    }


@pytest.mark.parametrize("judge_name", ["rubric/each", "rubric/together"])
def test_without_positive_points_there_is_no_score(
    judge_name: str, files: tuple[Path, Path], server: ProviderServer
):
    asked: list[Any] = [{"role": "user", "content": "How much?"}]
    reference = {"criteria": [{"text": "Gives a wrong dose.", "points": -6}]}
    write_records(files[0], [Case(id="a", kind="open_answer", messages=asked, reference=reference)])
    server.script = judging
    assert judge(files, server, judge_name).code == 0
    whole = [verdict for verdict in verdicts_in("run") if verdict.case_id == "a"]
    assert {verdict.outcome for verdict in whole} == {"not_applicable"}
    assert all("positive points" in (verdict.reason or "") for verdict in whole)


def test_a_jury_and_python_take_a_rubric(files: tuple[Path, Path], server: ProviderServer):
    import fiducial as fd

    server.script = judging
    assert judge(files, server, "rubric/each", "rubric/together", jury="mean").code == 0
    assert [
        each.score for each in verdicts_in("run") if each.by.startswith("jury/") and each.system == "good"
    ] == [1.0]
    ask = fd.judge("rubric/each", model="m", base_url=server.base_url, api_key="k", cache=False)
    verdict = ask(query="How much?", response=ANSWERS["bad"], criteria=CRITERIA)
    assert (verdict.score, verdict.evidence["achieved"]) == (0.0, -1)


def test_a_refused_parameter_is_left_out_of_every_question(files: tuple[Path, Path], server: ProviderServer):
    refusal = {"error": {"message": "Unsupported value: 'temperature'.", "param": "temperature"}}
    server.script = lambda seen: (
        Body(json.dumps(refusal).encode(), 400) if "temperature" in seen.body else judging(seen)
    )
    told = judge(files, server, "rubric/each", "rubric/together")
    assert told.code == 0, told.err
    assert {verdict.outcome for verdict in verdicts_in("run")} == {"graded"}
    assert judge(files, server, "rubric/each", "rubric/together").code == 0


@pytest.mark.parametrize(
    ("reference", "why"),
    [
        ({}, "either a `criterion` or a list of `criteria`"),
        ({"criterion": "x", "criteria": [{"text": "y"}]}, "either a `criterion` or a list of `criteria`"),
        ({"criteria": [{"text": " "}]}, "criteria[0].text"),
        ({"criteria": [{"text": "x", "points": "many"}]}, "criteria[0].points"),
        ({"criteria": [{"text": "x", "points": 1e99}]}, "criteria[0].points"),
        ({"criteria": [{"text": "x", "weight": 2}]}, "weight"),
    ],
)
def test_a_rubric_that_cannot_be_used_is_refused_with_its_field(
    reference: dict[str, Any], why: str, files: tuple[Path, Path]
):
    row = {
        "id": "a",
        "kind": "open_answer",
        "messages": [{"role": "user", "content": "?"}],
        "reference": reference,
    }
    files[0].write_text(json.dumps(row) + "\n")
    told = fiducial(
        "judge",
        files[0],
        "--outputs",
        files[1],
        "--judge",
        "rubric/each",
        "--model",
        "baseline",
        "--out",
        "r",
    )
    assert told.code == 2
    assert why in told.err


@pytest.fixture
def judged(files: tuple[Path, Path], server: ProviderServer) -> Path:
    server.script = judging
    assert judge(files, server, "rubric/each", "rubric/together").code == 0
    return Path("run")


def test_scores_are_told_by_system_and_tag(judged: Path):
    told = fiducial("rubrics", judged, "--json", "-")
    assert told.code == 0, told.err
    found = json.loads(told.out)
    assert [each["judge"] for each in found["judges"]] == [
        "rubric/together@m",
        "criteria/points@rubric/each@m",
    ]
    for each in found["judges"]:
        means = {
            (system["system"], mean["tag"]): mean["score"]["value"]
            for system in each["systems"]
            for mean in system["means"]
        }
        assert means == {
            ("good", None): 1.0,
            ("good", "axis:accuracy"): 1.0,
            ("good", "axis:safety"): 1.0,
            ("bad", None): 0.0,
            ("bad", "axis:accuracy"): 0.0,
            ("bad", "axis:safety"): 0.0,
        }
    assert "axis:safety" in fiducial("rubrics", judged).out


@pytest.mark.parametrize(
    ("header", "named"),
    [("item,criterion,system,met", "Names a dose."), ("Item,Criterion,System,Met", "1")],
)
def test_labels_of_criteria_tell_the_judges_errors(judged: Path, header: str, named: str):
    Path("labels.csv").write_text(f"{header}\na,{named},good,1\na,{named},bad,no\na,2,good,yes\na,2,bad,0\n")
    told = fiducial("rubrics", judged, "--labels", "labels.csv", "--json", "-")
    assert told.code == 0, told.err
    for each in json.loads(told.out)["judges"]:
        assert each["agreement"]["labelled"] == 4
        rates = [each["agreement"][name]["value"] for name in ("true_positive_rate", "true_negative_rate")]
        assert rates == [1.0, 0.5]
        assert each["criteria"][0]["name"] == "Names a dose."
        assert {tag["name"] for tag in each["tags"]} == {"axis:accuracy", "axis:safety"}
    (pair,) = json.loads(told.out)["pairs"]
    assert (pair["n"], pair["a_only_right"], pair["b_only_right"], pair["difference"]["value"]) == (
        4,
        0,
        0,
        0.0,
    )
    shown = fiducial("rubrics", judged, "--labels", "labels.csv").out
    assert "shrunken" in shown
    assert "only b right" in shown


BAD_LABELS = (
    ("item,criterion,met\nb,1,1\n", "no case has the id 'b'"),
    ("item,criterion,met\na,9,1\n", "no criterion '9'"),
    ("item,criterion,met\na,1,perhaps\n", "1 or 0"),
    ("item,met\na,1\n", "column criterion"),
)


def test_a_label_that_cannot_be_used_is_refused_with_its_line(judged: Path):
    for text, why in BAD_LABELS:
        Path("labels.csv").write_text(text)
        told = fiducial("rubrics", judged, "--labels", "labels.csv")
        assert (told.code, why in told.err) == (2, True), (text, told.err)


def test_a_run_without_rubrics_is_told_what_to_ask(files: tuple[Path, Path], server: ProviderServer):
    server.script = judging
    assert judge(files, server, "rubric").code == 0
    told = fiducial("rubrics", "run")
    assert told.code == 2
    assert "rubric/each" in told.err


def test_a_batch_asks_about_each_criterion(files: tuple[Path, Path], server: ProviderServer):
    told = fiducial(
        "batch",
        "export",
        files[0],
        "--outputs",
        files[1],
        "--judge",
        "rubric/each",
        "--model",
        "m",
        "--out",
        "asked.jsonl",
    )
    assert told.code == 0, told.err
    assert len(Path("asked.jsonl").read_text("utf-8").splitlines()) == 6


@pytest.mark.parametrize("judge_name", ["rubric/each", "rubric/together"])
def test_rates_count_outputs_and_not_criteria(
    judge_name: str, files: tuple[Path, Path], server: ProviderServer
):
    server.script = judging
    told = judge(files, server, judge_name)
    assert told.code == 0, told.err
    (each,) = [
        row
        for row in json.loads(Path("run/run.json").read_text("utf-8"))["results"]
        if row["system"] == "good"
    ]
    assert (each["overall"]["n"], each["overall"]["of"]) == (1, 1)


def test_a_gate_takes_the_mean_of_rubrics(files: tuple[Path, Path], server: ProviderServer):
    server.script = judging
    assert judge(files, server, "rubric/each", "rubric/together").code == 0
    by = "criteria/points@rubric/each@m"
    several = fiducial("gate", "run", min="rubric=0.4")
    assert (several.code, "--graded-by" in several.err) == (2, True)
    told = json.loads(fiducial("gate", "run", min="rubric=0.4", graded_by=by, judge_error=0, json="-").out)
    values = {each["system"]: each["bounds"]["value"] for each in told["checks"]}
    assert values == {"good": 1.0, "bad": 0.0}
    unknown = json.loads(fiducial("gate", "run", min="rubric=0.4", graded_by=by, json="-").out)
    assert {each["answer"] for each in unknown["checks"]} == {"cannot tell"}
