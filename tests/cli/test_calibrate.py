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
    assert refused.err.endswith(f"`fiducial calibrate {table} --map-label 'ERROR: timeout='`\n")
    none = fiducial("calibrate", table, "--map-label", "ERROR: timeout=")
    assert "no label (could be 'Alice (1-5)': `fiducial calibrate" in none.err
    assert "--map-label 'ERROR: timeout=' --map 'label=Alice (1-5)' --label-scale '?:?'`)" in none.err
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
    assert "--map 'score=?' --map 'label=?'`" in refused
    named = ("--map", "score=first one", "--map", "label=second one")
    assert fiducial("calibrate", table, *named).code == 0


def test_what_long_names_share_stands_whole_above_a_table_that_has_no_room_for_it(tmp_path: Path):
    names = [f"{judge}/with_reasons@a_model_with_a_long_name" for judge in ("web_search_answer", "strict")]
    rows = (f"q{n},{name},{n % 3 // 2},{n % 2}" for name in names for n in range(40))
    table = tmp_path / "t.csv"
    table.write_text("\n".join(["item_id,judge,score,label", *rows]) + "\n")
    lines = fiducial("calibrate", table).out.splitlines()
    assert "judges .../with_reasons, a_model_with_a_long_name" in lines
    assert next(line for line in lines if line.startswith("judge ")).split()[:3] == ["judge", "let", "through"]


def _repeated(tmp_path: Path, numbered: str = "") -> Path:
    """Write 12 items with three repeats by two judges, and without a recognised id and score."""
    path = tmp_path / "multi.csv"
    rows = [
        f"ex {n},{judge},{int((n + repeat) % 4 > 0)},{int(n % 3 > 0)}{f',{repeat}' if numbered else ''}"
        for n in range(12)
        for repeat in range(3)
        for judge in ("gpt", "claude")
    ]
    path.write_text(
        "\n".join([f"Example,Grader,Rating,Human{f',{numbered}' if numbered else ''}", *rows]) + "\n"
    )
    return path


def test_repeats_without_a_known_id_are_refused_with_one_complete_command(tmp_path: Path):
    path = _repeated(tmp_path)
    refused = fiducial("calibrate", path, "--map", "score=Rating")
    assert (refused.code, "'Example' looks like the item id (12 values in 72 rows)" in refused.err) == (
        2,
        True,
    )
    assert "--map score=Rating --map item_id=Example --map 'repeat=#'`" in refused.err
    named = ("--map", "score=Rating", "--map", "item_id=Example", "--map", "repeat=#", "--json")
    by_item = json.loads(fiducial("calibrate", path, *named).out)["judges"]["gpt"]
    assert (by_item["n"], by_item["n_clusters"]) == (36, 12)
    dependent = fiducial("calibrate", path, "--map", "score=Rating", "--map", "cluster=Example", "--json")
    assert json.loads(dependent.out)["judges"]["gpt"]["n_clusters"] == 12


def test_a_column_that_numbers_repeats_is_named_in_the_command(tmp_path: Path):
    refused = fiducial("calibrate", _repeated(tmp_path, "Try"), "--map", "score=Rating")
    assert "--map item_id=Example --map repeat=Try`" in refused.err


def test_a_second_row_says_how_to_name_repeats(tmp_path: Path):
    refused = fiducial("calibrate", _repeated(tmp_path), "--map", "score=Rating", "--map", "item_id=Example")
    assert "a second row of item_id 'ex 0', judge 'gpt'; if these are repeats, name the column" in refused.err
    assert "--map repeat=COLUMN (--map 'repeat=#' numbers them in order), if outputs" in refused.err
    assert "--map trial=COLUMN; otherwise delete one" in refused.err


def test_a_second_row_names_the_only_column_that_tells_rows_apart(tmp_path: Path):
    options = ("--map", "score=Rating", "--map", "item_id=Example")
    refused = fiducial("calibrate", _repeated(tmp_path, "my epoch"), *options)
    assert "--map 'repeat=my epoch'" in refused.err or "--map repeat='my epoch'" in refused.err
    assert "--map 'trial=my epoch'" in refused.err


def test_score_scale_and_id_are_proposed_in_one_command(tmp_path: Path):
    path = tmp_path / "scores.csv"
    rows = [f"ex {n},{judge},{1 + n % 5},{n % 2}" for n in range(30) for judge in ("gpt", "claude")]
    path.write_text("\n".join(["Example,Grader,Rating,Human", *rows]) + "\n")
    assert "--map score=Rating --map item_id=Example --score-scale '?:?'`" in fiducial("calibrate", path).err
    named = ("--map", "score=Rating", "--map", "item_id=Example", "--score-scale", "1:5")
    assert fiducial("calibrate", path, *named).code == 0
    apart = ("--map", "score=Rating", "--map", "cluster=Example", "--score-scale", "1:5")
    compared = fiducial("compare", path, *apart).out
    assert compared.startswith(
        "No item in common: ids are row numbers. Name the id column: --map item_id=COLUMN"
    )
    assert "Nothing to compare" not in compared


def test_judges_of_binary_scores_have_no_threshold_to_choose(tmp_path: Path):
    path = tmp_path / "t.csv"
    rows = [f"q{n},{judge},{n % 2},{int(n % 5 > 1)}" for n in range(40) for judge in ("strict", "kind")]
    rows += [f"q{n},soft,{0.2 + n % 2 / 2},{int(n % 5 > 1)}" for n in range(40)]
    path.write_text("\n".join(["item_id,judge,score,label", *rows]) + "\n")
    told = fiducial("calibrate", path, "--threshold-for", "mcc").out
    assert "strict and kind: no threshold to choose, all scores are 0 or 1" in told
    assert "strict: threshold" not in told
    assert "soft: threshold 0.7 has the highest mcc" in told


def test_the_bias_of_the_ece_is_noted_only_beside_it(tmp_path: Path):
    path = tmp_path / "t.csv"
    rows = [f"q{n},soft,{0.2 + n % 4 / 5:g},{int(n % 5 > 1)}" for n in range(40)]
    path.write_text("\n".join(["item_id,judge,score,label", *rows]) + "\n")
    assert "ECE" not in fiducial("calibrate", path).out
    assert "ECE reads too high in small samples" in fiducial("calibrate", path, "-v").out
