"""A run folder as a calibration table: judges' verdicts beside what checkers and people say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

import fiducial as fd
from fiducial.calibration import Table
from fiducial.errors import InputError
from fiducial.evaluation.run_table import read_tables
from fiducial.records import Output, Source, Usage, Verdict, encode_record, write_records

JUDGE = "tool_call_accuracy/direct@m"


def verdict(case: str, score: float | None, source: Source, by: str) -> Verdict:
    output = Output(case_id=case, system="s")
    if score is None:
        return Verdict.on(output.key, outcome="unparsable", by=by, source=source)
    return Verdict.on(output.key, score=score, by=by, source=source, error_type=None if score else "wrong")


def table_of(run: Path) -> Table:
    return read_tables([run])


def append(run: Path, said: Verdict) -> None:
    with (run / "verdicts.jsonl").open("ab") as file:
        file.write(encode_record(said))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    verdicts = [
        verdict("one", 1.0, "checker", "ast/bfcl"),
        verdict("two", 0.0, "checker", "ast/bfcl"),
        verdict("one", 1.0, "judge", JUDGE),
        verdict("two", None, "judge", JUDGE),
        verdict("open", 1.0, "judge", JUDGE),
    ]
    write_records(tmp_path / "verdicts.jsonl", verdicts)
    return tmp_path


def test_scores_are_judges_and_labels_are_checkers(run: Path) -> None:
    table = table_of(run)
    assert list(table.item.values) == ["one|s|0", "two|s|0", "open|s|0"]
    assert table.judge.values == [JUDGE]
    np.testing.assert_array_equal(table.score, [1.0, np.nan, 1.0])
    np.testing.assert_array_equal(table.label, [1.0, 0.0, np.nan])
    assert table.columns["label_by"].values == ["ast/bfcl"]
    assert table.columns["error_type"].values == ["wrong"]


def test_the_open_part_is_what_no_checker_decided(run: Path) -> None:
    table = read_tables([run], open_only=True)
    assert (list(table.item.values), table.label.tolist()) == (
        ["open|s|0"],
        [pytest.approx(np.nan, nan_ok=True)],
    )
    assert (table.undecided_only, table_of(run).undecided_only) == (True, False)


def test_a_run_that_its_checkers_decided_has_nothing_to_correct(run: Path) -> None:
    append(run, verdict("open", 1.0, "checker", "ast/bfcl"))
    with pytest.raises(InputError, match="a checker decided all"):
        read_tables([run], open_only=True)


def test_people_take_precedence_over_checkers(run: Path) -> None:
    write_records(run / "labels.jsonl", [verdict("one", 0.0, "human", "ada")])
    assert table_of(run).label.tolist()[:2] == [0.0, 0.0]


def test_an_empty_labels_file_is_no_error(run: Path) -> None:
    (run / "labels.jsonl").touch()
    assert table_of(run).label.tolist()[:2] == [1.0, 0.0]


def test_a_later_line_replaces_an_ungraded_one(run: Path) -> None:
    append(run, verdict("two", 1.0, "judge", JUDGE))
    assert table_of(run).score.tolist() == [1.0, 1.0, 1.0]


def test_clusters_are_cases_unless_named(run: Path) -> None:
    assert table_of(run).cluster.tolist() == [0, 1, 2]


def test_clusters_that_the_run_wrote_down_are_used(run: Path) -> None:
    (run / "clusters.json").write_text('{"one": "trip", "two": "trip"}')
    assert table_of(run).cluster.tolist() == [0, 0, 1]
    (run / "clusters.json").write_text('{"one": 1}')
    with pytest.raises(InputError, match=r"clusters\.json: cannot be read as clusters by case"):
        table_of(run)


def test_a_labels_file_reaches_items_of_any_table(run: Path, tmp_path: Path) -> None:
    labels = tmp_path / "gold.jsonl"
    write_records(labels, [verdict("open", 0.0, "human", "ada")])
    assert read_tables([run], labels=labels).label.tolist() == [1.0, 0.0, 0.0]


def test_labels_of_other_items_are_an_error(run: Path, tmp_path: Path) -> None:
    labels = tmp_path / "gold.jsonl"
    write_records(labels, [verdict("elsewhere", 0.0, "human", "ada")])
    with pytest.raises(InputError, match="no label belongs to an item in the table"):
        read_tables([run], labels=labels)


def test_each_person_and_the_checker_are_kept_beside_the_label(run: Path) -> None:
    labels = [verdict("one", 0.0, "human", "ada"), verdict("one", 1.0, "human", "ben")]
    write_records(run / "labels.jsonl", labels)
    table = table_of(run)
    assert table.label[0] == 1.0
    np.testing.assert_array_equal(table.numbers["person:ada"], [0.0, np.nan, np.nan])
    np.testing.assert_array_equal(table.numbers["person:ben"], [1.0, np.nan, np.nan])
    np.testing.assert_array_equal(table.numbers["baseline:checker"], [1.0, np.nan, np.nan])


def test_what_verdicts_cost_is_kept_and_added_up_over_resumes(run: Path) -> None:
    failed, answered = (
        replace(verdict("two", score, "judge", JUDGE), usage=Usage(calls=2, prompt_tokens=50))
        for score in (None, 1.0)
    )
    write_records(run / "verdicts.jsonl", [failed, verdict("one", 1.0, "judge", JUDGE), answered])
    numbers = table_of(run).numbers
    np.testing.assert_array_equal(numbers["calls"], [4.0, np.nan])
    np.testing.assert_array_equal(numbers["prompt_tokens"], [100.0, np.nan])


def test_a_run_without_judges_has_nothing_to_calibrate(tmp_path: Path) -> None:
    write_records(tmp_path / "verdicts.jsonl", [verdict("one", 1.0, "checker", "ast/bfcl")])
    with pytest.raises(InputError, match="no judge graded this run: fd"):
        table_of(tmp_path)


def test_a_scale_of_labels_in_a_table_is_not_that_of_a_runs_own(run: Path, tmp_path: Path) -> None:
    (tmp_path / "stars.csv").write_text("id,label\nopen,5\n")
    found = fd.calibrate(run, labels=tmp_path / "stars.csv", label_scale=(1, 5), label_pass_at=4)[JUDGE]
    assert (found.n, found.statistics["true_positive_rate"].n) == (2, 2)
