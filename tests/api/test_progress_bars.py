from __future__ import annotations

import threading
from typing import Any

import pytest
from judge_items import make_case, make_output
from provider_server import ProviderServer, in_the_form_asked_for

import fiducial as fd
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
    for line in (*lines, drawn, capsys.readouterr().err):
        assert "\x1b[2J" not in line
        assert "\u202e" not in line
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


def unpriced() -> None:
    """Return no cost: the price is unknown."""


def test_tokens_and_unreadable_replies_run_along():
    failed, replies = showing.FailedCalls(lambda: 0.0), showing.Replies()
    with showing._bars(failed, replies) as bars:  # pyright: ignore[reportPrivateUsage] - what a terminal is drawn with
        shown = showing.BarProgress(bars, lambda: 0.0, failed, replies)
        shown.begin("judging", 60)
        assert len(list(bars.get_renderables())) == 1
        shown.replied(1_200, 0, unpriced)
        shown.replied(0, 1, unpriced)
        assert str(list(bars.get_renderables())[-1]) == "1,200 tokens, 1 unreadable reply"
        shown.close()
    now, lines = [0.0], list[str]()
    progress = LineProgress(lines.append, lambda: now[0])
    progress.begin("calibrating", 0)
    progress.begin("judging", 5)
    progress.replied(1_200, 2, unpriced)
    now[0] = 11.0
    progress.advance()
    assert lines == ["calibrating", "judging: 5 to do", "judging: 1 of 5, 1,200 tokens, 2 unreadable replies"]


@pytest.mark.parametrize(
    ("costs", "shown"),
    [
        ([(1_000, 0.25), (200, 0.05)], "1,200 tokens, $0.3000"),
        ([(1_000, 0.25), (200, None)], "1,200 tokens, $0.2500 without 200 of unknown price"),
        ([(1_000, None), (200, None)], "1,200 tokens"),
        ([(0, None), (200, 0.05)], "200 tokens, $0.0500"),
        ([(1_000, 0.0)], "1,000 tokens, $0.0000"),
        ([(0, None)], ""),
    ],
)
def test_dollars_are_of_tokens_whose_price_is_known(costs: list[tuple[int, float | None]], shown: str):
    replies = showing.Replies()
    for tokens, dollars in costs:
        replies.add(tokens, 0, lambda dollars=dollars: dollars)
    assert str(replies) == shown


def test_a_run_shows_what_its_judges_have_cost_so_far(
    server: ProviderServer, monkeypatch: pytest.MonkeyPatch, capsys: Any
):
    monkeypatch.setattr(showing, "_SECONDS_BETWEEN_LINES", 0.0)
    server.script = in_the_form_asked_for()
    booked = {"calls": [{"book_hotel": {"city": ["Rome"], "nights": [2]}}]}
    access: Any = {"base_url": server.base_url, "api_key": "k", "cache": False}
    for prices in (["1000/2000"], []):
        judges = fd.judge("tool_call_accuracy/direct", model="m", prices=prices, **access)
        cases = [make_case(number, kind="tool_call", reference=booked) for number in range(2)]
        outputs = [make_output(number) for number in range(2)]
        fd.evaluate(cases, outputs, judges=judges, judge_on="all", progress=True)
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("judging by tool_call")]
    # A reply of the server has 100 tokens of prompt and 10 of its own.
    assert [line.partition(": ")[2] for line in lines] == [
        "2 to do",
        "1 of 2",
        "2 of 2, 110 tokens, $0.1200",
        "2 to do",
        "1 of 2",
        "2 of 2, 110 tokens",
    ]
