from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from fiducial.cli.declared_options import options_of
from fiducial.cli.param_types import Number, Whole
from fiducial.cli.shared_options import MultiValueCommand, numbers_by_name, pairs
from fiducial.errors import UsageError
from fiducial.settings.results_settings import JsonSettings


@click.command(cls=MultiValueCommand)
@click.argument("cases")
@click.option("--outputs", multiple=True)
@click.option("--out")
@click.option("--quiet", is_flag=True)
def command(cases: str, outputs: tuple[str, ...], out: str | None, *, quiet: bool) -> None:
    click.echo(f"{cases} {','.join(outputs)} {out} {quiet}")


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ("c --outputs a b --out o", "c a,b o False"),
        ("c --outputs a --outputs b --out o", "c a,b o False"),
        ("c --outputs a b --quiet", "c a,b None True"),
        ("c --out o --outputs a b --outputs d", "c a,b,d o False"),
        ("--outputs a c", "c a None False"),
        ("--outputs a --quiet c", "c a None True"),
        ("c --outputs=a --out o", "c a o False"),
        ("--outputs a -- c", "c a None False"),
    ],
)
def test_a_repeatable_option_takes_one_or_several_values(args: str, expected: str):
    result = CliRunner().invoke(command, args.split())
    assert result.output.strip() == expected


def test_an_option_for_one_value_does_not_swallow_a_second():
    result = CliRunner().invoke(command, ["c", "--out", "o", "p"])
    assert result.exit_code == 2


@pytest.mark.parametrize("typed", ["nan", "inf", "-inf", "1e999", "x", "-1"])
def test_a_number_is_finite_and_in_its_range(typed: str):
    with pytest.raises(click.BadParameter):
        Number(0).convert(typed, None, None)
    assert Number(0).convert("0.5", None, None) == 0.5


def test_a_whole_number_is_called_by_its_name_in_an_error():
    typed: Any = "1.5"
    with pytest.raises(click.BadParameter, match=r"'1\.5' is not a valid whole number"):
        Whole(1).convert(typed, None, None)


@click.command()
@options_of(JsonSettings)
@click.argument("table")
def as_json(table: str, json_file: str | None) -> None:
    click.echo(f"{table} {json_file}")


@pytest.mark.parametrize(
    "name", ["table.jsonl", "table.csv", "TABLE.CSV", "table.xlsx", "table.csv.gz", "run"]
)
def test_an_input_that_follows_json_is_not_taken_for_the_file_to_write(tmp_path: Path, name: str):
    path = tmp_path / name
    path.write_text("rows") if path.suffix else path.mkdir()
    result = CliRunner().invoke(as_json, ["--json", str(path), "other"])
    assert result.exit_code == 2
    assert "looks like an input" in result.output


def test_a_result_may_be_written_again_and_named_like_a_table_once(tmp_path: Path):
    (tmp_path / "result.json").write_text("{}")
    for name in ("result.json", "new.jsonl"):
        path = str(tmp_path / name)
        assert CliRunner().invoke(as_json, ["t", "--json", path]).output.strip() == f"t {path}"


def test_a_field_may_be_named_once_but_answers_may_have_several_columns():
    named = pairs("--map", ["response=answer a", "response=answer b", "id=n", "id=n"])
    assert named == {"response": "answer a", "answer b": "response", "id": "n"}
    assert pairs("--map", ["id=of the table", "id=of the labels"]) == {
        "id": "of the table",
        "of the labels": "id",
    }
    with pytest.raises(UsageError, match="query is 'a' already"):
        pairs("--map", ["query=a", "query=b"])


@pytest.mark.parametrize(
    "typed",
    [
        "label=a score=c score=b label=b",
        "score=c label=b score=b",
        "label=a score=c score=answer label=answer",
    ],
)
def test_a_column_has_one_meaning(typed: str):
    with pytest.raises(UsageError, match=r"(b|answer) is '(score|label)' already"):
        pairs("--map", typed.split())
    assert pairs("--map", ["human=label", "reply=response"]) == {"human": "label", "reply": "response"}


def test_a_number_has_a_name():
    assert numbers_by_name("--cost", "STEP=DOLLARS", ["check=2"]) == {"check": 2.0}
    with pytest.raises(UsageError, match="expects STEP=DOLLARS, got '=2'"):
        numbers_by_name("--cost", "STEP=DOLLARS", ["=2"])


@pytest.mark.parametrize("number", ["nan", "inf", "-inf"])
def test_a_number_is_finite(number: str):
    with pytest.raises(UsageError, match=f"{number} is not a finite number"):
        numbers_by_name("--claim", "STAT=VALUE", [f"cohen_kappa={number}"])
