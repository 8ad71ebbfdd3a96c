from __future__ import annotations

from typing import Any

import numpy as np
from each_row import each_row

from fiducial.deterministic.execution.result_matching import (
    match_exactly,
    match_in_range,
    match_nearly,
    match_structure,
)


class Incomparable:
    def __eq__(self, other: object) -> bool:
        raise ValueError("the truth value is ambiguous")

    __hash__ = None  # pyright: ignore[reportAssignmentType] - as arrays have it


@each_row(
    ("expected", "actual", "error"),
    [
        (1, 1, None),
        (1, 1.0, None),
        ([1], [1], None),
        (1, 2, "executable_checker:wrong_result"),
        (Incomparable(), 1, "executable_checker:wrong_result"),
    ],
)
def test_exactly_means_equal(expected: Any, actual: Any, error: str | None):
    assert _error(match_exactly(expected, actual)) == error


@each_row(
    ("expected", "actual", "in_range", "nearly"),
    [
        (100, 80, True, True),
        (100, 120.0, True, True),
        (100, 79.9, False, False),
        (100, 120.1, False, False),
        (0, 0, True, True),
        (-100, -100, False, True),
        (-100, -121, False, False),
        (100, True, False, False),
        ("100", 100, False, False),
        (100, None, False, False),
        (float("nan"), 1.0, False, False),
        (float("inf"), float("inf"), True, False),
        (10**400, 10**400, False, False),
        (3.0, np.float64(3.1), False, True),
        (np.int64(30), 31, False, True),
        (1, np.bool_(True), False, False),
    ],
)
def test_near_is_within_a_fifth(expected: Any, actual: Any, in_range: bool, nearly: bool):
    assert (match_in_range(expected, actual) is None) is in_range
    assert (match_nearly(expected, actual) is None) is nearly


@each_row(
    ("expected", "actual", "error"),
    [
        ({"a": 1}, {"a": "x"}, None),
        ([1, 2], ["a", None], None),
        ("a", "b", None),
        (1, 1.0, "executable_checker:wrong_result_type"),
        (1, True, "executable_checker:wrong_result_type"),
        ({"a": 1, "b": 2}, {"a": 1}, "executable_checker:wrong_result_type:dict_key_not_found"),
        ({"a": 1}, {"a": 1, "b": 2}, "executable_checker:wrong_result_type:dict_extra_key"),
        ([1], [1, 2], "executable_checker:wrong_result_type:list_length"),
    ],
)
def test_structure_is_type_keys_and_length(expected: Any, actual: Any, error: str | None):
    assert _error(match_structure(expected, actual)) == error


def _error(mismatch: Any) -> str | None:
    return None if mismatch is None else mismatch.error_type
