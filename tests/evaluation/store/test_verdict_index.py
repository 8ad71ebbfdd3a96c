from __future__ import annotations

import re
from pathlib import Path

import pytest
from each_row import each_row
from judge_ids import judge_id
from msgspec.structs import replace

from fiducial.errors import RecordError
from fiducial.evaluation.store.journal import VerdictJournal
from fiducial.evaluation.store.journal_rows import VerdictKey
from fiducial.evaluation.store.verdict_index import VerdictIndex
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
        assert list(journal.read()) == [verdict("a", "graded"), verdict("b", "graded")]


def test_what_was_asked_in_vain_was_spent_all_the_same(tmp_path: Path):
    with journal_of(tmp_path, verdict("a", "failed"), verdict("a", "graded")) as journal:
        (said,) = journal.standing
    assert said.spent == Usage(calls=4, prompt_tokens=6)
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
        assert [row.outcome for row in journal.verdicts_on(rows[0].key)] == ["graded", "refused"]
        assert journal.find(VerdictKey(rows[1].key, "j", 0)) == rows[1]


def test_whole_rows_are_read_while_others_are_added(tmp_path: Path):
    with journal_of(tmp_path) as journal:
        for number in range(50):
            journal.append(verdict(str(number), "graded"))
            assert journal.verdicts_on(verdict(str(number), "graded").key) == [verdict(str(number), "graded")]


@each_row(
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


def test_what_only_a_whole_verdict_shows_is_named_when_it_is_read_or_when_nobody_sealed_it(tmp_path: Path):
    with journal_of(tmp_path, verdict("a", "failed"), verdict("b", "graded")) as journal:
        seal = journal.seal
    path = tmp_path / "verdicts.jsonl"
    path.write_bytes(path.read_bytes().replace(b'{"pieces":["b"]}', b"7"))
    named = r"verdicts\.jsonl:2: evidence: "
    with VerdictJournal(path, seal=seal) as journal, pytest.raises(RecordError, match=named):
        list(journal.read())
    with pytest.raises(RecordError, match=named):
        VerdictJournal(path)


@pytest.mark.parametrize(
    ("field", "content"),
    [(b"judge", b'{"kind":"shipped"}'), (b"judge", b"3"), (b"usage", b'{"calls":"many"}'), (b"usage", b"[]")],
)
def test_who_judged_and_what_it_cost_are_looked_at_though_they_are_read_once_for_all_rows(
    tmp_path: Path, field: bytes, content: bytes
):
    whole = replace(verdict("a", "graded"), judge=judge_id("j"))
    with journal_of(tmp_path, whole, replace(whole, case_id="b")) as journal:
        seal = journal.seal
        (said, _) = journal.standing
        assert (said.author, said.spent) == (judge_id("j"), Usage(calls=2, prompt_tokens=3))
    path = tmp_path / "verdicts.jsonl"
    with VerdictJournal(path, seal=seal) as journal:
        assert next(iter(journal.standing)) == said
    first, second = path.read_bytes().splitlines(keepends=True)
    spoilt = re.sub(b'"' + field + rb'":\{[^}]*\}', b'"' + field + b'":' + content, second)
    path.write_bytes(first + spoilt)
    with pytest.raises(RecordError, match=rf"verdicts\.jsonl:2: {field.decode()}"):
        VerdictJournal(path, seal=seal)


def test_by_name_verdicts_come_in_one_order_whatever_was_said_first():
    rows = [
        replace(verdict(case_id, "graded"), by=by, system=system)
        for case_id in "ba"
        for by in "yx"
        for system in "ts"
    ]
    orders: list[list[tuple[str, str, str]]] = []
    for given in (rows, rows[::-1]):
        standing = VerdictIndex()
        for place, row in enumerate(given):
            standing.add(row, place)
        orders.append(
            [
                (stored_verdict.key.case_id, stored_verdict.by, stored_verdict.system)
                for stored_verdict in map(standing.__getitem__, standing.sorted_rows())
            ]
        )
    assert (
        orders[0]
        == orders[1]
        == [(case_id, by, system) for case_id in "ab" for by in "xy" for system in "st"]
    )
