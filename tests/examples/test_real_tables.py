"""Small messy tables with grades, typed as their owners would."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import fiducial

import fiducial as fd

LOGS = Path(__file__).parent / "real_logs"
FIVE = ["--label-scale", "1:5", "--label-pass-at", "4"]


def test_scores_and_human_grades_are_calibrated_right_away() -> None:
    result = fiducial("calibrate", LOGS / "theirs.csv", "--json", "-")
    statistics = json.loads(result.out)["judges"]["judge_passed"]["statistics"]
    assert statistics["accuracy"]["n"] == 60
    assert "label is 'human_passed'; score is 'judge_passed'; item_id is the row number" in result.err


@pytest.mark.parametrize("command", ["calibrate", "estimate", "compare"])
def test_a_scale_that_is_not_told_is_asked_for_with_the_option(command: str) -> None:
    failed = fiducial(command, LOGS / "shop_grades.csv")
    assert (failed.code, failed.err.count("\n")) == (2, 1)
    assert "1:5 if 5 is best" in failed.err
    assert "--label-scale '?:?'`" in failed.err


def test_grades_from_1_to_5_correct_the_rate() -> None:
    found = json.loads(fiducial("estimate", LOGS / "shop_grades.csv", *FIVE, "--json", "-").out)["all"]
    assert (found["n_labelled"], found["n_unlabelled"], found["n_missing"]) == (36, 11, 1)
    assert found["estimates"]["ppi_plus_plus"]["value"] == pytest.approx(0.446, abs=0.001)


def test_two_judges_beside_three_people_are_compared() -> None:
    found = json.loads(fiducial("compare", LOGS / "three_people.csv", "--json", "-").out)
    assert {found["pairs"][0]["a"], found["pairs"][0]["b"]} == {"gpt_judge", "small_judge"}


def test_a_column_that_is_not_known_is_named_with_map(tmp_path: Path) -> None:
    table = tmp_path / "odd.csv"
    table.write_text((LOGS / "theirs.csv").read_text().replace("judge_passed,human_passed", "first,second"))
    failed = fiducial("calibrate", table)
    assert failed.code == 2
    assert "--map 'score=?' --map 'label=?'`" in failed.err
    for command in ("calibrate", "estimate"):
        assert fiducial(command, table, "--map", "score=first", "--map", "second=label").code == 0


def test_python_reads_the_same_table() -> None:
    found = fd.estimate(LOGS / "shop_grades.csv", label_scale=(1, 5), label_pass_at=4)
    assert found["all"].n_labelled == 36
    odd = fd.calibrate([{"x": 1, "y": 1}, {"x": 0, "y": 1}], map={"score": "x", "y": "label"})
    assert odd["x"].accuracy.value == 0.5


def test_an_import_of_answers_with_grades_leads_to_labels_in_the_run(tmp_path: Path) -> None:
    shop = tmp_path / "shop"
    said = fiducial("import", LOGS / "rag_grades.csv", "--map-label", "sort of=0", "--out", shop).out
    assert f"--labels {shop}/labels.jsonl --out {shop}/run" in said
    labels = [json.loads(line) for line in (shop / "labels.jsonl").read_text().splitlines()]
    assert [label["score"] for label in labels] == [1, 1, 0, 1, 0]
    files = [shop / "cases.jsonl", "--outputs", shop / "outputs.jsonl", "--labels", shop / "labels.jsonl"]
    judged = ["--judge", "groundedness", "--model", "baseline", "--out", shop / "run", "-v"]
    assert "labels given: 5" in fiducial("run", *files, *judged).out


def test_an_unknown_label_is_listed_with_the_option_to_add(tmp_path: Path) -> None:
    said = fiducial("import", LOGS / "rag_grades.csv", "--out", tmp_path / "shop").out
    assert "unknown label 'sort of': map it with --map-label 'sort of=?'" in said


def test_scores_and_grades_that_are_imported_are_estimated_in_two_commands(tmp_path: Path) -> None:
    rows = "".join(
        f"q{n},a{n},{n % 3 > 0:d},{'yes' if n % 3 else 'no'}\n" if n % 2 else f"q{n},a{n},{n % 3 > 0:d},\n"
        for n in range(40)
    )
    table = tmp_path / "judged.csv"
    table.write_text(f"question,answer,score,human_grade\n{rows}")
    said = fiducial("import", table, "--out", tmp_path / "shop").out
    assert f"fiducial estimate {tmp_path}/shop" in said
    estimated = fiducial("estimate", tmp_path / "shop", "--labels-chosen-by", "random", "-v")
    assert estimated.code == 0, estimated.err
    assert "report this one: ppi_plus_plus" in estimated.out
    assert estimated.out.count("ppi_plus_plus  ") == 1  # a single system is printed once


JUDGED = [
    (f"q{n}", f"a{n}", "yes" if n % 3 else "no", ("good" if n % 4 else "bad") if n % 2 else "")
    for n in range(40)
]


@pytest.mark.parametrize("judge", ["judge_score", "judge_passed", "gpt_judge", "verdict", "faithfulness"])
@pytest.mark.parametrize("person", ["human_grade", "human_correctness"])
def test_a_table_is_imported_with_the_judge_that_it_has_for_calibrate(
    judge: str, person: str, tmp_path: Path
) -> None:
    table, shop = tmp_path / "judged.csv", tmp_path / "shop"
    rows = "".join(",".join(row) + "\n" for row in JUDGED)
    table.write_text(f"question,answer,{judge},{person}\n{rows}")
    said = fiducial("import", table, "--out", shop).out
    assert "40 verdicts of 1 judge, 20 labels of 1 person, in " in said
    direct = json.loads(fiducial("calibrate", table, "--json", "-").out)["judges"][judge]
    imported = json.loads(fiducial("calibrate", shop, "--json", "-").out)["judges"][judge]
    assert imported["statistics"] == direct["statistics"]
    assert "report this one" in fiducial("estimate", shop, "-v").out


def test_two_judges_beside_three_people_are_imported_as_such(tmp_path: Path) -> None:
    rows = (LOGS / "three_people.csv").read_text().replace("notes", "answer")
    table = tmp_path / "people.csv"
    table.write_text(rows)
    found = fd.read(table)
    assert {(verdict.by, verdict.source) for verdict in found.verdicts} == {
        *((name, "judge") for name in ("gpt_judge", "small_judge")),
        *((f"annotator_{n}", "human") for n in (1, 2, 3)),
        ("majority", "construction"),
    }


def test_numbers_outside_the_scale_stay_tags_of_a_case(tmp_path: Path) -> None:
    table = tmp_path / "tagged.csv"
    table.write_text("question,answer,model_score,priority\na,b,17.5,1\nc,d,3,0\n")
    found = fd.read(table)
    assert (found.verdicts, found.skipped) == ([], [])
    assert found.cases[0].tags == {"model_score": "17.5", "priority": "1"}


def test_grades_that_arrive_later_are_joined_by_id(tmp_path: Path) -> None:
    shop, grades = tmp_path / "shop", tmp_path / "later.csv"
    fiducial("import", LOGS / "rag_grades.csv", "--map-label", "sort of=0", "--out", shop)
    grades.write_text("id,grade\nr6,5\nr5,2\nr77,4\n")
    options = ["--label-scale", "1:5", "--label-pass-at", "4"]
    said = fiducial("labels", "add", shop, grades, *options).out
    assert "(2 added, 0 already there)" in said
    assert "1 label matches no output, 'r77' for one" in said
    assert "(0 added, 2 already there)" in fiducial("labels", "add", shop, grades, *options).out
    table = LOGS / "rag_grades.csv"  # whose words, such as "grounded", the import kept
    assert (
        "(0 added, 5 already there)" in fiducial("labels", "add", shop, table, "--map-label", "sort of=0").out
    )
    grades.write_text("id,grade\nR-6,1\n")
    failed = fiducial("labels", "add", shop, grades)
    assert (failed.code, "no label matches an output: the first is of 'R-6'" in failed.err) == (2, True)


def test_a_run_takes_a_table_of_grades_and_refuses_one_of_another_system(tmp_path: Path) -> None:
    shop, grades = tmp_path / "shop", tmp_path / "grades.csv"
    fiducial("import", LOGS / "rag_grades.csv", "--map-label", "sort of=0", "--out", shop)
    command = ["run", shop / "cases.jsonl", "--outputs", shop / "outputs.jsonl", "--judge", "groundedness"]
    command += ["--model", "baseline", "--labels", grades, "-v"]
    grades.write_text("id,system,label\nr1,other_bot,1\n")
    failed = fiducial(*command, "--out", tmp_path / "a")
    assert failed.code == 2
    assert "the first is of 'r1', system 'other_bot', the output there is 'r1', system 'logged'" in failed.err
    grades.write_text("id,label\nr1,good\nr2,bad\nnowhere,bad\n")
    said = fiducial(*command, "--out", tmp_path / "b").out
    assert "1 label matches no output" in said
