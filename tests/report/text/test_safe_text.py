from __future__ import annotations

import sys

from each_row import each_row
from hypothesis import given
from hypothesis import strategies as st

from fiducial.report.text.safe_text import columns_of, cut_at, cut_to_columns, excerpt, json_excerpt, visible


@each_row(
    ("text", "shown"),
    [
        ("safe\u202egnp.exe", "safe\\u202egnp.exe"),
        ("a\u200bb\u2066c\ufeff", "a\\u200bb\\u2066c\\ufeff"),
        ("\ud800", "\\ud800"),
        ("\x1b[31mred\r\n", "\\u001b[31mred\\u000d\n"),
        ("tag \U000e0041", "tag \\U000e0041"),
        ("tab\tnewline\n", "tab\tnewline\n"),
        ("שלום 北京 👩‍🚀 <b>", "שלום 北京 👩‍🚀 <b>"),
        ("a\u200db", "a\\u200db"),
    ],
)  # fmt: skip
def test_what_cannot_be_seen_is_spelled_out_and_the_rest_is_left_alone(text: str, shown: str):
    assert visible(text) == shown


SHAPELESS = {*"\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"}
SELECTORS = {chr(code) for code in (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))}


def test_every_character_that_is_spelled_out_is_one_that_is_not_seen():
    printable = [text for code in range(sys.maxunicode + 1) if (text := chr(code)).isprintable()]
    assert {text for text in printable if visible(text) != text} == SHAPELESS | SELECTORS


def test_a_selector_stays_behind_a_sign_whose_shape_it_selects():
    seen = ["\u2764\ufe0f", "1\ufe0f\u20e3", "\u845b\U000e0100", "\u2122\ufe0e", "\U0001f600\ufe0f"]
    assert list(map(visible, seen)) == seen
    assert visible("\u2764\ufe0f\ufe0f\U000e0130") == r"\u2764\ufe0f\ufe0f\U000e0130".replace(
        r"\u2764\ufe0f", "\u2764\ufe0f", 1
    )


def test_a_long_text_is_cut_and_the_rest_counted():
    assert excerpt("x" * 10_000_000, 1000) == ("x" * 1000, 9_999_000)
    assert excerpt("short", 1000) == ("short", 0)


def test_json_is_laid_out_with_what_fits_on_one_line():
    shown = json_excerpt({"calls": [{"f": {"a": [1]}}], "text": "y" * 90}, 1000)
    assert shown.text == '{\n  "calls": [{"f": {"a": [1]}}],\n  "text": "' + "y" * 90 + '"\n}'


def test_a_huge_json_value_is_cut_without_being_laid_out():
    shown = json_excerpt([0] * 1_000_000, 1000)
    assert len(shown.text) == 1000
    assert "\n" not in shown.text
    assert shown.hidden == 3_000_000 - 1000


def test_json_nested_too_deeply_is_said_to_be():
    value: list[object] = []
    for _ in range(100_000):
        value = [value]
    assert json_excerpt(value, 100).text == "(nested too deeply to be shown)"


FAMILY, SCOTLAND, ACCENT = (
    "👨‍👩‍👧‍👦",
    "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    "e\u0301",
)


@each_row("sign", [FAMILY, SCOTLAND, ACCENT, "🇩🇪", "👍🏽", "1\ufe0f\u20e3", "कि"])
@each_row("before", ["", "ab"])
def test_a_sign_is_not_cut_in_half(sign: str, before: str):
    text = before + sign + sign
    for limit in range(len(text) + 1):
        shown = cut_at(text, limit)
        assert shown in {"", *(before[:n] for n in range(3)), before + sign, text}
        assert len(shown) <= limit


@given(st.text(max_size=200), st.integers(0, 200))
def test_a_cut_text_is_a_beginning_that_fits(text: str, limit: int):
    assert text.startswith(cut_at(text, limit))
    assert len(cut_at(text, limit)) <= limit
    assert columns_of(cut_to_columns(text, limit)) <= limit
    shown, hidden = excerpt(text, limit)
    assert hidden == len(text) - len(cut_at(text, limit))
    assert visible(text).startswith(shown) or not text.isprintable()


def test_a_sign_of_endless_accents_is_cut_all_the_same():
    assert len(cut_at("e" + "\u0301" * 10_000, 5_000)) == 5_000
