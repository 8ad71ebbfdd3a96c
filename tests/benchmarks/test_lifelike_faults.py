"""Pairs of lifelike faults for requests, and the table of what judges tell apart."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from scripts import script

lifelike_faults = script("benchmarks/lifelike_faults.py")


def test_pairs_are_complete_and_kinds_take_turns(tmp_path: Path):
    drawn = lifelike_faults.draw_pairs(tmp_path, 20)
    assert Counter(each.plants for each in drawn.values()) == {"fault": 20, "twin": 20}
    kinds = Counter(each.operator.removesuffix("_twin") for each in drawn.values())
    assert sorted(kinds.values()) == [2] * 16 + [4] * 2


def test_a_judge_is_counted_by_pairs_of_which_it_scored_both(tmp_path: Path):
    drawn = lifelike_faults.draw_pairs(tmp_path, 18)
    right = {key: each.label for key, each in drawn.items()}
    rows = lifelike_faults.rows_of(right, tmp_path, {})
    assert set(rows) == {fault.name for fault in lifelike_faults.faults()}
    assert set(rows.values()) == {(1, 0, 1, 1)}
    assert set(lifelike_faults.rows_of(dict.fromkeys(drawn, 1.0), tmp_path, {}).values()) == {(0, 0, 0, 1)}
    alone = {key: score for key, score in right.items() if drawn[key].plants == "fault"}
    assert lifelike_faults.rows_of(alone, tmp_path, {}) == {}


def test_without_a_recording_a_model_has_no_row(tmp_path: Path):
    assert lifelike_faults.by_model(tmp_path, tmp_path / "lifelike.jsonl") == {}
