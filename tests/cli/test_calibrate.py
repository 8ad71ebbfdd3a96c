"""``fiducial calibrate`` over a table as somebody has it."""

from __future__ import annotations

import json
from pathlib import Path

from command import fiducial


def test_a_word_may_stand_for_no_grade_and_columns_that_could_be_labels_are_named(tmp_path: Path):
    table = tmp_path / "grades.csv"
    rows = [f"{n},{'Bad' if n % 4 == 0 else 'Good'},{2 if n % 4 == 0 else 5}" for n in range(20)]
    rows[3] = "3,ERROR: timeout,5"
    table.write_text("\n".join(["id,GPT verdict,Alice (1-5)", *rows]) + "\n")
    refused = fiducial("calibrate", table)
    assert "nothing behind the = for no grade: --map-label 'ERROR: timeout=1'" in refused.err
    none = fiducial("calibrate", table, "--map-label", "ERROR: timeout=")
    assert "no label (could be 'Alice (1-5)': `fiducial calibrate" in none.err
    assert "--map-label 'ERROR: timeout=' --map 'label=Alice (1-5)' --label-scale 1:5`)" in none.err
    named = ("--map", "label=Alice (1-5)", "--label-scale", "1:5", "--label-pass-at", "4")
    found = fiducial("calibrate", table, "--map-label", "ERROR: timeout=", *named, "--json")
    assert json.loads(found.out)["judges"]["GPT verdict"]["n_missing"] == 1
    assert json.loads(found.out)["judges"]["GPT verdict"]["n"] == 19
    wrong = fiducial("calibrate", table, "--map-label", "timeout=maybe")
    assert "--map-label expects WORD=SCORE, or WORD= for no grade" in wrong.err


def test_labels_of_one_class_say_what_to_label(tmp_path: Path):
    table = tmp_path / "t.csv"
    table.write_text("item_id,judge,score,label\n" + "".join(f"q{n},strict,1,1\n" for n in range(40)))
    told = fiducial("calibrate", table).out
    assert "All 40 labels pass: label some outputs that fail." in told


def test_an_estimate_without_labels_claims_no_population(tmp_path: Path):
    table = tmp_path / "t.csv"
    table.write_text("item_id,judge,score\n" + "".join(f"q{n},strict,{n % 2}\n" for n in range(40)))
    for more in ((), ("-v",)):
        told = fiducial("estimate", table, *more).out
        assert "0.50" in told
        assert "Pass rate of the population" not in told


def test_columns_with_spaces_and_signs_are_named_as_a_shell_needs_them(tmp_path: Path):
    table = tmp_path / "t.csv"
    table.write_text("Ticket #,first one,second one\nT-1,0.5,1\nT-2,1,0\n")
    refused = fiducial("calibrate", table).err
    assert "--map 'score=first one' --map 'label=second one'" in refused
    named = ("--map", "score=first one", "--map", "label=second one")
    assert fiducial("calibrate", table, *named).code == 0


def test_what_long_names_share_stands_whole_above_a_table_that_has_no_room_for_it(tmp_path: Path):
    names = [f"{judge}/with_reasons@a_model_with_a_long_name" for judge in ("web_search_answer", "strict")]
    rows = (f"q{n},{name},{n % 3 // 2},{n % 2}" for name in names for n in range(40))
    table = tmp_path / "t.csv"
    table.write_text("\n".join(["item_id,judge,score,label", *rows]) + "\n")
    lines = fiducial("calibrate", table).out.splitlines()
    assert "judges .../with_reasons, a_model_with_a_long_name" in lines
    assert next(line for line in lines if line.startswith("judge ")).split()[:3] == ["judge", "passed", "bad"]
