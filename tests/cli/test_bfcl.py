"""``fiducial bfcl score`` as a user types it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fiducial.api.importing import import_bfcl
from fiducial.cli.bfcl import command
from fiducial.errors import FiducialError, InputError, UsageError

ANSWERS = {
    "simple_python_0": "[garden.water(bed='roses', litres=10)]",
    "simple_python_1": "[garden.water(bed='lawn')]",
    "simple_python_2": [{"garden.prune": '{"plant": "hazel"}'}],
}


@pytest.fixture
def results(tmp_path: Path) -> Path:
    folder = tmp_path / "result/gardener [1]/non_live"
    folder.mkdir(parents=True)
    lines = (json.dumps({"id": name, "result": answer}) for name, answer in ANSWERS.items())
    (folder / "BFCL_v4_simple_python_result.json").write_text("\n".join(lines))
    return tmp_path / "result"


def score(data: Path, results: Path, *options: str) -> Result:
    scores = results.parent / "score"
    arguments = ["score", "--data", str(data), "--results", str(results), "--scores", str(scores), *options]
    return CliRunner().invoke(command, arguments)


def test_the_summary_gives_every_rate_with_its_denominator_and_interval(bfcl_data: Path, results: Path):
    printed = score(bfcl_data, results).stdout
    assert "gardener [1] (answers read: 1 as native calls, 2 as text; names dotted)" in printed
    assert re.search(r"simple_python +2 +3 +66\.67%  \[20\.8%, 93\.9%\]", printed)
    assert "counts as 0, having no results: simple_java" in printed


def test_score_files_and_csv_files_are_written(bfcl_data: Path, results: Path):
    assert score(bfcl_data, results).exit_code == 0
    scores = results.parent / "score"
    assert (scores / "gardener [1]/non_live/BFCL_v4_simple_python_score.json").is_file()
    assert sorted(path.name for path in scores.glob("*.csv")) == [
        "data_agentic.csv",
        "data_format_sensitivity.csv",
        "data_live.csv",
        "data_multi_turn.csv",
        "data_non_live.csv",
        "data_overall.csv",
    ]


def test_json_takes_the_place_of_the_table(bfcl_data: Path, results: Path):
    report = json.loads(score(bfcl_data, results, "--json").stdout)
    system = report["systems"]["gardener [1]"]
    assert (report["rules"], system["names"], system["modes"]) == ("bfcl", "dotted", {"prompt": 2, "fc": 1})
    accuracy = system["categories"]["simple_python"]["accuracy"]
    assert (accuracy["value"], accuracy["n"], accuracy["method"]) == (2 / 3, 3, "Wilson")
    assert system["summary"]["non_live"] == {"value": pytest.approx(2 / 36), "n": 753, "complete": False}


def test_json_goes_to_a_file_beside_the_table(bfcl_data: Path, results: Path, tmp_path: Path):
    printed = score(bfcl_data, results, "--json", str(tmp_path / "scores.json")).stdout
    assert "66.67%" in printed
    assert "gardener [1]" in json.loads((tmp_path / "scores.json").read_text())["systems"]


def test_only_wanted_categories_are_scored(bfcl_data: Path, results: Path):
    failure = score(bfcl_data, results, "--category", "live").exception
    assert isinstance(failure, InputError)
    assert "found no" in str(failure)


def test_the_mode_can_be_stated(bfcl_data: Path, results: Path):
    report = json.loads(score(bfcl_data, results, "--mode", "fc", "--json").stdout)
    assert report["systems"]["gardener [1]"]["categories"]["simple_python"]["correct_count"] == 1


def test_results_that_bfcl_passes_over_are_named(bfcl_data: Path, results: Path):
    (results / "gardener [1]/non_live/BFCL_v4_exec_simple_result.json").write_text("")
    assert "skipped, as BFCL does:" in score(bfcl_data, results).stderr


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        (("--category", "nonsense"), UsageError, "no BFCL category or group is called 'nonsense'"),
        (("--data", "nowhere"), InputError, "nowhere: holds no BFCL_v4_*.json"),
    ],
)
def test_bad_arguments_are_one_clear_error(
    bfcl_data: Path, results: Path, options: tuple[str, ...], kind: type[FiducialError], message: str
):
    Path("nowhere").mkdir()
    failure = score(bfcl_data, results, *options).exception
    assert isinstance(failure, kind)
    assert message in str(failure)


def test_one_system_is_scored_under_bfcls_own_name_of_the_command(bfcl_data: Path, results: Path):
    other = results / "org_other/non_live"
    other.mkdir(parents=True)
    (other / "BFCL_v4_simple_python_result.json").write_text('{"id": "simple_python_0", "result": "no"}')
    found = CliRunner().invoke(
        command,
        ["evaluate", "--data", str(bfcl_data), "--results", str(results), "--scores", str(results.parent / "score"),
         "--model", "org/other", "--test-category", "simple", "--partial", "--json"],
    )  # fmt: skip
    assert list(json.loads(found.stdout)["systems"]) == ["org_other"]
    with pytest.raises(UsageError, match=r"nobody: no results of it; there are gardener \[1\], org_other"):
        raise score(bfcl_data, results, "--model", "nobody", "--partial").exception or AssertionError


def test_prices_fill_the_cost_column_from_recorded_tokens(bfcl_data: Path, results: Path):
    path = results / "gardener [1]/non_live/BFCL_v4_simple_python_result.json"
    lines = [json.loads(line) | {"input_token_count": 1e6, "output_token_count": [[5e5]], "latency": 0.5} for line in path.read_text().splitlines()]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, lines)))
    for options, cost in (
        ((), "N/A"),
        (("--price", "2/8"), "18.0"),
        (("--price", "gardener [1]=1/0"), "3.0"),
    ):
        assert score(bfcl_data, results, *options).exit_code == 0
        table = (results.parent / "score/data_overall.csv").read_text().splitlines()
        row = dict(zip(table[0].split(","), table[1].split(","), strict=True))
        assert (row["Total Cost ($)"], row["Latency Mean (s)"]) == (cost, "0.5")


def test_files_and_ids_of_version_3_are_read(bfcl_data: Path, tmp_path: Path):
    data = tmp_path / "data"
    for folder in ("", "possible_answer/"):
        (data / folder).mkdir(parents=True, exist_ok=True)
        text = (bfcl_data / f"{folder}BFCL_v4_simple_python.json").read_text()
        (data / f"{folder}BFCL_v3_simple.json").write_text(text.replace("simple_python_", "simple_"))
    (data / "BFCL_v3_format_sensitivity.json").write_text(json.dumps({"simple": ["simple_0"]}))
    results = tmp_path / "result/me"
    results.mkdir(parents=True)
    answers = [{"id": name.replace("_python", ""), "result": answer} for name, answer in ANSWERS.items()]
    (results / "BFCL_v3_simple_result.json").write_text("\n".join(map(json.dumps, answers)))
    found = score(data, tmp_path / "result", "--category", "simple")
    assert (found.exit_code, found.exception) == (0, None)
    assert (tmp_path / "score/me/non_live/BFCL_v3_simple_score.json").is_file()
    cases = list(import_bfcl(data, ["simple", "format_sensitivity"]).cases)
    assert [case.id for case in cases[:2]] == ["simple_0", "simple_1"]
    assert cases[-1].id.endswith(":simple_0")
    assert cases[-1].tags["original_category"] == "simple"
