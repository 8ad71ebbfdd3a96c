"""The least time that faults leave: against schedules worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest
from each_row import each_row
from scripts import script

floor = script("benchmarks/judging/floor.py")


def calls(*kinds: str) -> list[Any]:
    """An item that meets these faults in turn; replies take 1 s, and a 429 asks to wait 10."""

    def fault(attempt: int) -> str:
        return kinds[attempt - 1]

    return floor.calls_of(fault, 1.0, 10.0)


def test_without_faults_slots_are_filled_again_and_again():
    assert floor.least_seconds([calls("ok")] * 10, 4) == 3.0
    assert floor.least_seconds([], 4) == 0.0


@each_row(
    ("kinds", "seconds"),
    [
        (("ok",), 1.0),
        (("500", "ok"), 1.0),
        (("drop", "500", "ok"), 1.0),
        (("badjson", "ok"), 2.0),
        (("hang", "ok"), 2.0),
        (("garbage", "ok"), 2.0),
        (("garbage", "garbage", "ok"), 2.0),
        (("429", "ok"), 11.0),
        (("429", "429", "ok"), 21.0),
        (("429", "badjson", "429", "ok"), 22.0),
    ],
)
def test_one_item_takes_what_its_faults_take(kinds: tuple[str, ...], seconds: float):
    assert floor.least_seconds([calls(*kinds)], 1) == seconds


def test_who_waits_holds_no_slot_and_comes_before_who_has_not_begun():
    # The first waits from 0 to 10, while ten others are asked; then it is asked, at 10, and the last two after it.
    assert floor.least_seconds([calls("429", "ok"), *[calls("ok")] * 12], 1) == 13.0


def test_an_item_that_is_told_to_wait_late_makes_the_run_late():
    early = floor.least_seconds([calls("429", "ok"), *[calls("ok")] * 19], 2)
    late = floor.least_seconds([*[calls("ok")] * 19, calls("429", "ok")], 2)
    assert (early, late) == (11.0, 9.0 + 11.0)


def test_a_rate_that_the_server_allows_is_kept_to():
    def opens(number: int) -> float:
        return max(0.0, (number - 3) / 2)

    # Four at once, then two a second: the tenth may begin at 3 s.
    assert floor.least_seconds([calls("ok")] * 10, 64, opens=opens) == 4.0


def test_an_item_that_never_ends_is_refused():
    with pytest.raises(ValueError, match="no end after 50"):
        floor.calls_of(["", *["500"] * 50].__getitem__, 1.0, 1.0, most=50)


def test_a_longer_start_up_makes_the_ratio_smaller():
    assert floor.ratio(3.0, 1.5, 0.0) == 2.0
    assert floor.ratio(3.0, 1.5, 1.5) == 1.5
