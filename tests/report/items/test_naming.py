"""The addresses of items, by the page's own functions, run by node where it is installed."""

from __future__ import annotations

from typing import Any

import pytest
from review_page import in_node

from fiducial.report.items.naming import marks_in_words

NOTHING = {"q": "", "sort": "", "system": "", "status": "", "category": "", "fault": "", "group": ""}


def state_of(fragment: str) -> Any:
    return in_node("stateOf(fragment)", "report_address.js", fragment=fragment)


def test_an_item_is_named_by_case_system_and_trial():
    assert state_of("#trip-07/gpt-x") == {"item": ["trip-07", "gpt-x"], "chosen": NOTHING}
    assert state_of("#trip-07/gpt-x/2")["item"] == ["trip-07", "gpt-x", "2"]


def test_filters_order_and_search_are_in_the_address():
    chosen = {"status": "wrong", "fault": "value_error:string", "q": "a & b?", "sort": "case"}
    assert state_of("#items?status=wrong&fault=value_error%3Astring&q=a+%26+b%3F&sort=case") == {
        "item": None,
        "chosen": NOTHING | chosen,
    }


@pytest.mark.parametrize("fragment", ["", "#systems", "#calibration", "#%", "#%/x"])
def test_other_addresses_are_not_of_items(fragment: str):
    assert state_of(fragment) is None


@pytest.mark.attack("terminal and report")
@pytest.mark.parametrize(
    "item",
    [["a/b", "c"], ["#?&=", "%2F"], ["<script>", "x", "3"], ["é 🂡", "\n"], ["items", "y"], ["..", "."]],
)
def test_every_name_comes_back_from_its_address(item: list[str]):
    chosen = NOTHING | {"q": "#/?&=%", "system": item[1]}
    address = in_node("addressOf(item, chosen)", "report_address.js", item=item, chosen=chosen)
    assert state_of(address) == {"item": item, "chosen": chosen}


def test_marks_of_a_reply_are_words():
    assert marks_in_words("1. it is so, indexes [1] <P>1</P>") == "1. it is so, indexes [1]: supported"
    assert marks_in_words("no <P>0</P> half <P>0.5</P>") == "no: not supported half: 0.5 supported"
    assert marks_in_words("<P>x</P>") == "<P>x</P>"
