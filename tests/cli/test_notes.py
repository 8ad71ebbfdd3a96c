"""Notes and errors on stderr: one line in a log, lines of 80 columns on a terminal."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stderr
from pathlib import Path
from unittest.mock import patch

import pytest
from command import fiducial

from fiducial.cli.main import main
from fiducial.cli.notes import note
from fiducial.report.text.safe_text import WIDTH, columns_of


class Terminal(io.StringIO):
    """Stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def on_terminal(*args: str) -> str:
    screen = Terminal()
    with (
        patch.object(sys, "argv", ["fiducial", *args]),
        redirect_stderr(screen),
        pytest.raises(SystemExit),
    ):
        main()
    return screen.getvalue()


ERRORS = [
    ("check", ".", "--out", "x"),
    ("calibrate", "scores.csv"),
    ("calibrate", f"{'no-such-folder/' * 3}{'世界' * 40} of tables.csv"),
]


@pytest.mark.parametrize("args", ERRORS)
def test_an_error_is_broken_at_blanks_on_a_terminal_alone(
    args: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    Path("scores.csv").write_text("id,answer,thoughts\n1,Rome,a question with several words in it\n")
    logged, shown = fiducial(*args).err, on_terminal(*args)
    assert logged.count("\n") == 1
    assert " ".join(shown.split()) == " ".join(logged.split())
    lines = shown.splitlines()
    assert len(lines) > 1
    for line in lines:
        assert columns_of(line) <= WIDTH or line.count("`") == 2 or " " not in line.strip()


def test_a_note_is_broken_too_and_hides_no_character():
    screen = Terminal()
    with redirect_stderr(screen):
        note("word " * 30 + "\x1b[2J \u202e end")
    lines = screen.getvalue().splitlines()
    assert [columns_of(line) <= WIDTH for line in lines] == [True, True, True]
    assert "\x1b" not in screen.getvalue()
    assert "\u202e" not in screen.getvalue()
