"""`fiducial calibrate`, `compare`, `estimate` and `plan` as a person types them."""

from __future__ import annotations

import json
import random
import re
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from fiducial.cli.main import main
from fiducial.records import write_records

ROWS: list[dict[str, Any]] = [
    {"item_id": f"c{number}|s|0", "judge": judge, "score": score, "label": label, "system": "s"}
    for judge in ("j", "k")
    for number, (label, score) in enumerate([(1, 1), (0, 0), (1, 0 if judge == "k" else 1), (0, 0)] * 8)
]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.jsonl"
    write_records(path, ROWS)
    return path


def label_by_hand(path: Path, scores: dict[str, float]) -> None:
    """Write a person's verdicts on the answers of "s", by case."""
    verdict = {"system": "s", "by": "ada", "source": "human", "outcome": "graded"}
    write_records(path, ({"case_id": case} | verdict | {"score": score} for case, score in scores.items()))


class Result:
    """What a command left behind."""

    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Any:
    """Run `fiducial` with these words."""
    monkeypatch.chdir(tmp_path)

    def call(*words: object) -> Result:
        monkeypatch.setattr(sys, "argv", ["fiducial", *map(str, words)])
        with pytest.raises(SystemExit) as left:
            main()
        captured = capsys.readouterr()
        return Result(int(left.value.code or 0), captured.out, captured.err)

    return call


def test_calibrate_prints_every_rate_with_interval_and_denominator(run: Any, table: Path) -> None:
    result = run("calibrate", table)
    assert result.status == 0
    assert (
        "j: 32 rows with label and score in 32 clusters (0 labelled without score, 0 without label)"
        in result.out
    )
    line = next(line for line in result.out.splitlines() if line.split()[:1] == ["true_positive_rate"])
    assert line.split() == ["true_positive_rate", "1.000", "[0.806,", "1.000]", "16", "Wilson"]
    assert "undefined: all labels, or all verdicts, are of one class" in result.out


def test_calibrate_json_is_the_contract(run: Any, table: Path, tmp_path: Path) -> None:
    run("calibrate", table, "--json", tmp_path / "out.json")
    result = json.loads((tmp_path / "out.json").read_text())
    assert {"judges", "baselines", "slices"} <= set(result)
    assert set(result["baselines"]) == {"always_pass", "always_fail"}
    assert set(result["judges"]["j"]["statistics"]["accuracy"]) == {
        "value", "low", "high", "level", "method", "n", "undefined"
    }  # fmt: skip


def test_json_on_the_terminal_is_nothing_but_json(run: Any, table: Path) -> None:
    assert set(json.loads(run("calibrate", table, "--json", "-").out)["judges"]) == {"j", "k"}
    assert "pairs" in json.loads(run("compare", table, "--json", "-").out)


def test_json_without_a_file_is_printed_by_every_command(run: Any, table: Path) -> None:
    assert "pairs" in json.loads(run("compare", table, "--json").out)
    assert "judges" in json.loads(run("calibrate", table, "--json", "--slice", "system").out)
    assert "all" in json.loads(run("estimate", table, "--judge", "j", "--json").out)
    assert "items" in json.loads(run("plan", "--json", "--difference", "0.1").out)


def test_a_gate_that_fails_exits_1_and_says_which(run: Any, table: Path) -> None:
    assert run("calibrate", table, "--fail-under", "accuracy=0.7").status == 0
    failed = run("calibrate", table, "--fail-under", "accuracy=0.9")
    assert (failed.status, failed.err) == (1, "gate failed: k: accuracy 0.7500 is below 0.9\n")


def test_a_gate_on_an_undefined_statistic_fails(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    path.write_text('{"item_id": "a", "judge": "j", "score": 1, "label": 1}\n')
    failed = run("calibrate", path, "--fail-under", "cohen_kappa=0")
    assert failed.status == 1
    assert "cohen_kappa is undefined" in failed.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["calibrate", "TABLE", "--fail-under", "kapa=1"], "no statistic is called 'kapa'"),
        (["calibrate", "TABLE", "--fail-under", "mcc"], "expects STAT=VALUE"),
        (["calibrate", "TABLE", "--fail-under", "mcc=nan"], "expects a finite VALUE"),
        (["calibrate", "TABLE", "--column", "gold"], "--column expects NAME=THEIRS"),
        (["calibrate", "TABLE", "--slice", "colour"], "no such column of few values; there are system"),
        (["calibrate", "FOLDER"], "a folder without verdicts.jsonl is no run folder"),
        (["calibrate", "TABS"], "what is not .csv or .parquet is read as JSON Lines"),
        (["calibrate", "BAD"], "bad.jsonl:1: score: expected a number in [0, 1] or null, got 3"),
        (["calibrate", "TABLE", "--levels", "0"], "--levels expects 2 to 50 different numbers"),
        (["calibrate", "TABLE", "--levels", "0,0.5"], "the label 1 is not one of the levels 0, 0.5"),
        (["calibrate", "TABLE", "--threshold-for", "brier"], "expected one of accuracy"),
        (["calibrate", "TABLE", "--cascade", "j,k"], "certified at --max-error; give both"),
        (["calibrate", "TABLE", "--cascade", "j,z", "--max-error", "0.1"], "there is no judge 'z'"),
        (["calibrate", "TABLE", "--cascade", "j,j", "--max-error", "0.1"], "names a judge twice"),
        (["compare", "TABLE", "--statistic", "kapa"], "expected one of accuracy"),
        (["compare", "UNLABELLED", "--right", "agrees"], "no row has a label, which --right agrees needs"),
        (["compare", "TABLE", "--by", "system"], "there is only one system"),
        (["estimate", "TABLE"], "name one with --judge"),
        (["plan"], "say what to plan"),
        (["plan", "--half-width", "0.1", "--by-doubt"], "are about --next"),
        (["plan", "TABLE", "--next", "3", "--by-doubt", "--strata", "score"], "two ways to draw"),
        (["plan", "BLANK", "--next", "3", "--strata", "colour"], "no column 'colour'"),
        (["plan", "BLANK", "--next", "3", "--strata", "score"], "take 20 new ones, not 3"),
        (["estimate", "TABLE", "--judge", "j", "--strata", "colour"], "no column 'colour'"),
        (["plan", "TABLE", "--next", "3", "--by-doubt"], "name one with --judge"),
        (["plan", "TABLE", "--next", "3", "--by-doubt", "--judge", "j"], "nothing to draw from"),
        (["estimate", "TABLE", "--judge", "j", "--draw", "BAD"], "bad.jsonl:1: label_probability: expected"),
        (["plan", "--difference", "0.3", "--discordant", "0.1"], "cannot be above"),
    ],
)
def test_bad_usage_and_bad_input_exit_2_with_one_line(
    run: Any, table: Path, tmp_path: Path, words: list[str], message: str
) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"item_id": "a", "judge": "j", "score": 3, "label_probability": 0}\n')
    blank = tmp_path / "blank.jsonl"
    write_records(blank, (row | {"label": None} for row in ROWS if row["judge"] == "j"))
    unlabelled = tmp_path / "unlabelled.jsonl"
    write_records(unlabelled, (row | {"label": None} for row in ROWS))
    tabs, folder = tmp_path / "t.tsv", tmp_path / "folder"
    tabs.write_text("item_id\tjudge\tscore\na\tj\t1\n")
    folder.mkdir()
    places = {
        "TABLE": table,
        "BAD": bad,
        "BLANK": blank,
        "UNLABELLED": unlabelled,
        "TABS": tabs,
        "FOLDER": folder,
    }
    result = run(*(places.get(word, word) for word in words))
    assert result.status == 2
    assert message in result.err
    assert result.err.count("\n") == 1


def test_a_table_without_labels_gets_one_line_that_says_how_to_give_them(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    write_records(path, (row | {"label": None} for row in ROWS))
    result = run("calibrate", path, "--slice", "system")
    assert result.status == 0
    (line,) = result.out.splitlines()
    assert line.startswith("no row has a label, so nothing can be said of j, k (64 rows)")
    assert "--labels FILE" in line
    assert "--column label=THEIRS" in line
    assert "fiducial plan TABLE --next 50" in line
    machine = json.loads(run("calibrate", path, "--json", "-").out)
    assert machine["judges"]["k"]["statistics"]["accuracy"]["undefined"]
    assert {"judges", "baselines", "slices"} <= set(machine)


def test_a_judge_without_labels_among_others_is_one_line(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    rows = [row | {"label": None} if row["judge"] == "k" else row for row in ROWS]
    write_records(path, rows)
    out = run("calibrate", path).out
    (line,) = [line for line in out.splitlines() if line.startswith("k: ")]
    assert line == "k: 0 rows with label and score in 0 clusters (0 labelled without score, 32 without label)"
    assert "undefined: no row has both" not in out


def test_the_cells_of_a_2x2_table_stand_under_their_heads(run: Any, table: Path) -> None:
    lines = run("calibrate", table).out.splitlines()
    head, passes, fails = next(
        lines[number : number + 3] for number, line in enumerate(lines) if "judge passes" in line
    )
    assert len(head) == len(passes) == len(fails)
    assert (passes.split()[-2:], fails.split()[-2:]) == (["16", "0"], ["0", "16"])


def test_a_line_break_in_a_name_makes_no_line_of_its_own(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    forged = "j\n  accuracy  1.000"
    rows = [{"item_id": f"a\nb{n}", "judge": forged, "score": n % 2, "label": n % 3 % 2} for n in range(9)]
    write_records(path, rows)
    out = run("calibrate", path).out
    assert r"j\n  accuracy  1.000: 9 rows with label and score" in out
    assert not any(line.startswith("  accuracy  1.000") for line in out.splitlines())
    path.write_text(path.read_text().replace('"label"', '"later"'))
    assert len(run("plan", path, "--next", "2").out.splitlines()) == 3


def test_slices_are_printed_on_request(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    write_records(path, (row | {"half": row["item_id"] < "c2"} for row in ROWS))
    out = run("calibrate", path, "--slice", "half").out
    assert "By half:" in out
    assert "\n  true\n" in out


def test_a_label_audit_corrects_the_rates(run: Any, table: Path, tmp_path: Path) -> None:
    audit = tmp_path / "audit.jsonl"
    label_by_hand(audit, {f"c{n}": float(n % 2 == 0) for n in range(16)})
    result = json.loads(run("calibrate", table, "--label-audit", audit, "--json", "-").out)["label_audit"]
    assert (result["tp"], result["fp"], result["fn"], result["tn"]) == (8, 0, 0, 8)
    assert result["judges"]["j"]["true_positive_rate"]["value"] == pytest.approx(1.0)


def test_a_threshold_is_certified_or_refused(run: Any, table: Path) -> None:
    assert "j: verdicts of confidence" in run("calibrate", table, "--max-error", "0.2").out
    assert "k: no threshold certified" in run("calibrate", table, "--max-error", "0.2").out


def test_a_cascade_is_certified_as_one(run: Any, table: Path) -> None:
    result = run("calibrate", table, "--max-error", "0.2", "--cascade", "k,j")
    assert (
        "Judges one after another: they decide 32 of 32 items, 0 wrongly; the rest is for people"
        in result.out
    )
    assert "  k: no threshold certified" in result.out


def test_scores_are_mapped_to_rates_on_request(run: Any, table: Path) -> None:
    out = run("calibrate", table, "--recalibrate", "platt").out
    assert "j, scores mapped to rates (platt, each tenth of the clusters by a map of the others" in out
    assert run("calibrate", table, "--recalibrate", "magic").status == 2


def test_levels_are_categories_on_request(run: Any, table: Path) -> None:
    out = run("calibrate", table, "--levels", "1,0,0.5").out
    assert "k, each level a category:" in out
    assert ["label", "0.5", "0", "0", "0"] in [line.split() for line in out.splitlines()]
    assert "  gwet_ac2_linear" in out


def test_compare_says_in_words_what_it_found(run: Any, table: Path) -> None:
    result = run("compare", table, "--flips", "1")
    assert "j and k: j is right more often" in result.out
    assert "only j is right on c2|s|0" in result.out


def test_compare_prints_cost_beside_quality(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "tokens.jsonl"
    tokens = {"calls": 1, "prompt_tokens": 900, "completion_tokens": 100}
    write_records(path, (row | tokens | {"judge": row["judge"] + "@m"} for row in ROWS))
    lines = run("compare", path, "--price", "m=1/2").out.splitlines()
    assert next(line.split() for line in lines if line.startswith("  j@m  ")) == [
        "j@m", "1.000", "[0.893,", "1.000]", "32", "1,000", "1.1000", "32", "Wilson"
    ]  # fmt: skip
    assert "not known" in run("compare", path, "--price", "other=1/2").out


def test_items_may_be_their_own_clusters(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "clustered.jsonl"
    write_records(path, (row | {"cluster": row["item_id"][:2]} for row in ROWS))
    clusters = [
        json.loads(run("calibrate", path, *words, "--json", "-").out)["judges"]["j"]["n_clusters"]
        for words in ([], ["--column", "cluster=item_id"])
    ]
    assert clusters == [10, 32]


def test_estimate_takes_labels_from_a_file(run: Any, tmp_path: Path) -> None:
    path, labels = tmp_path / "judged.jsonl", tmp_path / "labels.jsonl"
    write_records(path, (row | {"label": None} for row in ROWS if row["judge"] == "j"))
    label_by_hand(labels, {f"c{n}": float(n % 2 == 0) for n in range(12)})
    result = run("estimate", path, "--labels", labels)
    assert result.status == 0
    assert "all: 12 labelled and judged, 20 judged only, 0 without a verdict" in result.out
    assert "  judge's own mean, uncorrected: 0.500 [0.336, 0.664] on 32, Wilson\n" in result.out
    assert re.search(
        r"\n  lambda \d\.\d{3}; with the judge the labels are worth \d+ labels alone\n", result.out
    )


def test_estimate_without_labels_gives_the_judges_rate_and_says_how_to_give_labels(
    run: Any, tmp_path: Path
) -> None:
    path = tmp_path / "judged.jsonl"
    write_records(path, (row | {"label": None} for row in ROWS if row["judge"] == "j"))
    result = run("estimate", path)
    assert result.status == 0
    assert "judge's own mean, uncorrected: 0.500 [0.336, 0.664] on 32" in result.out
    assert "no item has a label, so nothing can correct that: label some" in result.out
    assert "undefined" not in result.out


def test_labels_of_other_items_are_refused_with_one_of_each(run: Any, tmp_path: Path) -> None:
    path, labels = tmp_path / "judged.jsonl", tmp_path / "labels.jsonl"
    path.write_text('{"item_id": "q1", "judge": "j", "score": 1}\n')
    label_by_hand(labels, {"q1": 1.0})
    result = run("calibrate", path, "--labels", labels)
    assert result.status == 2
    assert "the first is of 'q1|s|0', the first item_id of the table is 'q1'" in result.err
    assert "case_id|system|trial" in " ".join(run("calibrate", "--help").out.split())


def test_labels_of_no_item_beside_others_are_counted(run: Any, table: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels.jsonl"
    label_by_hand(labels, {"c0": 1.0, "c1": 0.0, "nowhere": 1.0})
    result = run("calibrate", table, "--labels", labels, "--json")
    assert result.err == "note: 1 of 3 labels are of no item that is looked at here\n"
    assert "judges" in json.loads(result.out)


def test_a_score_of_a_label_that_is_out_of_range_is_named_by_its_field(
    run: Any, table: Path, tmp_path: Path
) -> None:
    labels = tmp_path / "labels.jsonl"
    label_by_hand(labels, {"c0": 3.0})
    result = run("calibrate", table, "--labels", labels)
    assert result.status == 2
    assert "labels.jsonl:1: score: a graded verdict needs a score in [0, 1], got 3.0" in result.err


def test_a_draw_without_chances_is_said_to_be_taken_as_a_plain_one(run: Any, tmp_path: Path) -> None:
    judged, draw = tmp_path / "judged.jsonl", tmp_path / "draw.jsonl"
    write_records(
        judged, (row | ({"label": None} if number > 9 else {}) for number, row in enumerate(ROWS[:32]))
    )
    run("plan", judged, "--next", "5", "--out", draw)
    out = run("estimate", judged, "--draw", draw).out
    assert "note: all: no label_probability for 5 items of the draw: taken for a simple random sample" in out
    assert "ppi_plus_plus" in out


def test_plan_says_in_how_many_samples_its_promise_holds(run: Any) -> None:
    words = ["plan", "--half-width", "0.05", "--prevalence", "0.2"]
    assert "plus and minus 0.05 in 80% of samples:" in run(*words).out
    assert "plus and minus 0.05 on average:" in run(*words, "--on-average").out
    average, most, nearly_all = (
        json.loads(run(*words, *more, "--json").out)
        for more in (["--on-average"], [], ["--assurance", "0.95"])
    )
    assert [each["assurance"] for each in (average, most, nearly_all)] == [None, 0.8, 0.95]
    for name in ("true_positive_rate", "cohen_kappa"):
        assert average["labels"][name] < most["labels"][name] < nearly_all["labels"][name]


def test_plan_gives_sizes_and_items(run: Any, table: Path, tmp_path: Path) -> None:
    assert "1,043" in run("plan", "--half-width", "0.05", "--prevalence", "0.2", "--on-average").out
    assert "469" in run("plan", "--difference", "0.05", "--discordant", "0.15").out
    path = tmp_path / "judged.jsonl"
    write_records(path, (row | {"label": None} for row in ROWS))
    planned = json.loads(run("plan", path, "--next", "3", "--json").out)
    drawn = planned["next"]
    assert (len(set(drawn)), planned["of"]) == (3, 32)
    renamed = tmp_path / "renamed.jsonl"
    renamed.write_text(path.read_text().replace('"judge"', '"grader"'))
    assert (
        json.loads(run("plan", renamed, "--column", "judge=grader", "--next", "3", "--json").out)["next"]
        == drawn
    )
    assert run("plan", path, "--next", "1").out.startswith("Label this one next, of 32 without a label")


BUDGET = ("plan", "--budget", "500", "--cost", "label=2", "--cost", "cheap=0.0005", "--cost", "dear=0.02")


def test_plan_spends_a_budget(run: Any) -> None:
    rates = ("--cheap", "0.85,0.8", "--dear", "0.95,0.93", "--of", "1000000", "--prevalence", "0.6")
    out = run(*BUDGET, *rates, "--decided", "0.6", "--decided-rate", "0.7").out
    assert (
        "For 500.00 the rate of all outputs to plus and minus 0.0125 (95 %), that of the open ones to 0.0312:"
        in out
    )
    assert [line.split()[:2] for line in out.splitlines()[2:6]] == [
        ["check", "1,000,000"],
        ["cheap", "19,920"],
        ["dear", "3,021"],
        ["label", "214"],
    ]
    assert "As narrow without a judge: 1,893.34" in out
    found = json.loads(run(*BUDGET, *rates, "--json").out)["budget"]
    assert [each["phase"] for each in found["phases"]] == ["check", "cheap", "dear", "label"]
    assert found["spent"] <= 500


def test_a_budget_is_planned_by_a_pilot_and_what_it_bought_is_estimated(run: Any, tmp_path: Path) -> None:
    chance, path = random.Random(1), tmp_path / "pilot.jsonl"
    rows: list[dict[str, Any]] = []
    for number in range(900):
        right = chance.random() < 0.6
        for judge, errs, reach, cost in (("small", 0.2, 900, 0.001), ("large", 0.06, 400, 0.02)):
            if number < reach:
                score = int(right ^ (chance.random() < errs))
                label = int(right) if number < 120 else None
                rows.append(
                    {
                        "item_id": f"q{number}",
                        "judge": judge,
                        "score": score,
                        "label": label,
                        "cost": cost,
                    }
                )
    write_records(path, rows)
    pilot = run(
        "plan",
        path,
        "--budget",
        "900",
        "--cost",
        "label=2",
        "--cheap",
        "small",
        "--dear",
        "large",
        "--of",
        "9999",
    )
    assert "By a pilot with 120 labels: " in pilot.out
    assert " 0.001 " in pilot.out  # what a verdict of the small judge cost, read from the table
    found = json.loads(run("estimate", path, "--phases", "small,large", "--json").out)["all"]["estimates"]
    assert found["multi_phase"]["method"] == "Wilson on the effective n, nested samples"
    assert found["multi_phase"]["low"] < 0.6 < found["multi_phase"]["high"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--budget", "5", "--cost", "label=2", "--of", "1000"), "a budget of 5 does not pay for 30 labels"),
        (("--budget", "500", "--cost", "label=2"), "say how many outputs there are"),
        (
            ("--budget", "500", "--cheap", "0.9,0.9", "--cost", "label=2"),
            "say what one costs: --cost cheap=DOLLARS",
        ),
        (("--budget", "500", "--cost", "label=-1", "--of", "99"), "a cost is a number from 0 on, got -1"),
        (("--budget", "500", "--cost", "label=nan", "--of", "99"), "a cost is a number from 0 on, got nan"),
        (("--budget", "500", "--cost", "water=2"), "--cost is of check, cheap, dear or label"),
        (("--budget", "500", "--cost", "label"), "--cost expects WHAT=DOLLARS, got 'label'"),
        (("--budget", "500", "--cheap", "small", "--cost", "label=2"), "without one they are TPR,TNR"),
        (
            ("--budget", "500", "--cheap", "1.2,0.5", "--cost", "label=2"),
            "rates are above 0 and below 1, got 1.2,0.5",
        ),
        (("--half-width", "0.1", "--cost", "label=2"), "are about --budget"),
    ],
)
def test_a_budget_that_cannot_be_planned_is_one_line(run: Any, words: tuple[str, ...], said: str) -> None:
    result = run("plan", *words)
    assert result.status == 2
    assert said in result.err
    assert result.err.count("\n") == 1


def test_plan_says_when_nothing_is_left_to_label(run: Any, table: Path) -> None:
    result = run("plan", table, "--next", "3")
    assert result.status == 2
    assert result.err == "fiducial: every item has a label, so there is nothing to draw from\n"


def test_items_drawn_by_doubt_are_estimated_with_their_chances(run: Any, tmp_path: Path) -> None:
    judged, draw, labels = (tmp_path / name for name in ("judged.jsonl", "draw.jsonl", "labels.jsonl"))
    rows = [
        {"item_id": f"c{number}|s|0", "judge": "j", "score": (number % 10) / 10, "system": "s"}
        for number in range(200)
    ]
    write_records(judged, rows)
    planned = run("plan", judged, "--next", "40", "--by-doubt", "--out", draw)
    drawn = [json.loads(line) for line in draw.read_text().splitlines()]
    assert planned.out.startswith(f"Label all of these {len(drawn)}, of 200 judged and not labelled")
    label_by_hand(
        labels, {row["item_id"].split("|")[0]: float(number % 2) for number, row in enumerate(drawn)}
    )
    estimates = json.loads(
        run("estimate", judged, "--labels", labels, "--draw", draw, "--target", "finite", "--json", "-").out
    )["all"]["estimates"]
    assert estimates["active"]["n"] == len(drawn)
    assert estimates["active"]["value"] == pytest.approx(0.5, abs=0.25)
    assert estimates["ppi"]["value"] is None


def test_items_drawn_by_stratum_are_estimated_in_their_strata(run: Any, tmp_path: Path) -> None:
    judged, draw, labels = (tmp_path / name for name in ("judged.jsonl", "draw.jsonl", "labels.jsonl"))
    rows = [
        {"item_id": f"c{number}|s|0", "judge": "j", "score": number % 2, "kind": ("new", "old")[number > 120]}
        for number in range(200)
    ]
    write_records(judged, rows)
    planned = run("plan", judged, "--next", "60", "--strata", "kind", "--out", draw)
    drawn = [json.loads(line) for line in draw.read_text().splitlines()]
    assert planned.out.startswith("In proportion to items times spread (Neyman):")
    assert {row["stratum"] for row in drawn} == {"new", "old"}
    label_by_hand(
        labels, {row["item_id"].split("|")[0]: float(number % 3 > 0) for number, row in enumerate(drawn)}
    )
    result = run("estimate", judged, "--labels", labels, "--draw", draw, "--strata", "kind")
    assert result.status == 0
    line = next(line.split() for line in result.out.splitlines() if line.split()[:1] == ["stratified_ppi"])
    assert line[-2:] == ["logit,", "stratified"]
    assert ["new", "121"] in [line.split()[:2] for line in result.out.splitlines()]


def test_a_run_folder_whose_inputs_are_there_has_the_lexical_baseline(run: Any, tmp_path: Path) -> None:
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
    found = json.loads(run("calibrate", folder, "--json", "-").out)["baselines"]["lexical"]
    assert (found["tp"], found["fn"]) == (4, 4)


@pytest.mark.parametrize("command", ["calibrate", "compare", "estimate", "plan"])
def test_help_has_an_example(run: Any, command: str) -> None:
    result = run(command, "--help")
    assert result.status == 0
    assert f"Example:\n    fiducial {command}" in result.out


def test_compare_by_system_says_which_passes_more_often_and_gives_strata(run: Any, tmp_path: Path) -> None:
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
    found = json.loads(run("compare", path, "--by", "system", "--json").out)
    assert set(found["strata"]) == {"decided", "open", "all"}
    for stratum in found["strata"].values():
        assert set(stratum["rates"]) == {"good", "poor"}
        assert {"value", "low", "high", "level", "method", "n", "undefined"} == set(stratum["rates"]["good"])
        assert {"clustered_p", "clustered_holm_p", "difference"} <= set(stratum["pairs"][0])
    assert found["pairs"] == found["strata"]["all"]["pairs"]
    out = run("compare", path, "--by", "system").out
    assert "good and poor: good passes more often" in out
    assert "is right more often" not in out


def test_pairs_of_judges_carry_the_clustered_p(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "clustered.jsonl"
    write_records(path, (row | {"cluster": row["item_id"][:2]} for row in ROWS))
    (pair,) = json.loads(run("compare", path, "--json").out)["pairs"]
    assert pair["clustered_p"] == pair["clustered_holm_p"] is not None
    assert {"exact_p", "midp", "holm_p", "bh_p"} <= set(pair)


def test_calibrate_says_where_another_cut_would_do_clearly_better(run: Any, tmp_path: Path) -> None:
    # All scores pass at 0.5; what is right has 0.9.
    rows = [
        {"item_id": f"i{n}", "judge": "kind", "score": 0.9 if n % 2 else 0.6, "label": n % 2}
        for n in range(80)
    ]
    rows += [{"item_id": f"i{n}", "judge": "curt", "score": n % 2, "label": n % 2} for n in range(80)]
    path = tmp_path / "graded.jsonl"
    write_records(path, rows)
    result = run("calibrate", path)
    assert "  from 0.9 on instead, balanced accuracy would be 0.500 higher [0." in result.out
    (warning,) = [line for line in result.out.splitlines() if "another cut" in line]
    assert warning.endswith("kind from 0.9 on, not 0.5 (--pass-at kind=0.9)")
    found = json.loads(run("calibrate", path, "--json").out)
    assert list(found["better_cuts"]) == ["kind"]
    assert found["better_cuts"]["kind"]["clear"]
    assert {"kind": "another_cut", "about": {"kind": 0.9}} in found["cautions"]
    assert "another cut" not in run("calibrate", path, "--pass-at", "kind=0.9").out
