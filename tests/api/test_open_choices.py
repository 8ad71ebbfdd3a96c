"""What only the user knows is proposed as ``?``, and refused until it is replaced."""

from __future__ import annotations

import json
import pickle
import shlex
from pathlib import Path
from typing import Any

import pytest
from command import fiducial
from each_row import each_row

import fiducial as fd
from fiducial.errors import ChoiceNeeded, InputError, UsageError

CHOICES = "id,question,answer,judge_choice,human\n" + "".join(
    f"{n},Why {n}?,So {n}.,{'AB'[n % 2]},{'AB'[n % 3 == 0]}\n" for n in range(6)
)
FAULTS = "id,question,answer,hallucination,judge_score\n" + "".join(
    f"{n},Why {n}?,So {n}.,{'yes' if n == 0 else 'no'},{float(n > 1)}\n" for n in range(5)
)


def _written(folder: Path, text: str, name: str = "rows.csv") -> Path:
    (folder / name).write_text(text)
    return folder / name


def test_words_of_a_choice_are_not_proposed_as_passes(tmp_path: Path):
    path = _written(tmp_path, CHOICES)
    commands = [(literal, path) for literal in ("calibrate", "compare", "estimate")]
    for typed in [*commands, ("import", path, "--out", tmp_path / "in")]:
        refused = fiducial(*typed)
        assert (refused.code, refused.err.count("\n")) == (2, 1)
        assert {*shlex.split(refused.err.split("`")[1])[len(typed) + 1 :]} == {"--map-label", "A=?", "B=?"}
    assert not (tmp_path / "in").exists()
    for function in (fd.calibrate, fd.read):
        with pytest.raises(ChoiceNeeded) as caught:
            function(path)
        assert caught.value.arguments == {"map_label": {"A": "?", "B": "?"}}
        asked = [choice for choice in caught.value.choices if "human" in choice.question]
        assert [(choice.setting, choice.candidates, len(choice.examples)) for choice in asked] == [("map_label", {"A": 4, "B": 2}, 3)]  # fmt: skip
        assert pickle.loads(pickle.dumps(caught.value)).choices == caught.value.choices


@each_row("command", ["calibrate", "compare", "estimate", "trials", "plan"])
def test_a_proposal_that_nobody_filled_in_is_refused_by_every_command_on_tables(command: str, tmp_path: Path):
    path = _written(tmp_path, CHOICES)
    for options in (("--map-label", "A=?", "--map-label", "B=1"), ("--map", "label=?"), ("--map", "?=human")):
        refused = fiducial(command, path, *options)
        assert (refused.code, refused.err.count("\n")) == (2, 1)
        assert shlex.quote(options[1]) in refused.err


def test_a_proposal_that_nobody_filled_in_is_refused_by_imports_and_labels(tmp_path: Path):
    path = _written(tmp_path, CHOICES)
    words = ("--map-label", "A=1", "--map-label", "B=0")
    assert fiducial("import", path, "--out", tmp_path / "in", *words).code == 0
    for typed in (("import", path, "--out", tmp_path / "new"), ("labels", "add", tmp_path / "in", path)):
        for options in (("--map-label", "A=?"), ("--map", "label=?"), ("--label-scale", "?:?")):
            refused = fiducial(*typed, *options)
            assert (refused.code, refused.err.count("\n")) == (2, 1)
            assert options[0] in refused.err
    assert not (tmp_path / "new").exists()


@each_row(
    ("function", "arguments", "shown"),
    [
        ("read", {"map_label": {"A": "?", "B": 1}}, "map_label={'A': '?'}"),
        ("calibrate", {"map_label": {"A": "?"}}, "map_label={'A': '?'}"),
        ("calibrate", {"map": {"label": "?"}}, "map={'label': '?'}"),
        ("read", {"map": {"label": "?"}}, "map={'label': '?'}"),
        ("read", {"label_scale": ("?", "?")}, "label_scale expects"),
    ],
)
def test_python_refuses_it_too(function: str, arguments: dict[str, Any], shown: str, tmp_path: Path):
    with pytest.raises(UsageError) as caught:
        getattr(fd, function)(_written(tmp_path, CHOICES), **arguments)
    assert shown in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_column_of_a_fault_is_proposed_with_the_question_which_value_is_good(tmp_path: Path):
    path = _written(tmp_path, FAULTS.replace(",judge_score", ",note"))
    printed = fiducial("import", path, "--out", tmp_path / "in").out
    (proposed,) = (line for line in printed.splitlines() if "label=hallucination" in line)
    assert proposed.endswith("--map label=hallucination --map-label 'no=?' --map-label 'yes=?'   (if these columns are more than tags)")  # fmt: skip
    assert "map={'label': 'hallucination'}, map_label={'no': '?', 'yes': '?'}" in repr(fd.read(path))


def test_labels_of_a_fault_are_read_once_both_values_have_a_score(tmp_path: Path):
    path = _written(tmp_path, FAULTS)
    for words in (None, {"no": 1}):
        with pytest.raises(ChoiceNeeded, match="'hallucination' names a fault"):
            fd.read(path, map={"label": "hallucination"}, map_label=words)
    found = fd.read(path, map={"label": "hallucination"}, map_label={"no": 1, "yes": 0})
    labels = [verdict.score for verdict in found.verdicts if verdict.source == "human"]
    assert (sum(filter(None, labels)) / len(labels), found.skipped) == (0.8, [])


def test_true_and_false_are_words_too():
    rows = [{"question": "a", "answer": "b", "refused": flag} for flag in (True, False)]
    found = fd.read(rows, map={"label": "refused"}, map_label={"true": 0, "false": 1})
    assert [verdict.score for verdict in found.verdicts] == [0.0, 1.0]


@pytest.mark.parametrize("command", ["calibrate", "compare"])
def test_a_table_of_scores_asks_for_the_direction_of_a_fault(command: str, tmp_path: Path):
    path = _written(tmp_path, FAULTS)
    refused = fiducial(command, path, "--map", "label=hallucination")
    assert refused.code == 2
    assert refused.err.rstrip().endswith(
        f"`fiducial {command} {path} --map label=hallucination --map-label 'no=?' --map-label 'yes=?'`"
    )
    with pytest.raises(InputError, match=r"map_label=\{'no': '\?', 'yes': '\?'\}"):
        fd.calibrate(path, map={"label": "hallucination"})
    numbers = fd.calibrate(path, map={"label": "hallucination"}, map_label={"no": 1, "yes": 0})
    assert (numbers["judge_score"].tp, numbers["judge_score"].tn) == (3, 1)


def test_a_judge_of_a_fault_is_left_out_beside_others_and_asked_about_alone(tmp_path: Path):
    both = "id,judge_score,toxicity_score,human\na,1,0.1,pass\nb,0,0.9,fail\n"
    assert [*fd.calibrate(_written(tmp_path, both))] == ["judge_score"]
    named = {"score": "judge_score", "toxicity_score": "score"}
    with pytest.raises(InputError, match=r"score_scale=\{'toxicity_score': \('\?', '\?'\)\}"):
        fd.calibrate(tmp_path / "rows.csv", map=named)
    alone = _written(tmp_path, "id,toxicity_score,human\na,0.1,pass\nb,0.9,fail\n", "alone.csv")
    with pytest.raises(InputError, match="'toxicity_score' names a fault"):
        fd.calibrate(alone)
    turned = fd.calibrate(alone, score_scale={"toxicity_score": (1, 0)})["toxicity_score"]
    assert (turned.tp, turned.tn) == (1, 1)


@pytest.mark.parametrize("metric", ["toxicity_score", "hallucination"])
def test_an_import_does_not_take_more_of_a_fault_for_better(metric: str, tmp_path: Path):
    rows = [
        {"user_input": "a", "response": "b", metric: 0.25},
        {"user_input": "c", "response": "d", metric: 1.0},
    ]
    path = _written(tmp_path, "".join(json.dumps(row) + "\n" for row in rows), "rows.jsonl")
    found = fd.read(path)
    assert (found.format, found.verdicts, len(found.skipped)) == ("ragas", [], 2)
    assert all(f"score_scale={{'{metric}': ('?', '?')}}" in skipped.reason for skipped in found.skipped)
    assert [verdict.score for verdict in fd.read(path, score_scale={metric: (1, 0)}).verdicts] == [0.75, 0.0]


def test_labels_of_a_fault_in_a_second_file_are_asked_about(tmp_path: Path):
    labels = _written(tmp_path, "id,human_refused\n0,yes\n1,no\n", "labels.csv")
    imported = fiducial("import", _written(tmp_path, FAULTS), "--out", tmp_path / "in")
    assert imported.code == 0
    refused = fiducial("labels", "add", tmp_path / "in", labels)
    assert (refused.code, "--map-label 'no=?' --map-label 'yes=?'" in refused.err) == (2, True)
    words = ("--map-label", "no=1", "--map-label", "yes=0")
    assert "(2 added" in fiducial("labels", "add", tmp_path / "in", labels, *words).out
    joined = fd.read(tmp_path / "rows.csv", join=labels, map={"label": "human_refused"})
    assert [skipped.field for skipped in joined.skipped if "names a fault" in skipped.reason] == [
        "human_refused"
    ] * 2


def test_words_that_make_all_grades_alike_are_refused_unless_that_is_said(tmp_path: Path):
    path, alike = _written(tmp_path, CHOICES), {"A": 1, "B": 1}
    options = ("--map-label", "A=1", "--map-label", "B=1")
    for typed in (("calibrate", path), ("estimate", path), ("import", path, "--out", tmp_path / "in")):
        refused = fiducial(*typed, *options)
        assert (refused.code, refused.err.count("\n")) == (2, 1)
        assert "pass; give different words different scores, or add --all-alike" in refused.err
        assert fiducial(*typed, *options, "--all-alike").code == 0
    labels = _written(tmp_path, "id,human\n0,A\n1,B\n", "labels.csv")
    assert fiducial("labels", "add", tmp_path / "in", labels, *options).code == 2
    for function in (fd.read, fd.calibrate):
        with pytest.raises(InputError, match="add all_alike=True"):
            function(path, map_label=alike)
        assert function(path, map_label=alike, all_alike=True)


@each_row(
    "grades", [{"human": [1, 1, 1]}, {"human": ["ok", "ok", "ok"]}, {"human": ["pass", "pass", "pass"]}]
)
def test_grades_that_are_alike_without_a_map_are_read(grades: dict[str, list[Any]]):
    rows = [{"id": n, "judge_score": n % 2, "human": each} for n, each in enumerate(grades["human"])]
    assert fd.calibrate(rows, map_label={"ok": 1})["judge_score"].n == 3


def test_a_dry_run_shows_what_each_choice_gives(tmp_path: Path):
    path = _written(tmp_path, CHOICES)
    open_ = ("--map-label", "A=?", "--map-label", "B=?")
    assert fiducial("calibrate", path, *open_, "--dry-run").out.splitlines() == [
        "--map-label A=1 --map-label B=0: judge_choice accuracy 0.50 (n 6)",
        "--map-label A=0 --map-label B=1: judge_choice accuracy 0.50 (n 6)",
    ]
    rates = fiducial("estimate", path, "--dry-run").out
    assert [line.rpartition(": ")[2] for line in rates.splitlines()] == ["pass rate 0.67 (6 labels)", "pass rate 0.33 (6 labels)"]  # fmt: skip


@each_row(
    "options", [("--label-scale", "?:?"), ("--score-scale", "?:?"), ("--score-scale", "judge_choice=1:?")]
)
def test_a_scale_with_an_open_end_is_refused(options: tuple[str, str], tmp_path: Path):
    refused = fiducial("calibrate", _written(tmp_path, CHOICES), *options)
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert f"replace each ? in {options[0]} " in refused.err


def test_a_joined_table_has_one_label_and_no_map_that_makes_all_alike(tmp_path: Path):
    path = _written(tmp_path, "id,question,answer\n0,Why?,So.\n1,How?,Thus.\n")
    two = _written(tmp_path, "id,human_label,expert_label\n0,1,0\n1,0,0\n", "two.csv")
    with pytest.raises(ChoiceNeeded) as asked:
        fd.read(path, join=two)
    assert asked.value.arguments == {"map": {"label": "?"}}
    assert [verdict.score for verdict in fd.read(path, join=two, map={"label": "human_label"}).verdicts] == [
        1.0,
        0.0,
    ]
    words = _written(tmp_path, "id,human_label\n0,A\n1,B\n", "words.csv")
    with pytest.raises(InputError, match="makes all 2 grades pass"):
        fd.read(path, join=words, map_label={"A": 1, "B": 1})


def test_examples_show_columns_that_rows_have(tmp_path: Path):
    lines = [
        f"{n},{grader},{n % 5 + 1},{'good' if n % 3 else 'bad'},{'AB'[n // 7 % 2]}\n"
        for n in range(60)
        for grader in ("x", "y")
    ]
    rows = "".join(("Item Nr.,Grader,Score (1-5),Human says,Bot\n", *lines, lines[3]))
    with pytest.raises(ChoiceNeeded) as caught:
        fd.calibrate(_written(tmp_path, rows))
    assert "#" in caught.value.options
    assert "#=" not in str(caught.value)
