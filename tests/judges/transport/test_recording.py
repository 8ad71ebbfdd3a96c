"""Replies recorded, and judged again without a model."""

from __future__ import annotations

from pathlib import Path

import pytest
from judge_items import Judging, make_pairs
from provider_server import Answer, ProviderServer

from fiducial.errors import InputError, RecordError, RunFolderError
from fiducial.judges import replay
from fiducial.records import MAX_LINE_BYTES


def test_a_recording_is_replayed_to_the_same_verdicts_without_a_call(
    server: ProviderServer, judging: Judging, tmp_path: Path
) -> None:
    recording = tmp_path / "replies.jsonl"
    live = judging(make_pairs(4), record=recording, repeats=2)
    again = judging(make_pairs(4), provider=replay(recording), repeats=2)
    assert len(server.seen) == 8
    assert [(v.key, v.repeat, v.score, v.raw, v.reason) for v in live] == [
        (v.key, v.repeat, v.score, v.raw, v.reason) for v in again
    ]
    assert all(verdict.usage is not None and verdict.usage.cached for verdict in again)


def test_what_was_asked_twice_is_replayed_twice(
    server: ProviderServer, judging: Judging, tmp_path: Path
) -> None:
    server.script = lambda seen: Answer("hm") if seen.attempt == 1 else Answer("<S2>1</S2>")
    judging(make_pairs(1), record=tmp_path / "r.jsonl")
    (verdict,) = judging(make_pairs(1), provider=replay(tmp_path / "r.jsonl"))
    assert verdict.graded
    assert verdict.usage is not None
    assert verdict.usage.reasked == 1


def test_an_item_that_was_not_recorded_fails_with_the_reason(judging: Judging, tmp_path: Path) -> None:
    judging(make_pairs(1), record=tmp_path / "r.jsonl")
    known, unknown = judging(make_pairs(2), provider=replay(tmp_path / "r.jsonl"))
    assert known.graded
    assert unknown.outcome == "failed"
    assert "r.jsonl holds no reply to this request" in str(unknown.reason)


def test_replies_from_the_cache_are_recorded_too(
    server: ProviderServer, judging: Judging, tmp_path: Path
) -> None:
    judging(make_pairs(3), cache=tmp_path / "c.sqlite")
    judging(make_pairs(3), cache=tmp_path / "c.sqlite", record=tmp_path / "r.jsonl")
    assert len((tmp_path / "r.jsonl").read_bytes().splitlines()) == 3
    assert len(server.seen) == 3


def test_a_recording_is_continued_and_a_cut_off_line_dropped(judging: Judging, tmp_path: Path) -> None:
    recording = tmp_path / "r.jsonl"
    judging(make_pairs(2), record=recording)
    whole = recording.read_bytes()
    recording.write_bytes(whole + whole[: len(whole) // 4])
    assert all(verdict.graded for verdict in judging(make_pairs(2), provider=replay(recording)))
    judging(make_pairs(3), record=recording)
    lines = recording.read_bytes().splitlines()
    assert len(lines) == 5
    assert all(verdict.graded for verdict in judging(make_pairs(3), provider=replay(recording)))


def test_a_last_line_without_its_newline_is_kept(judging: Judging, tmp_path: Path) -> None:
    recording = tmp_path / "r.jsonl"
    judging(make_pairs(1), record=recording)
    recording.write_bytes(recording.read_bytes().rstrip())
    judging(make_pairs(2), record=recording)
    assert all(verdict.graded for verdict in judging(make_pairs(2), provider=replay(recording)))


def test_a_recording_with_something_else_in_it_is_refused(judging: Judging, tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text('{"key": 1}\n')
    with pytest.raises(RecordError, match=r"r\.jsonl:1"):
        judging(make_pairs(1), provider=replay(tmp_path / "r.jsonl"))
    with pytest.raises(InputError, match=r"none\.jsonl"):
        judging(make_pairs(1), provider=replay(tmp_path / "none.jsonl"))


def test_no_key_is_recorded(judging: Judging, tmp_path: Path) -> None:
    judging(make_pairs(1), record=tmp_path / "r.jsonl", cache=tmp_path / "c.sqlite")
    assert b"secret-key" not in (tmp_path / "r.jsonl").read_bytes()
    assert b"secret-key" not in (tmp_path / "c.sqlite").read_bytes()


@pytest.mark.attack("run folders and files")
@pytest.mark.parametrize("text", ["my notes", "my notes\n", '{"case_id": "a"}\n', "\n\n", '{"key": 1}\nmore'])
def test_a_file_of_something_else_is_neither_added_to_nor_cut(
    judging: Judging, tmp_path: Path, text: str
) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text(text)
    with pytest.raises(InputError, match="is no recording of replies; nothing was changed"):
        judging(make_pairs(1), record=notes)
    assert notes.read_text() == text


@pytest.mark.attack("run folders and files")
def test_a_recording_that_ends_with_something_else_is_not_cut(judging: Judging, tmp_path: Path) -> None:
    recording = tmp_path / "r.jsonl"
    judging(make_pairs(1), record=recording)
    before = recording.read_bytes() + b"and my notes"
    recording.write_bytes(before)
    with pytest.raises(InputError, match="ends with something that is no recorded reply"):
        judging(make_pairs(2), record=recording)
    assert recording.read_bytes() == before


@pytest.mark.attack("run folders and files")
def test_a_recording_is_not_written_through_a_link(judging: Judging, tmp_path: Path) -> None:
    (tmp_path / "other.jsonl").write_text("")
    (tmp_path / "r.jsonl").symlink_to(tmp_path / "other.jsonl")
    with pytest.raises(RunFolderError, match="symbolic link"):
        judging(make_pairs(1), record=tmp_path / "r.jsonl")
    assert (tmp_path / "other.jsonl").read_text() == ""


@pytest.mark.slow
@pytest.mark.attack("replies of systems")
def test_a_reply_too_long_to_be_read_again_is_left_out_of_a_recording(
    judging: Judging, server: ProviderServer, tmp_path: Path
) -> None:
    server.script = lambda seen: Answer("x" * (MAX_LINE_BYTES + 1) if "(#0)" in seen.text else "<S2>1</S2>")
    judging(make_pairs(2), record=tmp_path / "r.jsonl")
    again = judging(make_pairs(2), provider=replay(tmp_path / "r.jsonl"))
    assert [verdict.outcome for verdict in again] == ["failed", "graded"]
