"""Lists of a run's outputs, read from its folder."""

from __future__ import annotations

from pathlib import Path

import fiducial as fd
from fiducial.evaluation.store.run_store import RunStore
from fiducial.records import ItemKey, Verdict
from fiducial.report.document import as_html
from fiducial.report.items.packing import pack
from fiducial.report.items.run_items import RunItems
from fiducial.report.items.view import groups_of, item_document, status_of, verdicts_summary
from fiducial.report.model import ListedItem
from fiducial.tables.standing_labels import majority_verdict

CASES = [
    {"id": f"c{n}", "kind": "memory_answer", "reference": {"answers": ["Rome"]}, "tags": {"category": f"k{n % 2}"}}
    for n in range(4)
]  # fmt: skip
OUTPUTS = [
    fd.Output(case_id=f"c{n}", system=system, trial=trial, text="Rome" if n else "I cannot say.")
    for n in range(4)
    for system in "ab"
    for trial in range(2)
]
LABEL = Verdict(case_id="c1", system="a", by="ada", source="human", outcome="graded", score=0.0)


def listed(run: Path) -> dict[ItemKey, ListedItem]:
    with RunStore(run) as store, RunItems(store) as items:
        return {item.key: item for item in items}


def test_each_output_has_what_was_said_of_it_and_all_of_which_the_same_was_said_share_it(tmp_path: Path):
    judges = [fd.judge("memory_answer", model="baseline")]
    fd.evaluate(CASES, OUTPUTS, judges=judges, judge_on="all", labels=[LABEL], out=tmp_path / "run", progress=False)  # fmt: skip
    items = listed(tmp_path / "run")
    assert list(items) == [output.key for output in OUTPUTS]
    labelled = ItemKey("c1", "a", 0)
    for key, item in items.items():
        expected = "disagreement" if key == labelled else "fails" if key.case_id == "c0" else "passes"
        assert (key, status_of(item.verdicts, {})) == (key, expected)
        assert verdicts_summary(item.verdicts, {}).startswith(
            "label: wrong; " if key == labelled else "checker: "
        )
    one, alike, other = (
        items[ItemKey(*key)].verdicts for key in (("c2", "a", 0), ("c3", "a", 0), ("c2", "b", 0))
    )
    assert one is alike
    assert one is not other  # another system's


def test_a_candidate_reads_its_own_output_and_knows_its_case(tmp_path: Path):
    fd.evaluate(CASES, OUTPUTS, out=tmp_path / "run", progress=False)
    with RunStore(tmp_path / "run") as store, RunItems(store) as items:
        listed = list(items)
        assert listed
        for item in listed:
            whole = item.read(item.offset, False)
            assert whole.output.key == item.key
            assert (whole.case.id, item.category) == (item.key.case_id, whole.case.tags["category"])
            assert whole.checker is not None
            assert whole.checker.key == item.key


def test_an_output_on_which_people_disagree_has_no_label(tmp_path: Path):
    tie = majority_verdict(LABEL.key, {"ada": 0.0, "ben": 1.0})
    fd.evaluate(CASES, OUTPUTS, labels=[LABEL, tie], out=tmp_path / "run", progress=False)
    item = listed(tmp_path / "run")[LABEL.key]
    assert item.verdicts.label is None


def test_a_case_without_an_output_is_an_item_that_says_so(tmp_path: Path):
    outputs = [output for output in OUTPUTS if (output.case_id, output.system) != ("c2", "b")]
    fd.evaluate(CASES, outputs, out=tmp_path / "run", progress=False)
    with RunStore(tmp_path / "run") as store, RunItems(store) as items:
        assert len(list(items)) == len(outputs)
        *_, last = items.with_missing()
        assert last.key == ItemKey("c2", "b", 0)
        assert (last.category, status_of(last.verdicts, {})) == ("k0", "not graded")
        assert groups_of(last.verdicts, {}) == ("ungraded", "no output")
        whole = last.read(last.offset, True)
        assert (whole.missing, whole.case.id) == (True, "c2")
        assert "b has no output for this case." in as_html(item_document(whole, {}))
        packed = pack(items.with_missing(), {})
    assert (packed.total, packed.totals["not graded"]) == (len(outputs) + 1, 1)
    assert "no output" in packed.choices["group"]


def test_a_run_in_which_each_system_answered_each_case_has_no_missing_items(tmp_path: Path):
    fd.evaluate(CASES, OUTPUTS, out=tmp_path / "run", progress=False)
    with RunStore(tmp_path / "run") as store, RunItems(store) as items:
        assert [item.key for item in items.with_missing()] == [output.key for output in OUTPUTS]
