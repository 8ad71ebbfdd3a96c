"""Recorded pairs in any form: files, imports, rows, frames."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from command import fiducial
from each_row import each_row

import fiducial as fd
from fiducial.api.pair_results import PairCalibration
from fiducial.errors import ColumnsError, FiducialError, InputError


def row(number: int, human: str | None, judge: str | None, **more: Any) -> dict[str, Any]:
    return {
        "id": f"q{number}",
        "model_a": "careful",
        "model_b": "hasty",
        "human_winner": human,
        "judge_pick": judge,
        **more,
    }


ROWS = [
    *(row(number, "model_a", "A") for number in range(6)),
    *(row(number, "model_b", "B") for number in range(6, 9)),
    row(9, "model_b", "A"),
    row(10, "tie", "A"),
    row(11, "tie", "tie"),
    row(12, "model_a", None),
]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.json"
    path.write_text(json.dumps(ROWS))
    return path


def pairs_of(calibration: fd.Calibration) -> PairCalibration:
    assert isinstance(calibration, PairCalibration)
    return calibration


@each_row("form", ["file", "rows", "frame", "csv", "jsonl", "parquet", "import"])
def test_every_form_gives_the_same_agreement(form: str, table: Path, tmp_path: Path):
    given: Any = table
    if form == "rows":
        given = ROWS
    elif form == "import":
        fd.read(table).save(tmp_path / "imported")
        given = tmp_path / "imported"
    elif form != "file":
        frame = pd.DataFrame(ROWS)
        given = frame if form == "frame" else tmp_path / f"pairs.{form}"
        if form == "csv":
            frame.to_csv(given, index=False)
        elif form == "jsonl":
            frame.to_json(given, orient="records", lines=True)
        elif form == "parquet":
            frame.to_parquet(given)
    found = pairs_of(fd.calibrate(given, replicates=200)).pairs.agreements["judge_pick"]
    assert (found.n, found.ungraded, found.agreement.value) == (
        12,
        {"not_applicable": 1},
        pytest.approx(10 / 12),
    )
    assert found.decided.value == pytest.approx(9 / 10)


def test_two_columns_of_letters_need_no_outputs(tmp_path: Path):
    path = tmp_path / "letters.csv"
    path.write_text(
        "org_id,correct_choice,judge_choice,is_correct\n"
        + "".join(f"{n},A,{'AB'[n % 2]},x\n" for n in range(10))
    )
    found = pairs_of(fd.calibrate(path, replicates=200)).pairs
    assert {by: each.agreement.value for by, each in found.agreements.items()} == {"judge_choice": 0.5}
    assert found.people == {"correct_choice": 10}


def test_several_people_decide_by_their_majority_and_agree_with_each_other(tmp_path: Path):
    rows = [
        {"id": n, "response_A": "x", "response_B": "y", "annotator_1": "A", "annotator_2": "A" if n < 8 else "B", "annotator_3": "B", "gpt4_choice": "A"}
        for n in range(10)
    ]  # fmt: skip
    found = pairs_of(fd.calibrate(rows, replicates=200)).pairs
    assert found.agreements["gpt4_choice"].agreement.value == pytest.approx(0.8)
    assert found.people_agree is not None
    assert (found.people_agree.n, found.people_agree.value) == (30, pytest.approx((8 + 0 + 2) / 30))


def test_where_people_are_split_nobody_is_right(tmp_path: Path):
    rows = [row(0, "model_a", "A", expert_winner="model_b"), row(1, "model_a", "A", expert_winner="model_a")]
    found = pairs_of(fd.calibrate(rows, replicates=200)).pairs.agreements["judge_pick"]
    assert (found.n, found.unlabelled) == (1, 1)


def test_peoples_choices_may_come_in_a_second_file(tmp_path: Path):
    judged, people = tmp_path / "judged.jsonl", tmp_path / "people.jsonl"
    judged.write_text(
        "".join(
            json.dumps({"id": f"q{n}", "model_a": "x", "model_b": "y", "judge_pick": "A"}) + "\n"
            for n in range(4)
        )
    )
    people.write_text(
        "".join(
            json.dumps(
                {"id": f"q{n}", "model_a": "y", "model_b": "x", "winner": "model_b" if n else "model_a"}
            )
            + "\n"
            for n in range(4)
        )
    )
    found = pairs_of(fd.calibrate(judged, labels=people, replicates=200)).pairs.agreements["judge_pick"]
    assert (found.n, found.agreement.value) == (4, 0.75)


def test_a_label_that_the_user_names_is_the_only_one():
    rows = [row(n, "model_a", "A", winner="model_b") for n in range(4)]
    found = pairs_of(fd.calibrate(rows, map={"label": "winner", "score": "judge_pick"}, replicates=200)).pairs
    assert (found.people, found.agreements["judge_pick"].agreement.value) == ({"winner": 4}, 0.0)


def test_preferences_of_recorded_pairs_ask_no_model(table: Path):
    (judge,) = fd.prefer(table).judges
    (match,) = judge.matches
    assert (match.a, match.n, match.a_won, match.tied) == ("careful", 12, 8, 1)
    assert match.corrected is not None


def test_both_orders_show_flips():
    turned = {"model_a": "hasty", "model_b": "careful"}
    rows = [row(n, None, "A") for n in range(5)] + [row(n, None, "A") | turned for n in range(5)]
    (judge,) = fd.prefer(rows).judges
    assert (judge.complete, judge.one_order, judge.position.to_first) == (5, 0, 5)


def test_commands_on_pairs(table: Path, tmp_path: Path):
    done = fiducial("calibrate", table, "--json", tmp_path / "c.json", "--replicates", "200")
    assert "judge_pick: agrees with people on 10 of 12 verdicts" in (done.out + done.err)
    assert json.loads((tmp_path / "c.json").read_text())["agreements"]["judge_pick"]["n"] == 12
    done = fiducial("compare", table, "--by", "system", "--json", tmp_path / "p.json")
    assert done.code == 0
    assert json.loads((tmp_path / "p.json").read_text())["judges"][0]["matches"][0]["n"] == 12
    assert fiducial("calibrate", table, "--fail-under", "accuracy=0.95", "--replicates", "200").code == 1


@each_row(
    ("arguments", "said"),
    [
        (["compare", "TABLE"], "add --by system"),
        (["calibrate", "TABLE", "--pass-at", "0.5"], "these are on pairs"),
        (["compare", "TABLE", "--by", "system", "--against", "nobody"], "there is no system 'nobody'"),
    ],
)
def test_what_means_nothing_for_pairs_is_refused(arguments: list[str], said: str, table: Path):
    done = fiducial(*(str(table) if argument == "TABLE" else argument for argument in arguments))
    assert (done.code, said in (done.out + done.err)) == (2, True), done.out + done.err


def test_numbers_without_a_meaning_are_asked_with_the_command(tmp_path: Path):
    path = tmp_path / "numbers.jsonl"
    path.write_text(
        "".join(
            json.dumps({"response_a": "x", "response_b": "y", "winner": n % 3, "judge_choice": n % 3}) + "\n"
            for n in range(6)
        )
    )
    with pytest.raises(ColumnsError):
        fd.calibrate(path)
    done = fiducial("calibrate", path)
    assert "--map-label '0=?' --map-label '1=?' --map-label '2=?'" in (done.out + done.err)
    words = {"0": 1.0, "1": 0.0, "2": 0.5}
    with pytest.raises(InputError, match="label"):  # whose choices 'winner' holds, nobody said
        fd.calibrate(path, map_label=words)
    assert (
        pairs_of(fd.calibrate(path, map_label=words, map={"label": "winner"}, replicates=200))
        .pairs.agreements["judge_choice"]
        .n
        == 6
    )


def test_pairs_and_single_outputs_do_not_mix(table: Path, tmp_path: Path):
    other = tmp_path / "other.csv"
    other.write_text("item_id,judge,score,label\na,j,1,1\n")
    with pytest.raises(InputError, match="others on single ones"):
        fd.calibrate([table, other])


def test_rows_that_are_not_used_are_counted(tmp_path: Path):
    rows = [row(0, "model_a", "A"), row(1, "model_a", "A") | {"model_b": "careful"}]
    with pytest.warns(UserWarning, match="1 row not used: both outputs are of"):
        fd.calibrate(rows, replicates=200)


def test_a_system_whose_name_has_the_words_between_is_told_apart_by_its_outputs(tmp_path: Path):
    rows = [
        {
            "id": "q",
            "model_a": "x vs y",
            "model_b": "z",
            "response_a": "1",
            "response_b": "2",
            "winner": "model_a",
        }
    ]
    (match,) = fd.prefer(rows).judges[0].matches
    assert (match.a, match.b) == ("x vs y", "z")
    with pytest.raises(FiducialError, match="several pairs"):
        fd.prefer([{"id": "q", "model_a": "x vs y", "model_b": "z", "winner": "model_a"}])


def test_an_import_of_pairs_has_no_pass_rate(table: Path, tmp_path: Path):
    fd.read(table).save(tmp_path / "imported")
    with pytest.raises(FiducialError, match="pairs of outputs"):
        fd.estimate(tmp_path / "imported")
    refused = fiducial("estimate", table)
    assert (refused.code, "verdicts on pairs of outputs" in refused.err) == (2, True)


def test_people_with_a_choice_each_are_counted_together():
    rows = [
        {"question_id": f"q{n}", "model_a": "x", "model_b": "y", "judge": f"arena_user_{n}", "winner": "model_b" if n < 3 else "tie"}
        for n in range(12)
    ]  # fmt: skip
    (found,) = fd.prefer(rows).judges
    assert (found.judge, found.matches[0].n) == ("12 people", 12)
    assert found.matches[0].preferred.value == pytest.approx((9 * 0.5) / 12)
    with pytest.raises(InputError, match="and 9 others"):
        fd.calibrate(rows)
