"""Lines of score files hold whatever a decoder gives."""

from __future__ import annotations

import json
from typing import Any

from each_row import each_row

from fiducial.evaluation.bfcl.score_lines import encoded_line


def test_characters_beyond_ascii_stay_as_they_are():
    assert encoded_line({"bed": "Kräuter"}) == '{"bed": "Kräuter"}\n'.encode()


def test_what_utf8_cannot_carry_is_escaped():
    assert json.loads(encoded_line(["\ud800"])) == ["\ud800"]


@each_row(
    ("value", "written"),
    [
        ((1, 2), [1, 2]),
        ({1}, "{1}"),
        (b"x", "b'x'"),
        (1j, "1j"),
        ({None: 1, True: 2, b"x": {3: 4}}, {"null": 1, "true": 2, "b'x'": {"3": 4}}),
    ],
)
def test_what_json_does_not_know_becomes_text(value: Any, written: Any):
    assert json.loads(encoded_line(value)) == written


def test_integers_that_python_will_not_write_in_decimal_are_written_in_hexadecimal():
    assert json.loads(encoded_line([1 << 20_000])) == [hex(1 << 20_000)]


def test_nesting_without_end_is_cut():
    value: list[Any] = []
    for _ in range(900):
        value = [value]
    assert b"nested too deeply" in encoded_line(value)
