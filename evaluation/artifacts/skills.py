"""Skill tree: pass rates by category, and challenges with what they depend on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
import numpy as np

from ...calibration.arrays import cluster_numbers
from ...calibration.intervals.clustered_rates import share_of
from ...calibration.statistic import Statistic, undefined
from ...deterministic.artifacts.dependencies import ChallengeNames, challenge_name, dependencies_of
from ...formats.agbenchmark import ChallengeResult

_NO_CATEGORY = "(none)"


class Skill(msgspec.Struct, frozen=True):
    """Challenge of a skill tree.

    Attributes:
        name: The challenge's name.
        category: Its first category.
        needs: Names of the challenges it depends on, among those given.
        level: Longest chain of dependencies below it; 0 without any. Those in a circle do not count.
        passed: Number of challenges of this name that passed.
        graded: Number that passed or failed.
        of: Number of all.
        under: The dependency that it is listed below, or None without any.
        circular: Whether it depends on itself, through others.
    """

    name: str
    category: str
    needs: Sequence[str]
    level: int
    passed: int
    graded: int
    of: int
    under: str | None = None
    circular: bool = False


class CategoryRate(msgspec.Struct, frozen=True):
    """Pass rate of the challenges of one category; a challenge counts in each of its categories."""

    category: str
    passed: int
    ungraded: int
    rate: Statistic


class SkillTree(msgspec.Struct, frozen=True):
    """Categories with their pass rates, and challenges, each below one that it depends on."""

    categories: list[CategoryRate]
    skills: list[Skill]


def skill_tree(attempts: Iterable[ChallengeResult]) -> SkillTree:
    """Arrange challenges by category and by what they depend on."""
    attempts = list(attempts)
    names = ChallengeNames(attempt.case for attempt in attempts)
    groups: dict[str, list[ChallengeResult]] = {}
    for attempt in attempts:
        groups.setdefault(challenge_name(attempt.case), []).append(attempt)
    needs = {name: _needs(name, group, names) for name, group in groups.items()}
    circles = _circles(needs)
    levels = _levels(
        {name: [each for each in below if each not in circles[name]] for name, below in needs.items()}
    )
    skills = [
        Skill(
            name,
            _categories(group[0])[0],
            needs[name],
            levels[name],
            sum(result.success for result in group),
            sum(_graded(result) for result in group),
            len(group),
            circular=bool(circles[name]),
        )
        for name, group in groups.items()
    ]
    return SkillTree(_rates(attempts), _in_tree_order(skills))


def _in_tree_order(skills: Iterable[Skill]) -> list[Skill]:
    """Put each challenge below its nearest dependency; sort others by category and name.

    Of several that are equally near, the first counts.
    """
    ordered = sorted(skills, key=lambda skill: (skill.level, skill.category, skill.name))
    level = {skill.name: skill.level for skill in ordered}
    below: dict[str | None, list[Skill]] = {}
    for skill in ordered:
        lower = [name for name in skill.needs if level[name] < skill.level]
        under = max(lower, key=level.__getitem__, default=None)
        below.setdefault(under, []).append(msgspec.structs.replace(skill, under=under))
    found: list[Skill] = []
    waiting = below.pop(None, [])[::-1]
    while waiting:
        found.append(waiting.pop())
        waiting += below.pop(found[-1].name, [])[::-1]
    return [*found, *(skill for group in below.values() for skill in group)]


def _needs(name: str, group: Sequence[ChallengeResult], names: ChallengeNames) -> list[str]:
    found = {names.resolve(dependency) for attempt in group for dependency in dependencies_of(attempt.case)}
    return sorted(each for each in found if each is not None and each != name)


def _circles(needs: dict[str, list[str]]) -> dict[str, frozenset[str]]:
    """Return the names in a circle with each name, itself included; empty if there is none."""
    left = needs
    while True:  # without a circle, ends of chains are removed until nothing is left
        needed = {each for below in left.values() for each in below}
        kept = {
            name: [each for each in below if each in left] for name, below in left.items() if name in needed
        }
        kept = {name: below for name, below in kept.items() if any(each in kept for each in below)}
        if kept == left:
            break
        left = kept
    reached = {name: _reached(name, left) for name in left}
    return {
        name: frozenset(each for each in reached.get(name, ()) if name in reached.get(each, ()))
        for name in needs
    }


def _reached(name: str, needs: dict[str, list[str]]) -> set[str]:
    """Return what a challenge depends on, at any distance; itself only in a circle."""
    found: set[str] = set()
    waiting = list(needs[name])
    while waiting:
        each = waiting.pop()
        if each not in found:
            found.add(each)
            waiting += needs.get(each, ())
    return found


def _levels(needs: dict[str, list[str]]) -> dict[str, int]:
    """Return the longest chain of dependencies below each name; there are no circles."""
    levels = dict.fromkeys(needs, 0)
    for _ in needs:
        raised = {name: max((levels[each] + 1 for each in below), default=0) for name, below in needs.items()}
        if raised == levels:
            break
        levels = raised
    return levels


def _categories(attempt: ChallengeResult) -> list[str]:
    named = attempt.case.tags.get("categories")
    return str(named).split(", ") if named else [_NO_CATEGORY]


def _graded(attempt: ChallengeResult) -> bool:
    return attempt.success or (attempt.verdict is not None and attempt.verdict.graded)


def _rates(attempts: Sequence[ChallengeResult]) -> list[CategoryRate]:
    groups: dict[str, list[ChallengeResult]] = {}
    for attempt in attempts:
        for category in _categories(attempt):
            groups.setdefault(category, []).append(attempt)
    return [_rate(category, group) for category, group in sorted(groups.items())]


def _rate(category: str, group: Sequence[ChallengeResult]) -> CategoryRate:
    passed, graded = sum(challenge_result.success for challenge_result in group), sum(map(_graded, group))
    if graded:
        known = [challenge_result for challenge_result in group if _graded(challenge_result)]
        result = np.array([challenge_result.success for challenge_result in known], dtype=np.float64)
        rate = share_of(result, cluster_numbers(challenge_result.case.id for challenge_result in known))
    else:
        rate = undefined("no challenge was graded", n=0)
    return CategoryRate(category, passed, len(group) - graded, rate)
