"""What an unknown name may mean."""

from __future__ import annotations

from fiducial.records import known_names


def test_a_near_name_is_proposed_and_else_the_first_ones_are_listed():
    names = [f"judge_{n}/reasons" for n in range(44)]
    assert known_names("judge_7/reason", names) == " (did you mean 'judge_7/reasons'?)"
    assert known_names("xyz", names).startswith("; there are judge_0/reasons, judge_1/reasons, ")
    assert known_names("xyz", names).endswith("judge_7/reasons and 36 others")
    assert known_names("xyz", ["a", "b"]) == "; there are a, b"
