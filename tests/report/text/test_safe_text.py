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


def test_every_character_that_is_spelled_out_is_one_that_is_not_printable():
    printable = [text for code in range(sys.maxunicode + 1) if (text := chr(code)).isprintable()]
    # With a newline before it, which does not print, so that it is looked at.
    assert [text for text in printable if visible(f"\n{text}") != f"\n{text}"] == []


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
