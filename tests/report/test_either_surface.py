"""Documents name settings as the surface that shows them does."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from each_row import each_row
from found_results import systems

from fiducial.calibration.corrected_rate.estimation_results import RateEstimate
from fiducial.calibration.statistic import Caution, undefined
from fiducial.cli.spelled_options import option_of
from fiducial.evaluation.conclusion.run_results import JudgeUse
from fiducial.evaluation.conclusion.run_summary import RunSummary
from fiducial.report.next_step import next_step
from fiducial.report.text.caution_text import brief, comparison_cautions, sentences
from fiducial.report.text.estimation_text import explained, unpaired
from fiducial.report.text.number_text import draw_command, whole_list
from fiducial.spelling import spelled_as_options


@pytest.fixture(autouse=True)
def on_the_command_line() -> None:
    """Each test names its surface."""


def caution(kind: Any, **about: float) -> Caution:
    return Caution(kind, about)


CHOSEN = RateEstimate(
    n_labelled=0,
    n_unlabelled=0,
    n_missing=0,
    n_clusters=0,
    target="population",
    judge_mean=None,
    uncorrected=undefined("nothing is graded", n=0),
    weight=None,
    label_equivalents=None,
    estimates={},
    strata=None,
)


@each_row(
    ("said", "options", "arguments"),
    [
        (whole_list, ["--json"], ["to_dict()"]),
        (draw_command, ["--next"], ["draw=50"]),
        (
            lambda: explained(CHOSEN.explained_by),
            ["--reweight-by COLUMN", "--strata COLUMN"],
            ["reweight_by=COLUMN", "strata=COLUMN"],
        ),
        (unpaired, ["--by system"], ["by='system'"]),
        (
            lambda: brief([caution("another_threshold", j=0.75, k=1)], {})[0].text,
            ["--pass-at j=0.75 k=1 do better"],
            ["pass_at={'j': 0.75, 'k': 1} do better"],
        ),
        (
            lambda: sentences([caution("another_threshold", j=0.75)])[0],
            ["(--pass-at j=0.75)"],
            ["(pass_at={'j': 0.75})"],
        ),
        (
            lambda: sentences([caution("chosen_by_score", p=0.01)])[0],
            ["--labels-chosen-by score", "--next 50"],
            ["labels_chosen_by='score'", "draw=50"],
        ),
        (
            lambda: " ".join(comparison_cautions([Caution("repeats", {}), Caution("row_numbers", {})])),
            ["--map trial=COLUMN", "--map item_id=COLUMN"],
            ["map={'trial': 'COLUMN'}", "map={'item_id': 'COLUMN'}"],
        ),
    ],
)
def test_a_sentence_names_settings_as_its_surface_does(
    said: Callable[[], str], options: Sequence[str], arguments: Sequence[str]
):
    python = said()
    with spelled_as_options(option_of):
        typed = said()
    assert [option for option in options if option not in typed] == []
    assert [argument for argument in arguments if argument not in python] == []
    assert not re.search(r"(?<![\w-])--[a-z]", python)


@pytest.mark.parametrize(("command", "out"), [("fiducial run X", "--out"), ("fiducial.evaluate", "out")])
def test_a_next_step_is_typed_where_the_run_was_made(command: str, out: str):
    missing = RunSummary(systems=systems("a", missing=1), command=command)
    assert next_step(missing, []).text.endswith(f"rerun with a new {out}.")
    unreadable = JudgeUse(name="j", fingerprint="f", outcomes={"unparsable": 1})
    told = next_step(RunSummary(systems=systems("a"), judges=[unreadable], command=command), []).text
    assert told.endswith(f"variant of the judge, with a new {out}.")
    assert ("another --model" in told) == (out == "--out")
