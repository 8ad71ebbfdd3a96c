"""Options for the meaning of grades, as arguments and as words to type again."""

from __future__ import annotations

from typing import Any

import click
import pytest
from click.testing import CliRunner

from fiducial.cli.declared_options import options_of
from fiducial.cli.label_options import grade_arguments, grade_options
from fiducial.errors import UsageError
from fiducial.settings.labels_settings import GradesSettings, LabelColumnsSettings, ScoreScalesSettings


class _Graded(GradesSettings, LabelColumnsSettings, ScoreScalesSettings):
    """All settings of grades."""


def given(*args: str) -> tuple[dict[str, Any], list[str]]:
    """Return the arguments and the words of a command line."""
    found: list[Any] = []

    @click.command()
    @options_of(_Graded)
    def command() -> None:
        words = [word for option in grade_options() for word in (option.option, *option.values)]
        found.extend((grade_arguments(), words))

    CliRunner().invoke(command, args, catch_exceptions=False)
    return found[0], found[1]


def test_grades_become_arguments_and_can_be_typed_again():
    words = [
        "--label-scale",
        "1:5",
        "--map-label",
        "fine=1",
        "--map-label",
        "late=",
        "--score-scale",
        "gpt=5:1",
    ]
    arguments, again = given(*words)
    assert arguments == {
        "label_scale": (1.0, 5.0),
        "map_label": {"fine": 1.0, "late": None},
        "score_scale": {"gpt": (5.0, 1.0)},
    }
    assert given(*again) == (arguments, again)


@pytest.mark.parametrize("judge", ["", "gpt="])
def test_a_judge_has_one_scale(judge: str):
    scale = ["--score-scale", f"{judge}1:5"]
    assert given(*scale, *scale)[0]["score_scale"] == {judge.rstrip("="): (1.0, 5.0)}
    with pytest.raises(UsageError):
        given(*scale, "--score-scale", f"{judge}0:10")


@pytest.mark.parametrize("text", ["fine", "=1", "fine=good"])
def test_a_word_without_a_score_is_refused(text: str):
    with pytest.raises(UsageError):
        given("--map-label", text)
