"""Rows of labels that cannot be read are skipped everywhere, and each caller says so."""

from __future__ import annotations

import gzip
import warnings
from pathlib import Path

import pytest

import fiducial as fd
from fiducial.api.labels import join_labels
from fiducial.api.tables import read_calibration_table
from fiducial.records import Verdict, write_records
from fiducial.records.output import ItemKey
from fiducial.records.scale import Scale
from fiducial.tables.label_table import label_table
from fiducial.tables.several_label_files import joined_label_files

CASE = fd.Case(
    id="a", kind="open_answer", messages=[{"role": "user", "content": "Who?"}], reference={"criterion": "x"}
)
OUTPUT = fd.Output(case_id="a", system="bot", text="Me.")
SKIPPED = "1 row skipped, the first: {}:3: wrong number of fields: 3, but the header has 2"


def _labels(folder: Path) -> Path:
    path = folder / "labels.csv.gz"
    path.write_bytes(gzip.compress(b"id,label\na,1\nb,0,more\n"))
    return path


def _scores(folder: Path) -> Path:
    path = folder / "scores.csv"
    path.write_text("id,judge_score\na,1\n")
    return path


def test_a_table_of_scores_warns(tmp_path: Path):
    path = _labels(tmp_path)
    assert read_calibration_table(_scores(tmp_path), labels=path).warnings == (SKIPPED.format(path),)


def test_a_run_warns(tmp_path: Path):
    path = _labels(tmp_path)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fd.evaluate([CASE], [OUTPUT], labels=path)
    assert f"labels: {SKIPPED.format(path)}" in [str(message.message) for message in caught]


def test_labels_that_are_added_count_it(tmp_path: Path):
    path, folder = _labels(tmp_path), tmp_path / "imported"
    folder.mkdir()
    write_records(folder / "cases.jsonl", [CASE])
    write_records(folder / "outputs.jsonl", [OUTPUT])
    joined = join_labels(folder, path)
    assert (joined.added, joined.skipped) == (1, 1)
    assert joined.first_skipped == SKIPPED.format(path).partition("first: ")[2]


def test_several_files_count_them_together(tmp_path: Path):
    bad = tmp_path / "bad.csv"
    bad.write_text("id,label\na,1\nb\n")
    good = tmp_path / "good.csv"
    good.write_text("id,label\na,1\n")
    joined = joined_label_files([label_table(path, Scale.from_ends(), {}) for path in (good, bad, bad)])
    assert getattr(joined, "unread").count == 2  # noqa: B009 - an attribute of tables


def test_packed_verdicts_are_labels_too(tmp_path: Path):
    path = tmp_path / "labels.jsonl"
    write_records(path, [Verdict.on(ItemKey("a", "bot", 0), by="ann", source="human", score=0.0)])
    packed = tmp_path / "packed.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    scores = tmp_path / "scores.csv"
    scores.write_text("id,judge_score\na|bot|0,1\n")
    assert read_calibration_table(scores, labels=packed).label.tolist() == [0.0]


def test_labels_without_a_header_ask_for_one(tmp_path: Path):
    path = tmp_path / "labels.csv"
    path.write_text("a,PASS\nb,FAIL\nc,PASS\n")
    with pytest.raises(
        fd.FiducialError, match=r"'PASS' is a verdict; add a header to the file, such as id,label"
    ):
        fd.calibrate(_scores(tmp_path), labels=path)


@pytest.mark.parametrize("text", ["id,label\na,1,1\n", "id,label\n,,\na\n"])
def test_a_table_without_a_row_that_can_be_read_is_refused(text: str, tmp_path: Path):
    path = tmp_path / "labels.csv"
    path.write_text(text)
    with pytest.raises(fd.FiducialError, match=r"wrong number of fields: ., but the header has 2"):
        label_table(path, Scale.from_ends(), {})
