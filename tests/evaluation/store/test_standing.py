from __future__ import annotations

from pathlib import Path

import pytest

from fiducial.errors import RecordError
from fiducial.evaluation.store.journal import VerdictJournal
from fiducial.evaluation.store.standing import VerdictKey
from fiducial.records import Outcome, Usage, Verdict, encode_record


def verdict(case_id: str, outcome: Outcome, repeat: int = 0) -> Verdict:
    score = 1.0 if outcome == "graded" else None
    return Verdict(
        case_id=case_id,
        system="s",
        by="j",
        source="judge",
        outcome=outcome,
        score=score,
        repeat=repeat,
        reason="so it is",
        evidence={"pieces": [case_id]},
        usage=Usage(calls=2, prompt_tokens=3, cached=outcome == "refused"),
    )


def journal_of(folder: Path, *verdicts: Verdict) -> VerdictJournal:
    journal = VerdictJournal(folder / "verdicts.jsonl")
    for entry in verdicts:
        journal.append(entry)
    return journal


def test_a_later_row_replaces_one_that_failed_in_its_place(tmp_path: Path):
    rows = [verdict("a", "failed"), verdict("b", "graded"), verdict("a", "failed"), verdict("a", "graded")]
    with journal_of(tmp_path, *rows) as journal:
        assert list(journal.whole()) == [verdict("a", "graded"), verdict("b", "graded")]


def test_what_was_asked_in_vain_was_spent_all_the_same(tmp_path: Path):
    with journal_of(tmp_path, verdict("a", "failed"), verdict("a", "graded")) as journal:
        (said,) = journal.standing
    assert said.spent == (4, 6, 0, 0, 0)
    assert (said.outcome, said.score, said.reason) == ("graded", 1.0, None)


def test_repeats_stand_beside_each_other(tmp_path: Path):
    with journal_of(tmp_path, verdict("a", "failed"), verdict("a", "graded", repeat=1)) as journal:
        assert [said.repeat for said in journal.standing] == [0, 1]


def test_only_what_failed_has_to_be_done_again(tmp_path: Path):
    rows = [verdict("a", "failed"), verdict("b", "unparsable"), verdict("c", "graded")]
    with journal_of(tmp_path, *rows) as journal:
        keys = [VerdictKey(row.key, "j", 0) for row in (*rows, verdict("d", "graded"))]
        assert [key in journal.settled for key in keys] == [False, True, True, False]


def test_a_journal_that_is_opened_again_stands_as_it_stood(tmp_path: Path):
    rows = [
        verdict("a", "failed"),
        verdict("b", "refused"),
        verdict("a", "graded"),
        verdict("a", "refused", 1),
    ]
    with journal_of(tmp_path, *rows) as journal:
        before = list(journal.standing)
    with VerdictJournal(tmp_path / "verdicts.jsonl") as journal:
        assert list(journal.standing) == before
        assert [row.outcome for row in journal.on(rows[0].key)] == ["graded", "refused"]
        assert journal.find(VerdictKey(rows[1].key, "j", 0)) == rows[1]


def test_whole_rows_are_read_while_others_are_added(tmp_path: Path):
    with journal_of(tmp_path) as journal:
        for number in range(50):
            journal.append(verdict(str(number), "graded"))
            assert journal.on(verdict(str(number), "graded").key) == [verdict(str(number), "graded")]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"case_id": "c", "system": "s"}', "missing required field `by`"),
        (encode_record(verdict("c", "graded")).replace(b"1.0", b"7.0"), "a score in \\[0, 1\\], got 7.0"),
        (
            encode_record(verdict("c", "failed")).replace(b'"failed"', b'"failed","score":1.0'),
            "only graded verdicts",
        ),
        (
            encode_record(verdict("a", "graded")),
            "a second verdict of j on a\\|s\\|0, which has a score already",
        ),
        (encode_record(verdict("a", "failed")), "a second verdict of j on a"),
        (encode_record(verdict("c", "graded")).replace(b"reason", b"season"), "unknown field 'season'"),
    ],
)
def test_a_line_that_cannot_stand_is_named(tmp_path: Path, line: bytes, message: str):
    journal_of(tmp_path, verdict("b", "failed"), verdict("a", "graded")).close()
    path = tmp_path / "verdicts.jsonl"
    path.write_bytes(path.read_bytes() + line.rstrip() + b"\n")
    with pytest.raises(RecordError, match=rf"verdicts\.jsonl:3: .*{message}"):
        VerdictJournal(path)


def test_what_only_a_whole_verdict_shows_is_named_when_it_is_read(tmp_path: Path):
    journal_of(tmp_path, verdict("a", "failed"), verdict("b", "graded")).close()
    path = tmp_path / "verdicts.jsonl"
    path.write_bytes(path.read_bytes().replace(b'{"pieces":["b"]}', b"7"))
    with VerdictJournal(path) as journal, pytest.raises(RecordError, match=r"verdicts\.jsonl:2: evidence: "):
        list(journal.whole())
