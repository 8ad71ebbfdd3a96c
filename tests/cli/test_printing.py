"""The command that a run records, and proposes again."""

from __future__ import annotations

import sys
from typing import Any

import click
import pytest
from click.testing import CliRunner

from fiducial.api.display import SCREEN, Document, Result
from fiducial.cli.declared_options import options_of
from fiducial.cli.printing import command_line, emit
from fiducial.settings.results_settings import VerboseSettings


@pytest.mark.parametrize("display", ["-v", "--verbose", "-q", "--quiet", "-vq"])
def test_a_command_is_recorded_without_options_that_only_change_what_is_printed(
    display: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sys, "argv", ["fiducial", "run", "a b.jsonl", display, "--out", "very-quiet"])
    assert command_line() == "fiducial run 'a b.jsonl' --out very-quiet"


LINES = [f"line {number}" for number in range(2 * SCREEN)]


class Long(Result, frozen=True):
    """A result of more lines than a screen has, which makes a screen of as many as it may."""

    def document(self) -> Document:
        return LINES

    def screen(self, room: int | None = None) -> Document:
        return LINES[:room]

    def to_dict(self) -> dict[str, Any]:
        return {}


@pytest.mark.parametrize("closing", [0, 1, 5])
def test_a_result_with_its_closing_lines_fits_on_one_screen(closing: int):
    @click.command()
    @options_of(VerboseSettings)
    def command() -> None:
        emit(Long(), None, closing=["closing"] * closing)

    printed = CliRunner().invoke(command, catch_exceptions=False).output.splitlines()
    assert (len(printed), printed[0], printed.count("closing")) == (SCREEN, "line 0", closing)
    assert len(CliRunner().invoke(command, ["-v"]).output.splitlines()) == 2 * SCREEN + closing
