from __future__ import annotations

from each_row import each_row

from fiducial.judges.as_json import replace_surrogates


@each_row(
    ("text", "whole"),
    [
        ("", ""),
        ("plain \U0001f600", "plain \U0001f600"),
        ("\ud800", "\ufffd"),
        ("a\udc00b", "a\ufffdb"),
        ("\ud800\ud800\U0001f600", "\ufffd\ufffd\U0001f600"),
        ("\ud83d\ude00", "\U0001f600"),  # two halves that belong together, apart only in memory
    ],
)
def test_halves_of_surrogate_pairs_are_replaced_and_nothing_else(text: str, whole: str) -> None:
    assert replace_surrogates(text) == whole
