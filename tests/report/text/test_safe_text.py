from __future__ import annotations

import sys

import pytest

from fiducial.report.text.safe_text import excerpt, json_excerpt, visible


@pytest.mark.parametrize(
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
