"""Short names, and addresses of items by the page's own functions, run by node."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from review_page import in_node

from fiducial.report.items.naming import apart, fitted, marks_in_words, short_names
from fiducial.report.text.safe_text import columns_of

NOTHING = {"q": "", "sort": "", "system": "", "status": "", "category": "", "fault": "", "group": ""}


def states_of(*fragments: str) -> list[Any]:
    return in_node("fragments.map(stateOf)", "report_address.js", fragments=fragments)


def test_an_item_is_named_by_case_system_and_trial_and_filters_order_and_search_follow():
    chosen = {"status": "fails", "fault": "value_error:string", "q": "a & b?", "sort": "case"}
    assert states_of(
        "#trip-07/gpt-x",
        "#trip-07/gpt-x/2",
        "#items?status=fails&fault=value_error%3Astring&q=a+%26+b%3F&sort=case",
    ) == [
        {"item": ["trip-07", "gpt-x"], "chosen": NOTHING},
        {"item": ["trip-07", "gpt-x", "2"], "chosen": NOTHING},
        {"item": None, "chosen": NOTHING | chosen},
    ]


def test_addresses_of_earlier_reports_are_read():
    found = states_of("#items?status=wrong", "#a/b?status=right", "#items?status=constructor")
    assert [each["chosen"]["status"] for each in found] == ["fails", "passes", "constructor"]


def test_other_addresses_are_not_of_items():
    assert states_of("", "#systems", "#calibration", "#%", "#%/x") == [None] * 5


ITEMS = (["a/b", "c"], ["#?&=", "%2F"], ["<script>", "x", "3"], ["é 🂡", "\n"], ["items", "y"], ["..", "."])


@pytest.mark.attack("terminal and report", forms=len(ITEMS))
def test_every_name_comes_back_from_its_address():
    states = [{"item": item, "chosen": NOTHING | {"q": "#/?&=%", "system": item[1]}} for item in ITEMS]
    there_and_back = "states.map(({item, chosen}) => stateOf(addressOf(item, chosen)))"
    assert in_node(there_and_back, "report_address.js", states=states) == states


def test_marks_of_a_reply_are_words():
    assert marks_in_words("1. it is so, indexes [1] <P>1</P>") == "1. it is so, indexes [1]: supported"
    assert marks_in_words("no <P>0</P> half <P>0.5</P>") == "no: not supported half: 0.5 supported"
    assert marks_in_words("<P>x</P>") == "<P>x</P>"


def test_what_long_names_share_is_cut_once():
    names = short_names(f"gpt-4.1-mini-2026-04-14-eval-v{number:02}" for number in range(20))
    assert names.short["gpt-4.1-mini-2026-04-14-eval-v07"] == "v07"
    assert names.shared == "gpt-4.1-mini-2026-04-14-eval-..."


def test_a_short_name_is_never_a_bare_number():
    names = short_names([f"openai:gpt-{version}-mini Answer: {{{{question}}}}" for version in ("5", "4.1")])
    assert [*names.short.values()] == ["gpt-5-mini", "gpt-4.1-mini"]
    assert names.shared == "openai:... Answer: {{question}}"
    numbered = short_names([f"provider/a-long-name-of-run-number-{n}" for n in "12"])
    assert [*numbered.short.values()] == ["a-long-name-...-number-1", "a-long-name-...-number-2"]


def test_short_names_stay_whole():
    assert short_names(["bot-a", "bot-b"]).short == {"bot-a": "bot-a", "bot-b": "bot-b"}


@given(st.lists(st.text("ab-_/.", min_size=1, max_size=60), unique=True, min_size=1))
def test_short_names_stay_distinct(names: list[str]):
    assert len(set(short_names(names).short.values())) == len(names)


MISTRALS = [
    "mistral-large-2411-fine-tuned-support-desk-v2",
    "mistral-large-2411-fine-tuned-billing-desk-v2",
    "mistral-small-2503-fine-tuned-support-desk-v2",
]


@pytest.mark.parametrize("columns", [24, 26, 30])
def test_shortened_names_keep_what_tells_them_apart(columns: int):
    short = apart(MISTRALS, columns)
    assert all(columns_of(name) <= columns for name in short)
    assert ["support" in name for name in short] == ["large" in short[1], False, True]
    assert len(set(short)) == 3


def test_names_without_separators_keep_both_ends():
    assert apart(["a" * 40 + "1", "a" * 40 + "2"], 24) == [
        "aaaaaaaaaa...aaaaaaaaa1",
        "aaaaaaaaaa...aaaaaaaaa2",
    ]
    middle = ["a" * 20 + letter + "b" * 20 for letter in "xy"]
    assert apart(middle, 24) == middle  # nothing shorter tells them apart


@given(st.lists(st.text("ab-_/.", min_size=1, max_size=60), unique=True, min_size=1), st.integers(12, 40))
def test_names_stay_apart_at_any_width(names: list[str], columns: int):
    assert len(set(apart(names, columns))) == len(names)
    assert apart(names, 60) == names


@given(st.text("abc-_/", min_size=1, max_size=80))
def test_a_fitted_name_breaks_no_word(name: str):
    shown = fitted(name, 24)
    beginning, _, end = shown.partition("...")
    assert name.startswith(beginning)
    assert name.endswith(end)
    if shown != name:
        words = name.replace("-", " ").replace("_", " ").replace("/", " ").split()
        rest = f"{beginning} {end}".replace("-", " ").replace("_", " ").replace("/", " ").split()
        assert set(rest) <= set(words)


def test_a_sentence_has_the_short_names_of_the_table_below_it():
    names = short_names(["desk-agent-with-retrieval-and-tools/a1", "desk-agent-with-retrieval-and-tools/a10"])
    assert names.shared
    sentence = (
        "desk-agent-with-retrieval-and-tools/a10 is better than desk-agent-with-retrieval-and-tools/a1."
    )
    assert names.in_text(sentence) == "a10 is better than a1."
    assert short_names(["a", "b"]).in_text("a is better than b") == "a is better than b"
