"""Tags of cases as columns of a run's table."""

from __future__ import annotations

from pathlib import Path

import pytest

import fiducial as fd
from fiducial.errors import InputError
from fiducial.evaluation.case_tags import with_tags
from fiducial.evaluation.run_table import read_tables
from fiducial.evaluation.store.run_store import RunStore


@pytest.fixture
def run(tmp_path: Path) -> Path:
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


def test_a_tag_can_be_a_stratum(run: Path):
    drawn = fd.plan_labels(run, draw=20, strata="topic").draw
    assert drawn is not None
    assert {name: plan.next for name, plan in drawn.strata.items()} == {"law": 10, "sport": 10}


def test_tags_of_few_values_are_columns_only_if_one_is_needed(run: Path):
    table = read_tables([run])
    with RunStore(run) as store:
        assert with_tags(table, [store], ["system"]) is table
        added = with_tags(table, [store], ["topic"]).columns
    assert added.keys() - table.columns.keys() == {"topic", "paid"}
    assert set(added["paid"].values) == {"true", "false"}


def test_an_unknown_stratum_names_tags_and_no_column_of_labels(run: Path):
    with pytest.raises(InputError, match=r"it has system, repeat, topic, paid$"):
        fd.plan_labels(run, draw=20, strata="theme")


def test_a_run_whose_inputs_are_gone_has_no_tags(run: Path):
    (run / "cases.jsonl").unlink()
    with pytest.raises(InputError, match=r"it has system, repeat$"):
        fd.plan_labels(run, draw=20, strata="topic")
