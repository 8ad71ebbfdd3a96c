"""`fd.evaluate`: from cases and outputs in any form to a run that is a value."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from each_row import each_row
from installed_plugins import Install

import fiducial as fd
from fiducial.data import demo_path
from fiducial.errors import InputError, RecordError, RunFolderError, UsageError

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "book",
            "parameters": {"type": "dict", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        },
    }
]
CASES: list[dict[str, Any]] = [
    {
        "id": f"trip-{number}",
        "kind": "tool_call",
        "messages": [{"role": "user", "content": f"Book {city}."}],
        "tools": TOOLS,
        "reference": {"calls": [{"name": "book", "arguments": {"city": city}}]},
    }
    for number, city in enumerate(("Rome", "Oslo", "Lima"))
] + [{"id": "kind", "kind": "open_answer", "reference": {"criterion": "It is kind."}}]
OUTPUTS: list[dict[str, Any]] = [
    {"case_id": "trip-0", "system": "me", "tool_calls": [{"name": "book", "arguments": {"city": "Rome"}}]},
    {"case_id": "trip-1", "system": "me", "tool_calls": [{"name": "book", "arguments": {"city": "Bern"}}]},
    {"case_id": "trip-2", "system": "me", "text": "[book(city='Lima')]"},
    {"case_id": "kind", "system": "me", "text": "It is kind."},
]


@pytest.fixture(autouse=True)
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with nothing in it."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _shown(run: fd.Run) -> str:
    """As a notebook shows it."""
    return run._repr_html_()  # pyright: ignore[reportPrivateUsage]


def test_rates_are_statistics_with_interval_and_denominator():
    decided = fd.evaluate(CASES, OUTPUTS).systems["me"].decided
    assert (decided.value, decided.n, decided.of) == (pytest.approx(2 / 3), 3, 4)
    assert decided.low is not None
    assert decided.high is not None
    assert decided.low < 2 / 3 < decided.high


def test_a_judge_rates_what_no_checker_decided():
    run = fd.evaluate(CASES, OUTPUTS, judges=["rubric"], model="baseline")
    assert run.systems["me"].open["rubric/lexical@baseline"].n == 1
    assert [use.name for use in run.judges] == ["rubric/lexical@baseline"]


def test_labels_that_match_no_output_are_counted_on_the_screen():
    labels = [{"case_id": CASES[0]["id"], "label": 1}, {"case_id": "nowhere", "label": 1}]
    assert "note: 1 label matches no output\n" in f"{fd.evaluate(CASES, OUTPUTS, labels=labels)}\n"


def test_judges_may_be_made_before():
    run = fd.evaluate(CASES, OUTPUTS, judges=[fd.judge("rubric", model="baseline")])
    assert run.systems["me"].open["rubric/lexical@baseline"].n == 1


def test_nothing_is_written_without_a_folder(empty: Path):
    run = fd.evaluate(CASES, OUTPUTS)
    assert (list(empty.iterdir()), run.folder) == ([], None)


def test_with_a_folder_the_run_can_be_loaded_again_and_the_same_call_resumes_it(empty: Path):
    run = fd.evaluate(CASES, OUTPUTS, out="run")
    before = (empty / "run" / "verdicts.jsonl").read_bytes()
    again = fd.evaluate(CASES, OUTPUTS, out="run")
    loaded = fd.load_run("run")
    assert (empty / "run" / "verdicts.jsonl").read_bytes() == before
    assert run.systems["me"].decided == again.systems["me"].decided == loaded.systems["me"].decided
    assert loaded.report().exists()


def test_every_form_of_input_gives_the_same(empty: Path):
    import pandas as pd

    fd.write_records(empty / "cases.jsonl", [fd.Case(**case) for case in CASES])
    frame = pd.DataFrame(OUTPUTS)  # NaN where an output has no text or no calls
    by_records = fd.evaluate(CASES, OUTPUTS).systems["me"].decided
    assert fd.evaluate("cases.jsonl", frame).systems["me"].decided == by_records
    assert fd.evaluate(iter(CASES), iter(OUTPUTS)).systems["me"].decided == by_records
    assert fd.evaluate(pd.DataFrame(CASES), OUTPUTS).systems["me"].decided == by_records


def test_a_column_of_whole_numbers_in_which_one_is_left_out_holds_whole_numbers():
    import pandas as pd

    frame = pd.DataFrame([{**OUTPUTS[0], "trial": 1}, OUTPUTS[1]])
    assert frame["trial"].dtype == float
    assert [verdict.trial for verdict in fd.evaluate(CASES, frame).verdicts] == [1, 0]


def test_a_run_that_is_kept_stands_for_its_folder():
    judged: dict[str, Any] = {"judges": "tool_call_accuracy", "model": "baseline"}
    run, in_memory = fd.evaluate(CASES, OUTPUTS, **judged, out="run"), fd.evaluate(CASES, OUTPUTS, **judged)
    assert fd.review(run, out="page.html").keys == fd.review("run", out="page.html").keys
    certificate = fd.certify(run, {"accuracy": 0.01}, out="certificate.json")
    assert certificate.holds
    assert "Every claim holds." in certificate.report("certificate.html").read_text("utf-8")
    status = fd.check_certificate(run, "certificate.json")
    assert status.valid
    assert "the certificate is valid" in status.report("status.html").read_text("utf-8")
    with pytest.raises(InputError, match="no decisions yet"):
        fd.export_labels(run)
    uses: list[Callable[[Any], object]] = [
        fd.review,
        fd.export_labels,
        lambda run: fd.add_labels(run, []),
        lambda run: fd.certify(run, {"accuracy": 0.01}),
        lambda run: fd.check_certificate(run, "certificate.json"),
    ]
    for use in uses:
        with pytest.raises(UsageError, match="only in memory"):
            use(in_memory)


def test_what_is_no_path_is_refused_where_one_is_expected():
    uses: list[Callable[[Any], object]] = [
        fd.load_run,
        fd.review,
        fd.history,
        lambda what: fd.evaluate(CASES, OUTPUTS, out=what),
    ]
    for use in uses:
        with pytest.raises(
            UsageError, match=r"expected a path or an address, got int|= expects a path, got 3"
        ):
            use(3)


def test_verdicts_are_there_as_records_and_as_a_frame():
    run = fd.evaluate(CASES, OUTPUTS)
    assert [verdict.score for verdict in run.verdicts] == [1.0, 0.0, 1.0, None]
    frame = run.to_frame()
    assert list(frame["outcome"]) == ["graded", "graded", "graded", "undecided"]
    assert frame["score"].isna().tolist() == [False, False, False, True]


def test_a_rate_knows_what_failed():
    failures = fd.evaluate(CASES, OUTPUTS).systems["me"].decided.failures
    assert [(verdict.case_id, verdict.error_type) for verdict in failures] == [
        ("trip-1", "value_error:string")
    ]


def test_a_run_without_a_judge_says_that_there_is_nothing_to_calibrate():
    calibration = fd.evaluate(CASES, OUTPUTS).calibration
    assert str(calibration) == "no judge has a verdict, so there is nothing to calibrate"


def test_labels_calibrate_a_judge_and_have_attributes():
    labels = [
        {"case_id": "kind", "system": "me", "by": "ann", "source": "human", "outcome": "graded", "score": 1.0}
    ]
    run = fd.evaluate(CASES, OUTPUTS, judges=["rubric"], model="baseline", labels=labels)
    assert run.calibration["rubric/lexical@baseline"].n == 1
    assert run.calibration["rubric/lexical@baseline"].accuracy.n == 1


def test_the_demo_suite_has_kappa_as_an_attribute():
    run = fd.evaluate(
        demo_path("cases.jsonl"),
        demo_path("outputs.jsonl"),
        judges=["groundedness"],
        model="baseline",
        labels=demo_path("labels.jsonl"),
    )
    kappa = run.calibration["groundedness/lexical@baseline"].cohen_kappa
    assert kappa.low is not None
    assert kappa.value is not None
    assert kappa.low <= kappa.value
    assert "groundedness" in _shown(run)


def test_a_run_shows_itself_with_nothing_hostile_in_it():
    outputs = [output | {"system": "<script>x</script>"} for output in OUTPUTS]
    shown = _shown(fd.evaluate(CASES, outputs))
    assert "<script" not in shown
    assert "0.67" in shown


def test_it_works_inside_a_running_loop_and_has_an_async_twin():
    async def notebook() -> tuple[fd.Run, fd.Run]:
        return fd.evaluate(CASES, OUTPUTS), await fd.aevaluate(CASES, OUTPUTS)

    first, second = asyncio.run(notebook())
    assert first.systems["me"].decided == second.systems["me"].decided


def test_what_an_agent_produced_can_be_evaluated_at_once():
    def agent(case: fd.Case) -> Any:
        return [fd.ToolCall(name="book", arguments={"city": "Rome"})] if case.kind == "tool_call" else "Kind."

    run = fd.evaluate(CASES, fd.generate(CASES, agent))
    assert run.systems["agent"].decided.value == pytest.approx(1 / 3)


@each_row(
    ("change", "error", "told"),
    [
        ({"cases": [{"id": "a"}]}, RecordError, "cases:1: .*kind"),
        ({"cases": 5}, UsageError, "cases: expected a path, records"),
        ({"cases": []}, InputError, "cases: no case given"),
        ({"outputs": [{"case_id": "nobody", "system": "me"}]}, RecordError, "outputs:1: case_id: no case"),
        ({"cases": "nowhere.jsonl"}, InputError, "nowhere.jsonl: cannot be read"),
        ({"rules": "lax"}, UsageError, "rules= expects bfcl or strict, got 'lax'"),
        ({"judges": ["groundednes"], "model": "m"}, UsageError, "groundednes"),
        ({"judges": [5]}, UsageError, "judges: expected a judge or a name of one, got int"),
        (
            {"judges": [len]},
            UsageError,
            r"judges: expected a judge .*; fd.judge_from\(\.\.\.\) makes a judge",
        ),
        ({"pass_at": 7}, UsageError, "pass_at"),
    ],
)
def test_bad_input_is_one_clear_line(change: dict[str, Any], error: type[Exception], told: str):
    given: dict[str, Any] = {"cases": CASES, "outputs": OUTPUTS, **change}
    with pytest.raises(error, match=told):
        fd.evaluate(**given)


def test_what_is_no_run_cannot_be_loaded(empty: Path):
    with pytest.raises(RunFolderError):
        fd.load_run(empty)


def test_a_run_in_memory_needs_a_name_for_its_report(empty: Path):
    run = fd.evaluate(CASES, OUTPUTS)
    with pytest.raises(UsageError, match="only in memory"):
        run.report()
    assert run.report("report.html").exists()


def test_what_to_do_next_is_said_as_the_run_was_begun(tmp_path: Path):
    def next_of(**how: Any) -> str:
        return fd.evaluate(CASES[3:], OUTPUTS[3:], **how).answers.next.command

    for out in (None, tmp_path / "run"):
        assert next_of(out=out) == 'fd.evaluate(..., judges=["rubric"], model="gpt-4.1-mini")'
    judge: dict[str, Any] = {"judges": "rubric", "model": "baseline"}
    assert next_of(**judge) == 'fd.evaluate(..., out="RUN")'
    assert next_of(**judge, out=tmp_path / "judged") == f"fiducial review {tmp_path / 'judged'}"


def test_a_package_of_functions_that_cannot_be_loaded_stops_no_run_without_them(install: Install):
    install("functions", "plot", "no_such_module_at_all:plot")
    run = fd.evaluate(CASES, OUTPUTS, out="run", progress=False)
    assert run.systems["me"].decided.value == pytest.approx(2 / 3)


@pytest.mark.parametrize("name", ["environment", "environments"])
def test_the_name_of_the_command_line_for_worlds_is_answered_with_that_of_python(name: str):
    untyped: Any = fd.evaluate
    with pytest.raises(UsageError, match="here it is called worlds="):
        untyped(CASES, OUTPUTS, **{name: {"World": object}})
