from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from fiducial.errors import RecordError
from fiducial.evaluation.run_folder.journal import Journal
from fiducial.evaluation.run_folder.verdict_log import VerdictIndex, settled, standing_verdicts
from fiducial.records import Outcome, Verdict


def verdict(case_id: str, outcome: Outcome, repeat: int = 0) -> Verdict:
    score = 1.0 if outcome == "graded" else None
    return Verdict(
        case_id=case_id, system="s", by="j", source="judge", outcome=outcome, score=score, repeat=repeat
    )


def journal_of(folder: Path, *verdicts: Verdict) -> Journal[Verdict]:
    journal = Journal(folder / "verdicts.jsonl", Verdict)
    for entry in verdicts:
        journal.append(entry)
    return journal


def test_a_later_row_replaces_one_that_failed(tmp_path: Path):
    rows = [verdict("a", "failed"), verdict("b", "graded"), verdict("a", "failed"), verdict("a", "graded")]
    with journal_of(tmp_path, *rows) as journal:
        assert list(standing_verdicts(journal)) == [verdict("b", "graded"), verdict("a", "graded")]


def test_a_failure_that_nothing_replaced_counts_once(tmp_path: Path):
    with journal_of(tmp_path, verdict("a", "failed"), verdict("a", "failed")) as journal:
        assert list(standing_verdicts(journal)) == [verdict("a", "failed")]


def test_repeats_stand_beside_each_other(tmp_path: Path):
    with journal_of(tmp_path, verdict("a", "failed"), verdict("a", "graded", repeat=1)) as journal:
        assert [entry.repeat for entry in standing_verdicts(journal)] == [0, 1]


def test_only_what_failed_has_to_be_done_again(tmp_path: Path):
    with journal_of(
        tmp_path, verdict("a", "failed"), verdict("b", "unparsable"), verdict("c", "graded")
    ) as journal:
        assert sorted(key.item.case_id for key in settled(journal)) == ["b", "c"]


def test_an_index_has_the_rows_that_stand(tmp_path: Path):
    rows = [
        verdict("a", "failed"),
        verdict("b", "failed"),
        verdict("a", "graded"),
        verdict("a", "refused", 1),
    ]
    journal_of(tmp_path, *rows).close()
    with closing(VerdictIndex(tmp_path / "verdicts.jsonl")) as index:
        assert [row.outcome for row in index[rows[0].key]] == ["graded", "refused"]
        assert [row.outcome for row in index[rows[1].key]] == ["failed"]


def test_an_index_names_the_line_that_is_no_verdict(tmp_path: Path):
    journal_of(tmp_path, verdict("a", "failed"), verdict("b", "graded")).close()
    path = tmp_path / "verdicts.jsonl"
    path.write_text(path.read_text().replace('"score":1.0', '"score":7.0'))
    with (
        closing(VerdictIndex(path)) as index,
        pytest.raises(RecordError, match=r"verdicts\.jsonl:2: score: "),
    ):
        index[verdict("b", "graded").key]
