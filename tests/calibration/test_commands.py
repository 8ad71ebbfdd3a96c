"""`fiducial calibrate`, `compare`, `estimate` and `plan` as a person types them."""

from __future__ import annotations

import json
import random
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from command import fiducial
from each_row import each_row

from fiducial.records import write_records

ROWS: list[dict[str, Any]] = [
    {"item_id": f"c{number}|s|0", "judge": judge, "score": score, "label": label, "system": "s"}
    for judge in ("j", "k")
    for number, (label, score) in enumerate([(1, 1), (0, 0), (1, 0 if judge == "k" else 1), (0, 0)] * 8)
]
UNLABELLED = [row | {"label": None} for row in ROWS]


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.jsonl"
    write_records(path, ROWS)
    return path


def label_by_hand(path: Path, scores: dict[str, float]) -> None:
    """Write a person's verdicts on the answers of "s", by case."""
    verdict = {"system": "s", "by": "ada", "source": "human", "outcome": "graded"}
    write_records(path, ({"case_id": case} | verdict | {"score": score} for case, score in scores.items()))


def test_calibrate_json_is_the_contract(table: Path, tmp_path: Path) -> None:
    fiducial("calibrate", table, "--json", tmp_path / "out.json")
    result = json.loads((tmp_path / "out.json").read_text())
    assert {"judges", "baselines", "slices"} <= set(result)
    assert set(result["baselines"]) == {"always_pass", "always_fail"}
    assert set(result["judges"]["j"]["statistics"]["accuracy"]) == {
        "value", "low", "high", "level", "method", "n", "undefined"
    }  # fmt: skip


def test_json_without_a_file_is_printed_by_every_command(table: Path) -> None:
    assert "pairs" in json.loads(fiducial("compare", table, "--json").out)
    assert "judges" in json.loads(fiducial("calibrate", table, "--json", "--slice", "system").out)
    assert "all" in json.loads(fiducial("estimate", table, "--judge", "j", "--json").out)
    assert "items" in json.loads(fiducial("plan", "--json", "--difference", "0.1").out)
    spent = json.loads(
        fiducial("plan", "--json", *["--budget", "500", "--cost", "label=2", "--of", "999"]).out
    )["budget"]
    assert [each["phase"] for each in spent["phases"]] == ["check", "label"]


def test_json_without_labels_says_what_is_undefined(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    write_records(path, UNLABELLED)
    found = json.loads(fiducial("calibrate", path, "--json", "-").out)
    assert {"judges", "baselines", "slices"} <= set(found)
    assert found["judges"]["k"]["statistics"]["accuracy"]["undefined"]


def test_a_gate_that_fails_exits_1_and_says_which(table: Path) -> None:
    assert fiducial("calibrate", table, "--fail-under", "accuracy=0.7").code == 0
    failed = fiducial("calibrate", table, "--fail-under", "accuracy=0.9")
    assert (failed.code, failed.err) == (
        1,
        "gate failed: k: accuracy 0.7500 [0.5789, 0.8675] (n 32) is below 0.9\n",
    )


def test_a_gate_on_an_undefined_statistic_fails(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    path.write_text('{"item_id": "a", "judge": "j", "score": 1, "label": 1}\n')
    failed = fiducial("calibrate", path, "--fail-under", "cohen_kappa=0")
    assert failed.code == 1
    assert "cohen_kappa is undefined" in failed.err


@each_row(
    ("words", "message"),
    [
        (["calibrate", "TABLE", "--fail-under", "kapa=1"], "no statistic is called 'kapa'"),
        (["calibrate", "TABLE", "--fail-under", "mcc"], "expects STAT=VALUE"),
        (["calibrate", "TABLE", "--fail-under", "mcc=nan"], "expects a finite VALUE"),
        (["calibrate", "TABLE", "--column", "gold"], "--map expects FIELD=COLUMN"),
        (["calibrate", "TABLE", "--slice", "colour"], "no such column of few values; it has system"),
        (["calibrate", "FOLDER"], "not a run folder: it has no verdicts.jsonl"),
        (["calibrate", "TABS"], "a table needs the ending .csv or .tsv"),
        (["calibrate", "BAD"], "bad.jsonl:1: score: expected a number in [0, 1] or null, got 3"),
        (["calibrate", "TABLE", "--levels", "0"], "--levels expects 2 to 50 different numbers"),
        (["calibrate", "TABLE", "--levels", "0,0.5"], "the label 1 is not one of the levels 0, 0.5"),
        (["calibrate", "TABLE", "--threshold-for", "brier"], "there are accuracy"),
        (["calibrate", "TABLE", "--cascade", "j,k"], "certified at --max-error; give both"),
        (["calibrate", "TABLE", "--cascade", "j,z", "--max-error", "0.1"], "there is no judge 'z'"),
        (["calibrate", "TABLE", "--cascade", "j,j", "--max-error", "0.1"], "names a judge twice"),
        (["compare", "TABLE", "--statistic", "kappa"], "did you mean 'cohen_kappa'?"),
        (["compare", "UNLABELLED", "--right", "agrees"], "no row has a label, which --right agrees needs"),
        (["compare", "TABLE", "--by", "system"], "there is only one system"),
        (["estimate", "TABLE"], "name one with --judge"),
        (["plan"], "say what to plan"),
        (["plan", "--half-width", "0.1", "--by-doubt"], "are for --next"),
        (["plan", "TABLE", "--next", "3", "--by-doubt", "--strata", "score"], "two ways to draw"),
        (["plan", "BLANK", "--next", "3", "--strata", "colour"], "no column 'colour'"),
        (["plan", "BLANK", "--next", "3", "--strata", "score"], "take 20 new ones, not 3"),
        (["estimate", "TABLE", "--judge", "j", "--strata", "colour"], "no column 'colour'"),
        (["plan", "TABLE", "--next", "3", "--by-doubt"], "name one with --judge"),
        (["plan", "TABLE", "--next", "3", "--by-doubt", "--judge", "j"], "nothing to draw from"),
        (["estimate", "TABLE", "--judge", "j", "--draw", "BAD"], "bad.jsonl:1: label_probability: expected"),
        (["plan", "--difference", "0.3", "--discordant", "0.1"], "cannot be above"),
        (["plan", "TABLE", "--next", "3"], "every item has a label, so there is nothing to draw from"),
        (["plan", "--half-width", "0.1", "--cost", "label=2"], "are for --budget"),
        *(
            (["plan", "--budget", "500", *words.split()], message)
            for words, message in (
                ("--cost label=20 --of 1000", "a budget of 500 does not pay for 30 labels"),
                ("--cost label=2", "say how many there are"),
                (
                    "--cheap 0.9,0.9 --cost label=2",
                    "name the cost of one output of this step: --cost cheap=DOLLARS",
                ),
                ("--cost label=-1 --of 99", "--cost label expects a number of at least 0, got -1"),
                (
                    "--cost label=nan --of 99",
                    "--cost expects STEP=DOLLARS, got 'label=nan': nan is not a finite number",
                ),
                ("--cost water=2", "--cost water: expected check, cheap, expensive, label"),
                ("--cost label", "--cost expects STEP=DOLLARS, got 'label'"),
                (
                    "--cheap small --cost label=2",
                    "--cheap small: expected TPR,TNR (0.9,0.8), or a TABLE whose judge it names",
                ),
                ("--cheap 1.2,0.5 --cost label=2", "--cheap expects a number above 0 and below 1, got 1.2"),
            )
        ),
    ],
)
def test_bad_usage_and_bad_input_exit_2_with_one_line(
    table: Path, tmp_path: Path, words: list[str], message: str
) -> None:
    files = {"BAD": "bad.jsonl", "BLANK": "blank.jsonl", "UNLABELLED": "unlabelled.jsonl", "TABS": "t.txt"}
    places = {name: tmp_path / file for name, file in files.items()} | {"TABLE": table, "FOLDER": tmp_path}
    places["BAD"].write_text('{"item_id": "a", "judge": "j", "score": 3, "label_probability": 0}\n')
    places["TABS"].write_text("item_id\tjudge\tscore\na\tj\t1\n")
    write_records(places["BLANK"], UNLABELLED[:32])
    write_records(places["UNLABELLED"], UNLABELLED)
    result = fiducial(*(places.get(word, word) for word in words))
    assert result.code == 2
    assert message in result.err
    assert result.err.count("\n") == 1


def test_a_judge_without_labels_among_others_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    rows = [row | {"label": None} if row["judge"] == "k" else row for row in ROWS]
    write_records(path, rows)
    out = fiducial("calibrate", path, "-v").out
    (line,) = [line for line in out.splitlines() if line.startswith("k: ")]
    assert line == "k: 0 rows with label and score in 0 clusters (0 labelled without score, 32 without label)"
    assert "undefined: no row has both" not in out


def test_a_line_break_in_a_name_makes_no_line_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    forged = "j\n  accuracy  1.000"
    rows = [{"item_id": f"a\nb{n}", "judge": forged, "score": n % 2, "label": n % 3 % 2} for n in range(9)]
    write_records(path, rows)
    out = fiducial("calibrate", path, "-v").out
    assert r"j\n  accuracy  1.000: 9 rows with label and score" in out
    assert not any(line.startswith("  accuracy  1.000") for line in out.splitlines())
    path.write_text(path.read_text().replace('"label"', '"later"'))
    assert len(fiducial("plan", path, "--next", "2").out.splitlines()) == 3


def test_compare_prints_cost_beside_quality(tmp_path: Path) -> None:
    path = tmp_path / "tokens.jsonl"
    tokens = {"calls": 1, "prompt_tokens": 900, "completion_tokens": 100}
    write_records(path, (row | tokens | {"judge": row["judge"] + "@m"} for row in ROWS))
    lines = fiducial("compare", path, "--price", "m=1/2", "-v").out.splitlines()
    assert next(line.split() for line in lines if line.startswith("  j@m  ")) == [
        "j@m", "1.000", "[0.893,", "1.000]", "32", "1,000", "1.1000", "32", "Wilson"
    ]  # fmt: skip
    assert "not known" in fiducial("compare", path, "--price", "other=1/2", "-v").out


def test_items_may_be_their_own_clusters(tmp_path: Path) -> None:
    path = tmp_path / "clustered.jsonl"
    write_records(path, (row | {"cluster": row["item_id"][:2]} for row in ROWS))
    clusters = [
        json.loads(fiducial("calibrate", path, *words, "--json", "-").out)["judges"]["j"]["n_clusters"]
        for words in ([], ["--column", "cluster=item_id"])
    ]
    assert clusters == [10, 32]


def test_estimate_takes_labels_from_a_file(tmp_path: Path) -> None:
    path, labels = tmp_path / "judged.jsonl", tmp_path / "labels.jsonl"
    write_records(path, UNLABELLED[:32])
    label_by_hand(labels, {f"c{n}": float(n % 2 == 0) for n in range(12)})
    found = json.loads(fiducial("estimate", path, "--labels", labels, "--json").out)["s"]
    assert (found["n_labelled"], found["n_unlabelled"], found["n_missing"]) == (12, 20, 0)
    uncorrected = found["uncorrected"]
    assert [uncorrected[end] for end in ("value", "low", "high")] == pytest.approx(
        [0.5, 0.336, 0.664], abs=1e-3
    )
    assert (uncorrected["n"], uncorrected["method"]) == (32, "Wilson")
    assert 0 < found["lambda"] < 1
    assert found["label_equivalents"] > 12


def test_labels_of_other_items_are_refused_with_one_of_each(tmp_path: Path) -> None:
    path, labels = tmp_path / "judged.jsonl", tmp_path / "labels.jsonl"
    path.write_text('{"item_id": "q1", "judge": "j", "score": 1}\n')
    label_by_hand(labels, {"q1": 1.0})
    result = fiducial("calibrate", path, "--labels", labels)
    assert result.code == 2
    assert "the first is for 'q1|s|0', the first item_id of the table is 'q1'" in result.err
    assert "with id, label (and system)" in " ".join(fiducial("calibrate", "--help").out.split())


def test_labels_of_no_item_beside_others_are_counted(table: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels.jsonl"
    label_by_hand(labels, {"c0": 1.0, "c1": 0.0, "nowhere": 1.0})
    result = fiducial("calibrate", table, "--labels", labels, "--json")
    assert result.err == "note: 1 of 3 labels match no item here, 'nowhere|s|0' for one\n"
    assert "judges" in json.loads(result.out)


def test_a_score_of_a_label_that_is_out_of_range_is_named_by_its_field(table: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels.jsonl"
    label_by_hand(labels, {"c0": 3.0})
    result = fiducial("calibrate", table, "--labels", labels)
    assert result.code == 2
    assert "labels.jsonl:1: score: a graded verdict needs a score in [0, 1], got 3.0" in result.err


def test_a_draw_without_chances_is_said_to_be_taken_as_a_plain_one(tmp_path: Path) -> None:
    judged, draw = tmp_path / "judged.jsonl", tmp_path / "draw.jsonl"
    write_records(
        judged, (row | ({"label": None} if number > 9 else {}) for number, row in enumerate(ROWS[:32]))
    )
    fiducial("plan", judged, "--next", "5", "--out", draw)
    out = fiducial("estimate", judged, "--draw", draw, "-v").out
    assert "note: s: no label_probability for 5 items of the draw: taken for a simple random sample" in out
    assert "ppi_plus_plus" in out


def test_plan_says_in_how_many_samples_its_promise_holds() -> None:
    words = ["plan", "--half-width", "0.05", "--prevalence", "0.2"]
    assert "to within 0.05 (95 % interval) in 80 % of samples," in fiducial(*words).out
    assert "to within 0.05 (95 % interval) on average," in fiducial(*words, "--on-average").out
    average, most, nearly_all = (
        json.loads(fiducial(*words, *more, "--json").out)
        for more in (["--on-average"], [], ["--assurance", "0.95"])
    )
    assert [each["assurance"] for each in (average, most, nearly_all)] == [None, 0.8, 0.95]
    for name in ("true_positive_rate", "cohen_kappa"):
        assert average["labels"][name] < most["labels"][name] < nearly_all["labels"][name]


def test_plan_gives_sizes_and_items(tmp_path: Path) -> None:
    assert "1,043" in fiducial("plan", "--half-width", "0.05", "--prevalence", "0.2", "--on-average").out
    assert "469" in fiducial("plan", "--difference", "0.05", "--discordant", "0.15").out
    path = tmp_path / "judged.jsonl"
    write_records(path, UNLABELLED)
    planned = json.loads(fiducial("plan", path, "--next", "3", "--json").out)
    drawn = planned["next"]
    assert (len(set(drawn)), planned["of"]) == (3, 32)
    renamed = tmp_path / "renamed.jsonl"
    renamed.write_text(path.read_text().replace('"judge"', '"grader"'))
    assert (
        json.loads(fiducial("plan", renamed, "--column", "judge=grader", "--next", "3", "--json").out)["next"]
        == drawn
    )
    assert fiducial("plan", path, "--next", "1").out.startswith(
        "Label this one next, a random sample of 32 without a label"
    )


def test_a_budget_is_planned_by_a_pilot_and_what_it_bought_is_estimated(tmp_path: Path) -> None:
    chance, path = random.Random(1), tmp_path / "pilot.jsonl"
    rows: list[dict[str, Any]] = []
    for number in range(900):
        right = chance.random() < 0.6
        for judge, errs, reach, cost in (("small", 0.2, 900, 0.001), ("large", 0.06, 400, 0.02)):
            if number < reach:
                score = int(right ^ (chance.random() < errs))
                label = int(right) if number < 120 else None
                item = {"item_id": f"q{number}", "judge": judge, "cost": cost}
                rows.append(item | {"score": score, "label": label})
    write_records(path, rows)
    words = "--budget 900 --cost label=2 --cheap small --dear large --of 9999"
    pilot = fiducial("plan", path, *words.split())
    assert "From a pilot with 120 labels: " in pilot.out
    assert " 0.001 " in pilot.out  # what a verdict of the small judge cost, read from the table
    found = json.loads(fiducial("estimate", path, "--phases", "small,large", "--json").out)["all"][
        "estimates"
    ]
    assert found["multi_phase"]["method"] == "Wilson on the effective n, nested samples"
    assert found["multi_phase"]["low"] < 0.6 < found["multi_phase"]["high"]


def test_items_drawn_by_doubt_are_estimated_with_their_chances(tmp_path: Path) -> None:
    judged, draw, labels = (tmp_path / name for name in ("judged.jsonl", "draw.jsonl", "labels.jsonl"))
    rows = [
        {"item_id": f"c{number}|s|0", "judge": "j", "score": (number % 10) / 10, "system": "s"}
        for number in range(200)
    ]
    write_records(judged, rows)
    planned = fiducial("plan", judged, "--next", "40", "--by-doubt", "--out", draw)
    drawn = [json.loads(line) for line in draw.read_text().splitlines()]
    assert planned.out.startswith(f"Label all of these {len(drawn)}, drawn from 200 judged items")
    label_by_hand(
        labels, {row["item_id"].split("|")[0]: float(number % 2) for number, row in enumerate(drawn)}
    )
    estimates = json.loads(
        fiducial(
            "estimate", judged, "--labels", labels, "--draw", draw, "--target", "finite", "--json", "-"
        ).out
    )["all"]["estimates"]
    assert estimates["active"]["n"] == len(drawn)
    assert estimates["active"]["value"] == pytest.approx(0.5, abs=0.25)
    assert estimates["ppi"]["value"] is None


def test_items_drawn_by_stratum_are_estimated_in_their_strata(tmp_path: Path) -> None:
    judged, draw, labels = (tmp_path / name for name in ("judged.jsonl", "draw.jsonl", "labels.jsonl"))
    rows = [
        {"item_id": f"c{number}|s|0", "judge": "j", "score": number % 2, "kind": ("new", "old")[number > 120]}
        for number in range(200)
    ]
    write_records(judged, rows)
    planned = fiducial("plan", judged, "--next", "60", "--strata", "kind", "--out", draw)
    drawn = [json.loads(line) for line in draw.read_text().splitlines()]
    assert planned.out.startswith("Allocated by items times spread (Neyman):")
    assert {row["stratum"] for row in drawn} == {"new", "old"}
    label_by_hand(
        labels, {row["item_id"].split("|")[0]: float(number % 3 > 0) for number, row in enumerate(drawn)}
    )
    result = fiducial("estimate", judged, "--labels", labels, "--draw", draw, "--strata", "kind", "-v")
    assert result.code == 0
    line = next(line.split() for line in result.out.splitlines() if line.split()[:1] == ["stratified_ppi"])
    assert line[-2:] == ["logit,", "stratified"]
    assert ["new", "121"] in [line.split()[:2] for line in result.out.splitlines()]


def test_a_run_folder_whose_inputs_are_there_has_the_lexical_baseline(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    files: dict[str, list[dict[str, Any]]] = {
        "cases.jsonl": [],
        "outputs.jsonl": [],
        "run/verdicts.jsonl": [],
    }
    judge = {"kind": "shipped", "name": "memory_answer", "fingerprint": "f"}
    for number in range(8):
        case = {"case_id": f"c{number}", "system": "s"}
        said = {"outcome": "graded", "score": 1.0}
        files["cases.jsonl"].append(
            {"id": f"c{number}", "kind": "memory_answer", "reference": {"answers": ["Rome"]}}
        )
        files["outputs.jsonl"].append(case | {"text": ("Rome", "Oslo")[number % 2]})
        files["run/verdicts.jsonl"] += [
            case | said | {"by": "any name", "source": "judge", "judge": judge},
            case | said | {"by": "answer/strict", "source": "checker"},
        ]
    for name, rows in files.items():
        (tmp_path / name).write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    inputs = [
        {"path": str(tmp_path / name), "sha256": sha256((tmp_path / name).read_bytes()).hexdigest()}
        for name in ("cases.jsonl", "outputs.jsonl")
    ]
    (folder / "run.json").write_text(json.dumps({"inputs": inputs}))
    found = json.loads(fiducial("calibrate", folder, "--json", "-").out)["baselines"]["lexical"]
    assert (found["tp"], found["fn"]) == (4, 4)


@pytest.mark.parametrize("command", ["calibrate", "compare", "estimate", "plan"])
def test_help_has_an_example(command: str) -> None:
    result = fiducial(command, "--help")
    assert result.code == 0
    assert f"Example:\n    fiducial {command}" in result.out


def test_compare_by_system_says_which_passes_more_often_and_gives_strata(tmp_path: Path) -> None:
    rows = [
        {
            "item_id": f"c{number}|{system}|0",
            "judge": "j",
            "system": system,
            "cluster": number // 3,
            "checker_score": None if number % 4 == 0 else float(system == "good" or number % 2),
            "score": float(system == "good" or number % 3 == 0),
        }
        for system in ("good", "poor")
        for number in range(48)
    ]
    path = tmp_path / "systems.jsonl"
    write_records(path, rows)
    found = json.loads(fiducial("compare", path, "--by", "system", "--json").out)
    assert set(found["strata"]) == {"decided", "open", "all"}
    for stratum in found["strata"].values():
        assert set(stratum["rates"]) == {"good", "poor"}
        assert {"value", "low", "high", "level", "method", "n", "undefined"} == set(stratum["rates"]["good"])
        assert {"clustered_p", "clustered_holm_p", "difference"} <= set(stratum["pairs"][0])
    assert found["pairs"] == found["strata"]["all"]["pairs"]
    (pair,) = found["pairs"]
    assert (pair["a"], pair["b"], pair["better"]) == ("good", "poor", "good")


def test_pairs_of_judges_carry_the_clustered_p(tmp_path: Path) -> None:
    path = tmp_path / "clustered.jsonl"
    write_records(path, (row | {"cluster": row["item_id"][:2]} for row in ROWS))
    (pair,) = json.loads(fiducial("compare", path, "--json").out)["pairs"]
    assert pair["clustered_p"] == pair["clustered_holm_p"] is not None
    assert {"exact_p", "midp", "holm_p", "bh_p"} <= set(pair)


def test_calibrate_says_where_another_threshold_would_do_clearly_better(tmp_path: Path) -> None:
    # All scores pass at 0.5; what is right has 0.9.
    rows = [
        {"item_id": f"i{n}", "judge": "kind", "score": 0.9 if n % 2 else 0.6, "label": n % 2}
        for n in range(80)
    ]
    rows += [{"item_id": f"i{n}", "judge": "curt", "score": n % 2, "label": n % 2} for n in range(80)]
    path = tmp_path / "graded.jsonl"
    write_records(path, rows)
    found = json.loads(fiducial("calibrate", path, "--json").out)
    assert list(found["better_thresholds"]) == ["kind"]
    cut = found["better_thresholds"]["kind"]
    assert (cut["better_at"], cut["clear"], cut["gain"]["value"]) == (0.9, True, 0.5)
    assert {"code": "another_threshold", "about": {"kind": 0.9}, "kind": "another_cut"} in found["cautions"]
    assert "  threshold 0.9 raises balanced accuracy by 0.500 [0." in fiducial("calibrate", path, "-v").out
    assert "another threshold" not in fiducial("calibrate", path, "--pass-at", "kind=0.9").out
