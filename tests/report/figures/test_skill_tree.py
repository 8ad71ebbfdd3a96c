"""The figure of a skill tree: one row per challenge, joined to its parent."""

from __future__ import annotations

import re

from fiducial.evaluation.artifacts.skills import skill_tree
from fiducial.formats.agbenchmark import ChallengeResult
from fiducial.records import Case
from fiducial.report.figures.skill_tree import skill_figure


def challenges(needs: dict[str, list[str]], failed: str = "") -> list[ChallengeResult]:
    return [
        ChallengeResult(
            Case(
                id=name,
                kind="artifact",
                messages=[],
                reference={"name": name, "dependencies": below, "ground": {"files": []}},
                tags={"categories": "code"},
            ),
            None,
            success=name != failed,
        )
        for name, below in needs.items()
    ]


def test_each_challenge_is_listed_below_its_nearest_dependency():
    tree = skill_tree(challenges({"c": ["a", "b"], "b": ["a"], "a": [], "d": []}))
    assert [(skill.name, skill.level, skill.under) for skill in tree.skills] == [
        ("a", 0, None),
        ("b", 1, "a"),
        ("c", 2, "b"),
        ("d", 0, None),
    ]


def test_challenges_in_a_circle_are_marked_and_not_indented_by_it():
    needs = {"a": ["b"], "b": ["c"], "c": ["a"], "d": ["c"], "e": ["root"], "root": [], "f": ["f"]}
    tree = skill_tree(challenges(needs))
    assert {skill.name: (skill.level, skill.circular) for skill in tree.skills} == {
        "a": (0, True),
        "b": (0, True),
        "c": (0, True),
        "d": (1, False),
        "e": (1, False),
        "root": (0, False),
        "f": (0, False),
    }


def test_two_circles_joined_by_a_chain_stay_apart():
    tree = skill_tree(challenges({"a": ["b"], "b": ["a"], "m": ["a"], "x": ["y", "m"], "y": ["x"]}))
    assert {skill.name: (skill.level, skill.circular) for skill in tree.skills} == {
        "a": (0, True),
        "b": (0, True),
        "m": (1, False),
        "x": (2, True),
        "y": (0, True),
    }


def test_a_row_is_joined_once_and_names_every_dependency_in_its_tooltip():
    figure = str(skill_figure(skill_tree(challenges({"a": [], "b": [], "c": ["a", "b"]})).skills))
    assert figure.count('class="course"') == 1
    assert "c: 0 of 0 passed" not in figure
    assert "depends on a, b" in figure
    assert re.search(r">(<title>[^<]*</title>)?c \+1<", figure)


def test_a_circle_is_written_behind_a_name_however_long():
    long = "n" * 80
    figure = str(skill_figure(skill_tree(challenges({long: ["b"], "b": [long]})).skills))
    assert figure.count(" (circular)</text>") == 2
    assert "n… (circular)</text>" in figure
