"""Lengths of outputs and tags of cases are columns of runs; they test labels declared random."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fiducial as fd
from fiducial.calibration.corrected_rate.chosen_by_columns import contradiction
from fiducial.errors import InputError
from fiducial.evaluation.past_runs.compare_runs import two_runs
from fiducial.evaluation.run_table import read_tables, systems_table
from fiducial.evaluation.store.run_store import RunStore
from fiducial.evaluation.tested_columns import LENGTH, with_tags, with_tested_columns

RNG = np.random.default_rng(49)
WORDS = RNG.integers(0, 40, 120).tolist()
GOOD = (RNG.random(120) < 0.7).tolist()
CASES = [
    {
        "id": f"c{n}",
        "kind": "open_answer",
        "messages": [{"role": "user", "content": "Good?"}],
        "reference": {"criterion": "good"},
        "tags": {"few": n < 14 and n != 8},
    }
    for n in range(120)
]
OUTPUTS: list[dict[str, Any]] = [
    {"case_id": f"c{n}", "system": "me", "text": ("good" if GOOD[n] else "poor") + " word" * WORDS[n]}
    for n in range(120)
]
LONGEST = sorted(range(120), key=lambda n: -WORDS[n])[:30]
DRAWN: list[int] = RNG.choice(120, 30, replace=False).tolist()


def lenient(output: str) -> float:
    return float("good" in output)


def run_of(labelled: list[int], out: Path, outputs: list[dict[str, Any]] = OUTPUTS, **options: Any) -> fd.Run:
    given = [
        {
            "case_id": f"c{n}",
            "system": outputs[n]["system"],
            "by": "ann",
            "source": "human",
            "outcome": "graded",
            "score": float(GOOD[n] != (n % 11 == 0)),
        }
        for n in labelled
    ]
    return fd.evaluate(
        CASES,
        outputs,
        judges=[fd.judge_from(lenient)],
        rules=None,
        labels=given,
        out=out / "run",
        **options,
    )


@pytest.mark.parametrize("chosen", [True, False])
def test_long_outputs_labelled_more_often_contradict_a_random_sample(tmp_path: Path, chosen: bool):
    run_of(LONGEST if chosen else DRAWN, tmp_path, labels_chosen_by="random")
    with RunStore(tmp_path / "run") as store:
        (system,) = store.manifest_or_empty.results or []
    assert system.judged is not None
    found = system.judged.contradicted
    assert (list(found.columns) if found is not None else []) == [LENGTH] * chosen
    part = fd.estimate(tmp_path / "run").all
    assert list(part.chosen_by_columns) == [LENGTH] * chosen
    assert (part.reported is None) == chosen
    if chosen:
        reweighted = fd.estimate(tmp_path / "run", labels_chosen_by="random", reweight_by=[LENGTH]).all
        assert reweighted.reported == "reweighted"


@pytest.mark.parametrize("declared_in", ["run", "gate"])
@pytest.mark.parametrize("chosen", [True, False])
def test_a_gate_corrects_with_no_labels_that_lengths_contradict(
    tmp_path: Path, declared_in: str, chosen: bool
):
    said: dict[str, Any] = {"labels_chosen_by": "random"}
    labelled = LONGEST if chosen else DRAWN
    run = run_of(labelled, tmp_path, **said if declared_in == "run" else {})
    given = said if declared_in == "gate" else {}
    rate = fd.gate(run, minimum=["overall=0.4", "few:overall=0.1"], **given)
    drop = fd.gate(run, run, max_drop=0.4, **given)
    assert {check.by for check in [*rate.checks, *drop.checks]} == {
        "judge, uncorrected" if chosen else "judge, corrected by labels"
    }
    assert (rate.answer, drop.answer) == (("cannot tell",) * 2 if chosen else ("passes",) * 2)


@pytest.mark.parametrize("renamed", [True, False])
def test_lengths_of_each_of_two_runs_are_its_own(tmp_path: Path, renamed: bool):
    said: dict[str, Any] = {"labels_chosen_by": "random"}
    drawn = run_of(DRAWN, tmp_path / "drawn", **said)
    system = "you" if renamed else "me"
    longest = run_of(
        LONGEST, tmp_path / "longest", [output | {"system": system} for output in OUTPUTS], **said
    )
    for before, after in ((drawn, longest), (longest, drawn), (drawn, drawn)):
        with RunStore(before.kept) as was, RunStore(after.kept) as now:
            [strata] = two_runs(was, now).systems.values()
        sides = {"before" if before is longest else "after"} if before is not after else set[str]()
        found = {(name, *each.columns) for name, each in strata.all.contradicted.items()}
        assert found == {(side, LENGTH) for side in sides}


def test_lengths_are_read_only_where_labels_are_declared_a_random_sample(tmp_path: Path):
    run_of(DRAWN, tmp_path)
    with RunStore(tmp_path / "run") as store:
        table = systems_table(store)
        assert not any(LENGTH in name for name in table.numbers)
        declared = with_tested_columns(replace(table, labels_chosen_by="random"), [store])
        assert any(LENGTH in name for name in declared.numbers)
        for label in (np.full(len(table), np.nan), np.ones(len(table))):  # none is left to compare with
            given = replace(table, label=label, labels_chosen_by="random")
            assert with_tested_columns(given, [store]).numbers == given.numbers


def test_of_an_output_in_two_runs_the_first_has_the_length(tmp_path: Path):
    run_of(DRAWN, tmp_path / "a")
    run_of(DRAWN, tmp_path / "b", [output | {"text": f"{output['text']} more"} for output in OUTPUTS])
    with RunStore(tmp_path / "a" / "run") as first, RunStore(tmp_path / "b" / "run") as second:
        table = replace(systems_table(first), labels_chosen_by="random")
        lengths = [
            with_tested_columns(table, stores).numbers[f"covariate:{LENGTH}"].tolist()
            for stores in ([first], [first, second], [second, first])
        ]
    assert lengths[0] == lengths[1] != lengths[2]


def test_random_draws_are_seldom_contradicted_by_lengths(tmp_path: Path):
    run_of(DRAWN, tmp_path, labels_chosen_by="random")
    table, rng = read_tables([tmp_path / "run"], open_only=True), np.random.default_rng(50)
    found = 0
    for _ in range(60):
        known = rng.permutation(len(table)) < 30
        drawn = replace(table, label=np.where(known, table.score, np.nan))
        found += contradiction(drawn, drawn.score).p is not None
    assert found <= 2


def test_calls_count_as_they_are_written_and_an_output_of_nothing_has_no_length(tmp_path: Path):
    calls = [{"name": "find", "arguments": {"what": "word"}}]
    outputs = [*({**OUTPUTS[n], "text": "good"} for n in range(118))]
    outputs += [
        {"case_id": "c118", "system": "me", "tool_calls": calls},
        {"case_id": "c119", "system": "me", "error": "crashed"},
    ]
    run_of(DRAWN, tmp_path, outputs, labels_chosen_by="random")
    table = read_tables([tmp_path / "run"], outputs=True)
    codes: list[int] = table.item.codes.tolist()
    numbers: list[float] = table.numbers[f"covariate:{LENGTH}"].tolist()
    length = {table.item.values[code]: number for code, number in zip(codes, numbers, strict=True)}
    assert length["c1|me|0"] == pytest.approx(np.log1p(4))
    assert length["c118|me|0"] == pytest.approx(np.log1p(len(json.dumps(calls))), rel=0.1)
    assert np.isnan(length.get("c119|me|0", np.nan))


@pytest.fixture
def tagged_run(tmp_path: Path) -> Path:
    """A judged run of cases with a topic each, and with an id as a tag."""
    cases = [
        {"id": f"q{n}", "kind": "memory_answer", "messages": [{"role": "user", "content": f"When is day {n}?"}],
         "reference": {"answers": [f"on day {n}"]},
         "tags": {"topic": ("law", "sport")[n % 2], "row": f"r{n}", "paid": n % 3 == 0}}
        for n in range(40)
    ]  # fmt: skip
    outputs = [{"case_id": f"q{n}", "system": "bot", "text": f"Maybe on day {n}, or not."} for n in range(40)]
    fd.evaluate(cases, outputs, judges=["memory_answer"], model="baseline", out=tmp_path / "run")
    return tmp_path / "run"


def test_a_tag_can_be_a_stratum(tagged_run: Path):
    drawn = fd.plan_labels(tagged_run, draw=20, strata="topic").draw
    assert drawn is not None
    assert {name: plan.next for name, plan in drawn.strata.items()} == {"law": 10, "sport": 10}


def test_tags_of_few_values_are_columns_only_if_one_is_needed(tagged_run: Path):
    table = read_tables([tagged_run])
    with RunStore(tagged_run) as store:
        assert with_tags(table, [store], ["system"]) is table
        added = with_tags(table, [store], ["topic"]).columns
    assert added.keys() - table.columns.keys() == {"topic", "paid"}
    assert set(added["paid"].values) == {"true", "false"}


def test_an_unknown_stratum_names_tags_and_no_column_of_labels(tagged_run: Path):
    with pytest.raises(InputError, match=r"it has system, repeat, topic, paid$"):
        fd.plan_labels(tagged_run, draw=20, strata="theme")


def test_a_run_whose_inputs_are_gone_has_no_tags(tagged_run: Path):
    (tagged_run / "cases.jsonl").unlink()
    with pytest.raises(InputError, match=r"it has system, repeat$"):
        fd.plan_labels(tagged_run, draw=20, strata="topic")
