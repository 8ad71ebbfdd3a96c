"""`fd.calibrate`, `fd.compare` and `fd.estimate`: tables in any form in, typed results out."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import demo_suite
import msgspec
import pytest
from command import fiducial
from lazily import Lazily

import fiducial as fd
from fiducial.errors import InputError, UsageError

pd = Lazily("pandas")

ROWS: list[dict[str, Any]] = [
    {"item_id": f"i{number}", "judge": "j", "score": float(number % 3 > 0), "label": float(number % 4 > 0)}
    for number in range(60)
]


def _write(path: Path, rows: list[dict[str, Any]]) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_every_form_of_a_table_gives_the_same_numbers(tmp_path: Path):
    by_rows = fd.calibrate(ROWS)
    kappa = by_rows["j"].cohen_kappa
    assert (kappa.n, kappa.value is None, kappa.low is None) == (60, False, False)
    path = _write(tmp_path / "table.csv", ROWS)
    for table in (iter(ROWS), pd.DataFrame(ROWS), path, str(path), [path]):
        assert fd.calibrate(table) == by_rows


def test_columns_may_have_other_names():
    renamed = [{"gold" if name == "label" else name: value for name, value in row.items()} for row in ROWS]
    assert fd.calibrate(renamed, columns={"label": "gold"}) == fd.calibrate(ROWS)


def test_two_judges_are_compared_from_two_tables():
    other = [row | {"judge": "k", "score": row["label"]} for row in ROWS]
    together = fd.compare([*ROWS, *other])
    assert fd.compare(ROWS, other) == together
    (pair,) = together.pairs
    assert {pair.a, pair.b} == {"j", "k"}
    assert pair.difference.n == 60


def test_a_rate_is_estimated_from_some_labels():
    some = [row if number % 5 == 0 else row | {"label": None} for number, row in enumerate(ROWS)]
    estimates = fd.estimate(some).all.estimates
    assert estimates["labels_only"].n == 12
    assert estimates["ppi_plus_plus"].value is not None


@pytest.fixture(scope="module")
def run() -> fd.Run:
    """Every third case of the built-in suite, judged by the word overlap baseline, in memory."""
    judges = ["groundedness", "memory_answer"]
    cases = [*demo_suite.cases().values()][::3]
    known = {case.id for case in cases}
    outputs = [output for output in demo_suite.outputs().values() if output.case_id in known]
    labels = [label for label in demo_suite.labels() if label.case_id in known]
    return fd.evaluate(cases, outputs, judges=judges, model="baseline", labels=labels)


def test_a_run_is_a_table(run: fd.Run):
    found = fd.calibrate(run)
    name = "groundedness/lexical@baseline"
    assert found[name].accuracy.value == run.calibration[name].accuracy.value


def test_systems_of_a_run_are_compared_stratum_by_stratum(run: fd.Run):
    strata = msgspec.to_builtins(fd.compare(run, by="system"))["strata"]
    assert set(strata) == {"decided", "open", "all"}


@pytest.mark.parametrize(
    ("table", "error", "told"),
    [
        (5, UsageError, "table: expected a path, a run, a data frame or rows, got int"),
        ([{"item_id": "i"}], InputError, "table: score: no column"),
        ([], InputError, "no row"),
        ("nowhere.csv", InputError, "nowhere.csv: cannot be read"),
        ([ROWS[0] | {"score": 7}], InputError, "table:1: score"),
    ],
)
def test_what_is_no_table_is_one_clear_line(table: Any, error: type[Exception], told: str):
    with pytest.raises(error, match=told):
        fd.calibrate(table)


def test_what_is_neither_judges_nor_systems_cannot_be_compared():
    with pytest.raises(UsageError, match="by= expects judge or system, got 'model'"):
        fd.compare(ROWS, by="model")  # pyright: ignore[reportArgumentType]


def test_results_show_themselves_and_are_data_frames(run: fd.Run):
    some = [row if number % 5 == 0 else row | {"label": None} for number, row in enumerate(ROWS)]
    other = [row | {"judge": "k", "score": row["label"]} for row in ROWS]
    shown: list[tuple[Any, int, str]] = [
        (fd.calibrate(ROWS), 30, "cohen_kappa"),
        (fd.compare(ROWS, other), 1, "j - k"),
        (fd.estimate(some), 5, "ppi_plus_plus"),
        (fd.plan_labels(some, draw=3), 3, "a random sample"),
        (run.calibration, 60, "groundedness/lexical@baseline"),
    ]
    for found, rows, said in shown:
        assert said in str(found)
        assert said in found._repr_html_()
        assert "<table>" in found._repr_html_() or rows == 3
        assert len(found.to_frame()) == rows
        assert msgspec.json.encode(found.to_dict())


def test_a_result_is_one_sentence_to_a_prompt(run: fd.Run):
    other = [row | {"judge": "k", "score": row["label"]} for row in ROWS]
    found = [fd.calibrate(ROWS), fd.compare(ROWS, other), fd.plan_labels(half_width=0.1), run]
    for told in map(repr, found):
        assert told.startswith("<")
        assert told.endswith(">")
        assert "\n" not in told
        assert len(told) < 300
    assert repr(found[1]).startswith("<Comparison: k is best: ")


def test_a_plan_says_how_much_it_takes():
    found = fd.plan_labels(half_width=0.1, difference=0.1)
    assert found.labels is not None
    assert found.labels["pass_rate"] is not None
    assert found.items is not None
    assert dict(found.to_frame().to_numpy()) == {**found.labels, "comparison": found.items}
    with pytest.raises(UsageError, match="say what to plan"):
        fd.plan_labels()


def test_the_frame_of_a_budget_has_a_row_per_phase():
    found = fd.plan_budget(300, costs={"check": 1e-4, "cheap": 0.001, "label": 2.0}, cheap=(0.7, 0.7))
    assert found.budget is not None
    frame = found.to_frame()
    assert list(frame["for"]) == ["check", "cheap", "label"]
    assert list(zip(frame["n"], frame["cost"], strict=True)) == [
        (phase.outputs, phase.cost) for phase in found.budget.phases
    ]


def test_any_number_of_unlabelled_items_can_be_planned_with():
    many, more = (fd.plan_labels(half_width=0.1, unlabelled=count).labels for count in (10**9, 10**30))
    assert more == many


def test_a_plan_for_a_table_goes_by_its_labels_and_counts_them():
    rows = [
        {"item_id": f"i{n}", "judge": "j", "score": n % 10 != 0, "label": n % 5 != 0 if n < 60 else None}
        for n in range(100)
    ]
    found = fd.plan_labels(rows, half_width=0.05)
    told = fd.plan_labels(half_width=0.05, tpr=48.5 / 49, tnr=6.5 / 13, prevalence=48.5 / 61, unlabelled=40)
    assert found.labels == told.labels
    assert found.measured is not None
    assert (found.measured.n_labelled, found.measured.n_unlabelled) == (60, 40)
    assert found.labels is not None
    assert f"{(found.labels['pass_rate'] or 0) - 60:,} more" in str(found)
    assert fd.plan_labels(rows, half_width=0.05, tpr=0.7).labels != found.labels
    assert fd.plan_labels([{**row, "label": None} for row in rows], half_width=0.05).measured is None


@pytest.mark.parametrize("drawing", [{"by_doubt": True}, {"strata": "score"}])
def test_ways_to_draw_are_refused_without_a_draw(drawing: dict[str, Any]):
    with pytest.raises(UsageError, match="are for draw=: add draw=N"):
        fd.plan_labels(ROWS, half_width=0.05, **drawing)


def test_nested_runs_of_two_judges_are_a_pilot_and_are_estimated_together(tmp_path: Path):
    draws = random.Random(0)
    right = {f"q{number}": draws.random() < 0.6 for number in range(400)}
    cases = [
        {"id": name, "kind": "open_answer", "reference": {"criterion": "It is right."}} for name in right
    ]
    outputs = [
        {"case_id": name, "system": "s", "text": "yes" if good else "no"} for name, good in right.items()
    ]

    def err(share: float) -> Callable[[fd.Case, fd.Output], bool]:
        return lambda case, output: (
            (output.text == "yes") ^ (random.Random(f"{share}{case.id}").random() < share)
        )

    fd.judge_function("small")(err(0.2))
    fd.judge_function("large")(err(0.05))
    runs = [
        fd.evaluate(cases, outputs, judges=["small"], out=tmp_path / "small"),
        fd.evaluate(cases, outputs[:150], judges=["large"], out=tmp_path / "large"),
    ]
    labels = [
        {
            "case_id": name,
            "system": "s",
            "trial": 0,
            "by": "ada",
            "source": "human",
            "outcome": "graded",
            "score": float(right[name]),
        }
        for name in list(right)[:60]
    ]
    found = fd.estimate(runs, labels=labels, phases=["small/function", "large/function"]).all
    width = {
        name: each.high - each.low
        for name, each in found.estimates.items()
        if each.low is not None and each.high is not None
    }
    assert found.multi_phase.n == 60
    assert width["multi_phase"] < width["ppi_plus_plus"] < width["labels_only"]
    plan = fd.plan_budget(
        300,
        runs,
        labels=labels,
        costs={"label": 2, "cheap": 0.001, "expensive": 0.02},
        cheap="small/function",
        expensive="large/function",
        of=10**6,
    ).budget
    assert plan is not None
    assert plan.pilot.n == 60
    assert [(phase.name, phase.phase) for phase in plan.phases] == [
        ("check", "check"),
        ("cheap", "cheap"),
        ("expensive", "dear"),
        ("label", "label"),
    ]
    with pytest.raises(UsageError, match="name its judges"):
        fd.plan_budget(300, runs, labels=labels, costs={"label": 2})


def test_the_former_name_of_the_expensive_judge_warns():
    rates: dict[str, Any] = {
        "budget": 300,
        "of": 9_999,
        "costs": {"label": 2, "cheap": 0.001, "dear": 0.02},
        "cheap": (0.8, 0.8),
    }
    with pytest.warns(DeprecationWarning, match=r"plan is now plan_labels|dear= is now expensive=") as warned:
        former = fd.plan(**rates, dear=(0.9, 0.9))
    assert len(warned) == 2
    assert former.budget == fd.plan_budget(**rates, expensive=(0.9, 0.9)).budget


@pytest.mark.parametrize("names", [("dear", "expensive"), ("expensive", "dear")])
def test_a_step_with_a_cost_under_both_its_names_is_refused(names: tuple[str, str]):
    costs = {"label": 2.0, "cheap": 0.001} | dict.fromkeys(names, 0.02)
    with pytest.raises(UsageError, match="former name"):
        fd.plan_budget(300, costs=costs, cheap=(0.8, 0.8), expensive=(0.9, 0.9), of=9_999)


def test_a_budget_plan_refuses_its_expensive_judge_under_both_names():
    with pytest.raises(UsageError, match="former name"), pytest.warns(DeprecationWarning, match="now"):
        fd.plan(budget=300, dear=(0.9, 0.9), expensive=(0.8, 0.8), costs={"label": 2, "expensive": 0.02})


def test_a_mean_of_fractions_is_no_share_of_outputs_that_pass():
    rows = [{"item_id": f"i{n}", "judge": "j", "score": 0.25 + n % 2 / 10} for n in range(8)]
    for target in ("population", "finite"):
        assert "Mean score 0.30 [" in repr(fd.estimate(rows, target=target))
    told = repr(fd.estimate(rows))
    assert "] of 8 outputs by the judge alone, uncorrected." in told
    assert "pass by the judge" not in told


def test_at_a_given_threshold_a_rate_is_the_share_of_outputs_that_pass(tmp_path: Path):
    rows = [{"item_id": f"i{n}", "judge": "j", "score": 0.5 + n % 2 / 2} for n in range(40)]
    assert fd.estimate(rows).all.judge_mean == 0.75
    for pass_at in (1, {"j": 1.0}):
        rate = fd.estimate(rows, pass_at=pass_at)
        assert rate.all.judge_mean == 0.5
        assert "of outputs like these pass by the judge alone" in repr(rate)
    typed = fiducial("estimate", _write(tmp_path / "scores.csv", rows), "--pass-at", "1", "--json", "-")
    assert json.loads(typed.out)["all"]["judge_mean"] == 0.5


def test_a_rate_by_labels_alone_is_of_the_labelled_outputs():
    rows: list[dict[str, Any]] = [
        {"item_id": f"i{n}", "judge": "j", "score": 0.0, "label": float(n % 3 > 0)} for n in range(12)
    ]
    assert "] of outputs like these pass (all 12 labelled)." in repr(fd.estimate(rows))
    rows.append({"item_id": "i12", "judge": "j", "score": None, "label": None})
    assert "] of outputs like these pass (12 labelled); the judge is not used." in repr(fd.estimate(rows))


@pytest.mark.parametrize("clusters", [24, 6], ids=["independent", "clustered"])
def test_a_mean_score_has_one_interval_in_a_run_and_in_an_estimate(tmp_path: Path, clusters: int):
    shares = [1.0, 0.25, 0.8, 1.0, 0.5, 0.0]
    cases = [
        {
            "id": f"q{n}",
            "kind": "open_answer",
            "messages": [{"role": "user", "content": "Why?"}],
            "reference": {"criterion": "It explains."},
            "cluster": f"c{n % clusters}",
        }
        for n in range(24)
    ]
    outputs = [{"case_id": f"q{n}", "system": "me", "text": str(shares[n % 6])} for n in range(24)]

    def share(output: str) -> float:
        return float(output)

    run = fd.evaluate(cases, outputs, judges=[fd.judge_from(share)], out=tmp_path / "run")
    (shown,) = run.systems["me"].open.values()
    estimated = fd.estimate(tmp_path / "run").all.uncorrected
    assert shown.n == estimated.n == 24
    assert (shown.value, shown.low, shown.high) == pytest.approx(
        (estimated.value, estimated.low, estimated.high), abs=1e-12
    )
    assert shown.method == estimated.method


@pytest.mark.parametrize("scale", [(1, 5), [1, 5], (1.0, 5.0)])
def test_the_ends_of_a_scale_may_be_whole_numbers(scale: Any):
    rows = [{"score": 1 + 4 * row["score"], "label": row["label"]} for row in ROWS]
    assert fd.calibrate(rows, score_scale=scale)["judge"].cohen_kappa == fd.calibrate(ROWS)["j"].cohen_kappa


@pytest.mark.parametrize("field", ["score", "label"])
@pytest.mark.parametrize("form", [list, pd.DataFrame])
def test_an_infinite_grade_is_an_error_and_not_a_missing_one(field: str, form: Callable[[Any], Any]):
    table = form([*ROWS, {"item_id": "x", "judge": "j", "score": 1.0, "label": 1.0, field: float("inf")}])
    with pytest.raises(InputError, match=rf"table:61: {field}: expected a number in \[0, 1\] or null"):
        fd.calibrate(table)


@pytest.mark.parametrize("form", [list, pd.DataFrame])
def test_an_infinite_label_of_a_second_table_is_an_error(form: Callable[[Any], Any]):
    labels = form([{"item_id": "i0", "label": 1.0}, {"item_id": "i1", "label": float("inf")}])
    with pytest.raises(InputError, match="labels:2: label"):
        fd.calibrate([{**row, "label": None} for row in ROWS], labels=labels)


@pytest.mark.parametrize("measure", [fd.calibrate, fd.estimate])
def test_labels_that_match_no_item_are_warned_of(measure: Callable[..., object]):
    labels = [{"item_id": f"i{number}", "label": number % 2} for number in range(50, 70)]
    with pytest.warns(UserWarning, match="10 of 20 labels match no item here, 'i60' for one") as caught:
        measure([{**row, "label": None} for row in ROWS], labels=labels)
    assert caught[0].filename == __file__


def test_a_mean_of_fractional_labels_is_called_a_mean_and_a_threshold_makes_it_a_rate() -> None:
    rows = [
        {
            "item_id": n,
            "judge": "j",
            "score": (0.2, 1)[n % 2],
            "label": (0.5, 1, 0.75)[n % 3] if n < 40 else None,
        }
        for n in range(60)
    ]
    mean = fd.estimate(rows, labels_chosen_by="random")
    assert mean["all"].label_fractions > 0
    assert "Mean label 0.7" in repr(mean)
    assert "pass rate" not in f"{mean}{mean!r}".lower()
    rate = fd.estimate(rows, pass_at=0.7)
    assert (rate["all"].label_fractions, rate["all"].is_mean) == (0, False)
    assert "of outputs like these pass" in repr(rate)
    unlabelled = [{**row, "label": None} for row in rows]
    assert "pass rate" not in str(fd.estimate(unlabelled)).lower()
    assert fd.estimate(unlabelled, pass_at=1)["all"].uncorrected.value == 0.5


def test_results_by_name_are_listed_searched_and_counted_like_mappings():
    trials = [row | {"trial": trial, "system": "a"} for row in ROWS for trial in (0, 1)]
    for result, names in (
        (fd.calibrate(ROWS), ["j"]),
        (fd.estimate(ROWS), ["all"]),
        (fd.trials(trials), ["a"]),
    ):
        assert (list(result), len(result), names[0] in result, "b" in result) == (names, 1, True, False)
        with pytest.raises(KeyError):
            result[0]  # pyright: ignore[reportArgumentType]
