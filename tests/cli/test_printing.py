"""The command that a run records, and proposes again."""

from __future__ import annotations

import sys

import pytest

from fiducial.cli.printing import command_line


@pytest.mark.parametrize("display", ["-v", "--verbose", "-q", "--quiet", "-vq"])
def test_a_command_is_recorded_without_options_that_only_change_what_is_printed(
    display: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sys, "argv", ["fiducial", "run", "a b.jsonl", display, "--out", "very-quiet"])
    assert command_line() == "fiducial run 'a b.jsonl' --out very-quiet"
