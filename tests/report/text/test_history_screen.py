"""Runs over time on one screen."""

from __future__ import annotations

from fiducial.calibration.statistic import Statistic
from fiducial.evaluation.past_runs.history import ALL_OUTPUTS, History, PastRun
from fiducial.report.document import as_lines
from fiducial.report.text.history_screen import history_screen


def rate(value: float) -> Statistic:
    return Statistic(value=value, low=max(0.0, value - 0.1), high=min(1.0, value + 0.1), n=40)


def history(systems: int, runs: int) -> History:
    names = [f"mistral-large-2411-desk-agent-with-retrieval-{number:02}" for number in range(systems)]
    return History(
        folder="runs",
        runs=[
            PastRun(
                name=f"nightly-run-of-the-desk-2026-11-{run + 1:02}",
                ended=f"2026-11-{run + 1:02}T00:00:00+00:00",
                systems={name: {ALL_OUTPUTS: rate(0.3 + 0.02 * n)} for n, name in enumerate(names)},
                accuracy={},
            )
            for run in range(runs)
        ],
    )


def lines(systems: int, runs: int) -> list[str]:
    return list(as_lines(history_screen(history(systems, runs))))


def test_many_systems_with_long_names_and_many_runs_fit_a_screen():
    told = lines(30, 12)
    assert max(map(len, told[told.index("") :])) <= 80  # sentences above the table are wrapped when printed
    assert len(told) <= 20


def test_systems_stand_in_rows_with_the_best_of_the_latest_run_first_and_the_others_counted():
    told = lines(30, 12)
    table = told[told.index("") + 1 :]
    assert table[0].split() == [
        "system",
        *(f"...-11-{run}" for run in (12, 11, 10)),
        "...-11-09",
        "...-11-08",
    ]
    assert [line.split()[0] for line in table[1:4]] == [
        f"mistral-...-retrieval-{number}" for number in (29, 28, 27)
    ]
    assert "22 more systems, 7 earlier runs" in table


def test_two_systems_keep_their_intervals():
    assert any("0.32 [0.22, 0.42]" in line for line in lines(2, 3))
