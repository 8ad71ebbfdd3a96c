"""Verdicts as the rows of a table that calibrate reads."""

from __future__ import annotations

from fiducial.formats.export_items import ExportItem
from fiducial.formats.to_tables import verdict_rows
from fiducial.records import Case, ItemKey, Output, Verdict

ITEM = ItemKey("c", "s", 1)
CHECKED = Verdict.on(ITEM, by="exact", source="checker", score=0.0, reason="not Rome")
JUDGED = Verdict.on(ITEM, by="rubric/a@m", source="judge", score=1.0, repeat=2)
LABEL = Verdict.on(ITEM, by="ann", source="human", score=0.0)


def test_the_label_stands_beside_judges_alone():
    case = Case(id="c", kind="open_answer", cluster="group")
    item = ExportItem(case, Output(case_id="c", system="s", trial=1), [CHECKED, JUDGED], LABEL)
    checked, judged = verdict_rows([item])
    assert (checked["score"], checked["label"], checked["label_by"]) == (0.0, None, None)
    assert (judged["score"], judged["label"], judged["label_by"]) == (1.0, 0.0, "ann")


def test_a_row_names_its_output_with_cluster_trial_and_repeat():
    case = Case(id="c", kind="open_answer", cluster="group")
    (row,) = verdict_rows([ExportItem(case, Output(case_id="c", system="s", trial=1), [JUDGED])])
    assert (row["item_id"], row["case_id"], row["system"], row["trial"]) == ("c|s|1", "c", "s", 1)
    assert (row["cluster"], row["repeat"], row["label"]) == ("group", 2, None)
