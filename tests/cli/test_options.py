from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from fiducial.cli.options import Number, SpreadCommand


@click.command(cls=SpreadCommand)
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
