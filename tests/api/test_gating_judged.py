"""Gates on judged runs: what they count, and what a judge's error lets them say."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from each_row import each_row
from gated_replies import N, graded, lenient, open_cases, replies, strict
from msgspec.structs import replace

import fiducial as fd
from fiducial.errors import UsageError


def labels(
    outputs: Sequence[fd.Output], every: int = 2, *, wrong: int = 9, **evidence: Any
) -> list[fd.Verdict]:
    return [
        fd.Verdict(
            case_id=output.case_id,
            system="me",
            trial=output.trial,
            by="ann",
            source="human",
            outcome="graded",
            score=float(
                "Rome" in (output.text or "")
                and not output.case_id.endswith("7")
                and int(output.case_id[1:]) % wrong > 0
            ),
            evidence=evidence,
        )
        for output in outputs[::every]
    ]


def evaluated(folder: Path, outputs: Sequence[fd.Output], *judges: Any, **options: Any) -> fd.Run:
    made = [fd.judge_from(judge) if isinstance(judge, FunctionType) else judge for judge in judges]
    return fd.evaluate(open_cases(), list(outputs), judges=made, out=folder, progress=False, **options)


def baseline() -> Any:
    return fd.judge("memory_answer", model="baseline")


def jury() -> Any:
    return fd.jury([fd.judge_from(lenient), fd.judge_from(strict), fd.judge_from(graded)])


def uneven(number: int) -> int:
    return 1 + number % 3


@each_row(
    ("judges", "trials"),
    [
        ([baseline, strict], 1),
        ([strict, jury], 1),
        ([graded], 1),
        ([baseline], 3),
        ([strict, graded], 3),
    ],
)
def test_a_gate_and_its_run_have_one_rate(tmp_path: Path, judges: list[Any], trials: int):
    outputs = replies(trials=uneven) if trials > 1 else replies()
    made = [judge() if judge in (baseline, jury) else judge for judge in judges]
    run = evaluated(tmp_path / "r", outputs, *made)
    [check] = fd.gate(run, minimum={"overall": 0.5}).checks
    assert check.bounds is not None
    assert check.bounds.value == pytest.approx(run.systems["me"].overall.value, abs=1e-12)
    assert (check.answer, check.bounds.low is not None and check.bounds.low < 0.1) == ("cannot tell", True)


def test_a_baseline_is_named_as_what_it_is(tmp_path: Path):
    gate = fd.gate(evaluated(tmp_path / "r", replies(), baseline()), minimum={"overall": 0.5})
    assert (gate.graded, gate.outputs, gate.checks[0].by) == (N, N, "baseline, uncorrected")


def test_a_judge_without_labels_tells_nothing_until_its_error_is_bounded(tmp_path: Path):
    good, bad = (
        evaluated(tmp_path / "a", replies(0), lenient),
        evaluated(tmp_path / "b", replies(50), lenient),
    )
    assert fd.gate(bad, good).answer == "cannot tell"
    assert "labels of a random sample" in fd.gate(bad, good).checks[0].would_tell
    assert [fd.gate(bad, good, judge_error=each).answer for each in (0.0, 0.3, 0.9)] == [
        "fails",
        "fails",
        "cannot tell",
    ]
    assert [fd.gate(good, minimum={"overall": 0.9}, judge_error=each).answer for each in (0.0, 0.1)] == [
        "passes",
        "cannot tell",
    ]
    assert fd.gate(good, good, max_drop=0.1, judge_error=0.0).checks[0].by.endswith("taken as right")


def test_what_checkers_decided_may_tell_alone(tmp_path: Path):
    outputs = [*replies(0, n=56), fd.Output(case_id="c56", system="me", text="elsewhere")]
    outputs = [
        replace(output, text=f"place {int(output.case_id[1:])} in Rome") for output in outputs[:-1]
    ] + outputs[-1:]
    run = evaluated(tmp_path / "r", outputs, lenient)
    [check] = fd.gate(run, minimum={"overall": 0.8}).checks
    assert (check.answer, "uncorrected" in check.by) == ("passes", True)


@each_row(("declared", "told"), [({}, "labels_chosen_by"), ({"labels_chosen_by": "random"}, "")])
def test_labels_correct_a_gate_if_somebody_says_how_they_were_chosen(
    tmp_path: Path, declared: dict[str, Any], told: str
):
    outputs = replies()
    run = evaluated(tmp_path / "r", outputs, lenient, labels=labels(outputs))
    limits: dict[str, Any] = {"minimum": ["overall=0.5", "risk=high:overall=0.4"], **declared}
    checks = fd.gate(run, **limits).checks
    assert [check.answer for check in checks] == ["cannot tell" if told else "passes"] * 2
    assert all(told in check.would_tell for check in checks)
    drop = fd.gate(run, run, max_drop=0.35, **declared).checks[0]
    assert (drop.answer, told in drop.would_tell) == ("cannot tell" if told else "passes", True)
    assert drop.by.endswith("uncorrected" if told else "corrected by labels")


def test_labels_correct_the_rate_of_a_tag_by_its_own_cases(tmp_path: Path):
    outputs = replies()
    given = labels(outputs, 1, wrong=3)
    run = evaluated(tmp_path / "r", outputs, lenient, labels=given, labels_chosen_by="random")
    # A checker passes each seventh case from the 14th on, whatever its label.
    grades = [1.0 if n % 7 == 0 and n >= 14 else each.score or 0.0 for n, each in enumerate(given)]
    high = [each for n, each in enumerate(grades) if n % 3]
    checks = fd.gate(run, minimum=["overall=0.5", "risk=high:overall=0.5"]).checks
    rates = [sum(each) / len(each) for each in (grades, high)]
    assert [check.bounds.value for check in checks if check.bounds is not None] == pytest.approx(rates)
    assert rates[1] > rates[0] + 0.1


def test_ungraded_outputs_of_either_run_count_in_a_corrected_drop(tmp_path: Path):
    def partly(output: str) -> float | None:
        return None if "odd" in output else float("Rome" in output)

    whole = replies()
    # Two are ungraded, and have no label.
    some = [replace(each, text="odd") if n in {1, 41} else each for n, each in enumerate(whole)]
    full, part = (
        evaluated(tmp_path / name, outputs, partly, labels=labels(outputs), labels_chosen_by="random")
        for name, outputs in (("a", whole), ("b", some))
    )
    for runs in ((part, full), (full, part)):
        [check] = fd.gate(*runs, max_drop=0.2).checks
        assert check.by.endswith("corrected by labels")
        assert check.bounds is not None
        assert check.bounds.least is not None
        assert check.bounds.most is not None
        assert check.bounds.most - check.bounds.least == pytest.approx(2 * 2 / N)


def test_a_declaration_of_the_run_is_that_of_its_gate(tmp_path: Path):
    outputs = replies()
    run = evaluated(tmp_path / "r", outputs, lenient, labels=labels(outputs), labels_chosen_by="random")
    [check] = fd.gate(run, minimum={"overall": 0.5}).checks
    assert check.bounds is not None
    overall = run.systems["me"].overall
    assert check.bounds.value == overall.value
    assert check.bounds.low == pytest.approx(overall.low, abs=0.01)
    with pytest.raises(UsageError):
        fd.gate(run, minimum={"overall": 0.5}, labels_chosen_by="luck")  # pyright: ignore[reportArgumentType]


def test_labels_of_one_run_alone_correct_no_difference(tmp_path: Path):
    outputs = replies()
    labelled = evaluated(tmp_path / "a", outputs, lenient, labels=labels(outputs))
    plain = evaluated(tmp_path / "b", outputs, lenient)
    assert fd.gate(plain, labelled, max_drop=0.3, labels_chosen_by="random").answer == "cannot tell"


def test_the_command_that_judges_again_names_every_judge(tmp_path: Path):
    was = evaluated(tmp_path / "a", replies(), baseline())
    rubric = fd.judge("rubric", model="baseline")
    now = evaluated(tmp_path / "b", replies(), rubric, baseline(), judge_on="all")
    again = fd.gate(now, was, max_drop=0.1).judge_again
    assert again.startswith("fiducial run ")
    assert "--judge rubric@baseline --judge memory_answer@baseline" in again
    assert again.endswith(f"--out {was.folder}-again")


@each_row(("systems", "files"), [(("me",), True), (("me", "you"), True), (("me", "you"), False)])
def test_outputs_that_no_judge_takes_are_ungraded_ones(tmp_path: Path, systems: tuple[str, ...], files: bool):
    cases = [
        *open_cases(8),
        {
            "id": "open",
            "kind": "open_answer",
            "messages": [{"role": "user", "content": "Hi"}],
            "reference": {"criterion": "polite"},
        },
    ]
    outputs = [replace(reply, system=system) for system in systems for reply in replies(0, n=8)]
    outputs += [fd.Output(case_id="open", system=system, text="Hello") for system in systems]
    fd.write_records(tmp_path / "outputs.jsonl", outputs)
    run = fd.evaluate(
        cases, tmp_path / "outputs.jsonl", judges=[baseline()], rules=None, out=tmp_path / "r", progress=False
    )
    if not files:
        (tmp_path / "outputs.jsonl").unlink()
    checks = fd.gate(run, max_ungraded=0.1).checks
    found = "1 of 9" if files else "2 of 10"
    assert [check.why for check in checks] == [f"{found} outputs are ungraded or missing"] * len(systems)
    assert {check.answer for check in checks} == {"fails"}


def guess(output: str) -> float:
    return float(int("".join(filter(str.isdigit, output)) or 0) % 2)


def guessed(folder: Path, rows: Sequence[int]) -> fd.Run:
    outputs = replies(0)
    flipped = [replace(each, score=float(n % 4 < 2)) for n, each in enumerate(labels(outputs, 1))]
    return evaluated(folder, outputs, guess, labels=[flipped[n] for n in rows])


def test_a_judge_that_guesses_passes_no_gate(tmp_path: Path):
    run = guessed(tmp_path / "r", range(N))
    limits: dict[str, Any] = {
        "minimum": ["overall=0.0", "pass^1=0.0", "risk=high:overall=0.0"],
        "no_new_failures": ["risk=high"],
        "judge_error": 0.0,
    }
    checks = fd.gate(run, **limits).checks
    assert {check.answer for check in checks} == {"cannot tell"}
    assert all("by the labels" in check.why for check in checks)
    assert [check.answer for check in fd.gate(run, minimum=["pass_rate=0.0"]).checks] == ["passes"]


def test_a_tag_whose_outputs_checkers_decided_is_a_matter_of_no_judge(tmp_path: Path):
    cases = [
        {**each, "tags": {"by": "checker" if number % 7 == 0 else "judge"}}
        for number, each in enumerate(open_cases())
    ]
    outputs = replies(0)
    flipped = [replace(each, score=float(n % 4 < 2)) for n, each in enumerate(labels(outputs, 1))]
    run = fd.evaluate(
        cases, outputs, judges=[fd.judge_from(guess)], labels=flipped, out=tmp_path / "r", progress=False
    )
    checks = fd.gate(run, minimum=["by=checker:overall=0.5", "by=judge:overall=0.0"], judge_error=0.3).checks
    assert [(check.answer, check.by.split(",")[0]) for check in checks] == [
        ("passes", "checkers"),
        ("cannot tell", "judge"),
    ]


def test_a_judge_that_guesses_in_either_run_shows_no_change(tmp_path: Path):
    labelled, plain = guessed(tmp_path / "g", range(N)), evaluated(tmp_path / "p", replies(0), guess)
    limits: dict[str, Any] = {"max_drop": 0.9, "no_new_failures": ["risk=high"], "judge_error": 0.0}
    for after, before in ((labelled, plain), (plain, labelled)):
        checks = fd.gate(after, before, **limits).checks
        assert [check.answer for check in checks] == ["cannot tell"] * 2
        assert all("by the labels" in check.why for check in checks)
    assert [check.answer for check in fd.gate(plain, plain, **limits).checks] == ["passes"] * 2


@each_row("labelled", [N, 50])
def test_a_judge_that_guesses_tells_nothing_where_labels_correct_it(tmp_path: Path, labelled: int):
    run = guessed(tmp_path / str(labelled), range(labelled))
    declared: dict[str, Any] = {"labels_chosen_by": "random"}
    checks = [
        *fd.gate(run, minimum={"overall": 0.3}, **declared).checks,
        *fd.gate(run, minimum={"overall": 1.0}, **declared).checks,
        *fd.gate(run, run, max_drop=0.9, **declared).checks,
    ]
    assert [(check.by, check.answer) for check in checks] == [
        ("judge, corrected by labels", "cannot tell")
    ] * 3
    assert all("by the labels" in check.why and check.would_tell for check in checks)
