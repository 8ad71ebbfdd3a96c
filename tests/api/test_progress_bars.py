from __future__ import annotations

import threading
from typing import Any

import pytest

from fiducial.api import progress_bars as showing
from fiducial.api.progress_bars import LineProgress


def test_lines_are_written_at_the_start_and_every_ten_seconds():
    now, lines = [0.0], list[str]()
    progress = LineProgress(lines.append, lambda: now[0])
    progress.begin("judging", 2_000)
    for second in range(25):
        now[0] = float(second)
        progress.advance(50)
    assert lines == ["judging: 2,000 to do", "judging: 550 of 2,000", "judging: 1,050 of 2,000"]


def test_each_stage_counts_from_zero():
    now, lines = [0.0], list[str]()
    progress = LineProgress(lines.append, lambda: now[0])
    progress.begin("checking", 10)
    progress.advance(10)
    progress.begin("judging", 5)
    now[0] = 11.0
    progress.advance()
    assert lines[-1] == "judging: 1 of 5"


def test_a_notebook_that_cannot_draw_gets_plain_lines(monkeypatch: pytest.MonkeyPatch, capsys: Any):
    monkeypatch.setattr(showing, "_in_notebook", lambda: True)

    def nothing(_name: str) -> None:
        return None

    monkeypatch.setattr(showing, "find_spec", nothing)
    with showing.show_progress() as shown:
        shown.begin("checking", 2)
        shown.advance(2)
    assert capsys.readouterr().err == "checking: 2 to do\n"


def test_a_dead_endpoint_says_so_while_it_is_dead():
    now, lines = [0.0], list[str]()
    progress = LineProgress(lines.append, lambda: now[0])
    progress.begin("judging", 15)
    for second in range(16):
        now[0] = float(second)
        progress.failing(3, "HTTP 500: overloaded", 4.0)
    assert lines[1:] == [
        "judging: 0/15, 9 calls failed: HTTP 500: overloaded; retrying in 4 s",
        "judging: 0/15, 39 calls failed: HTTP 500: overloaded; retrying in 4 s",
    ]


def test_a_stray_failure_is_no_line_of_its_own():
    now, lines = [0.0], list[str]()
    progress = LineProgress(lines.append, lambda: now[0])
    progress.begin("judging", 15)
    progress.advance()
    now[0] = 5.0
    progress.failing(1, "HTTP 500", None)
    assert lines == ["judging: 15 to do"]
    now[0] = 11.0
    progress.advance()
    assert lines[-1] == "judging: 2/15, 1 call failed: HTTP 500"


def test_bars_stand_above_what_failed(capsys: Any):
    failed = showing.FailedCalls(lambda: 0.0)
    with showing._bars(failed, showing.Replies()) as bars:  # pyright: ignore[reportPrivateUsage] - what a terminal is drawn with
        shown = showing.BarProgress(bars, lambda: 0.0, failed)
        shown.begin("judging", 15)
        shown.failing(27, "HTTP 500: [overloaded]", 4.0)
        last = list(bars.get_renderables())[-1]
        shown.close()
    assert str(last) == "27 calls failed: HTTP 500: [overloaded]; retrying in 4 s"


def test_bars_run_no_thread_unless_calls_fail():
    failed = showing.FailedCalls(lambda: 0.0)
    before = threading.active_count()
    with showing._bars(failed, showing.Replies()) as bars:  # pyright: ignore[reportPrivateUsage] - what a terminal is drawn with
        shown = showing.BarProgress(bars, lambda: 0.0, failed)
        shown.begin("checking", 15)
        shown.advance(5)
        assert threading.active_count() == before
        shown.failing(1, "HTTP 500", 4.0)
        assert threading.active_count() == before + 1
        shown.close()
    assert threading.active_count() == before


@pytest.mark.attack("terminal and report")
@pytest.mark.parametrize(
    "name", ["a[/b]", "a[red]b", "a[link=http://127.0.0.1]b[/link]", "a\x1b[2J", "a\u202eb", "a\nb"]
)
def test_a_name_in_progress_is_neither_a_style_nor_a_command_of_the_terminal(name: str, capsys: Any):
    lines = list[str]()
    LineProgress(lines.append, lambda: 0.0).begin(f"judging by {name}", 2)
    failed = showing.FailedCalls(lambda: 0.0)
    with showing._bars(failed, showing.Replies()) as bars:  # pyright: ignore[reportPrivateUsage] - what a terminal is drawn with
        shown = showing.BarProgress(bars, lambda: 0.0, failed)
        shown.begin(f"judging by {name}", 2)
        shown.advance(2)
        shown.finish()
        drawn = "".join(str(task.description) for task in bars.tasks)
    for each in (*lines, drawn, capsys.readouterr().err):
        assert "\x1b[2J" not in each
        assert "\u202e" not in each
    assert drawn.replace("\n", " ") == lines[0].removesuffix(": 2 to do")


def test_a_bar_is_full_once_its_stage_is_done_though_nothing_follows():
    failed = showing.FailedCalls(lambda: 0.0)
    with showing._bars(failed, showing.Replies()) as bars:  # pyright: ignore[reportPrivateUsage] - what a terminal is drawn with
        shown = showing.BarProgress(bars, lambda: 0.0, failed)
        shown.begin("judging", 60)
        for _ in range(60):  # faster than bars are redrawn
            shown.advance()
        assert [(task.completed, task.total) for task in bars.tasks] == [(60, 60)]
        shown.begin("calibrating", 0)
        assert bars.tasks[-1].total is None
        shown.begin("writing the report", 0)
        assert [task.finished for task in bars.tasks] == [True, True, False]
        shown.close()


def test_tokens_and_unreadable_replies_run_along():
    failed, replies = showing.FailedCalls(lambda: 0.0), showing.Replies()
    with showing._bars(failed, replies) as bars:  # pyright: ignore[reportPrivateUsage] - what a terminal is drawn with
        shown = showing.BarProgress(bars, lambda: 0.0, failed, replies)
        shown.begin("judging", 60)
        assert len(list(bars.get_renderables())) == 1
        shown.replied(1_200, 0)
        shown.replied(0, 1)
        assert str(list(bars.get_renderables())[-1]) == "1,200 tokens, 1 unreadable reply"
        shown.close()
    now, lines = [0.0], list[str]()
    progress = LineProgress(lines.append, lambda: now[0])
    progress.begin("calibrating", 0)
    progress.begin("judging", 5)
    progress.replied(1_200, 2)
    now[0] = 11.0
    progress.advance()
    assert lines == ["calibrating", "judging: 5 to do", "judging: 1 of 5, 1,200 tokens, 2 unreadable replies"]
