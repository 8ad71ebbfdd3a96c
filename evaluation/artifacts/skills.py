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
        needs: Names of the challenges of the tree on which it depends.
        level: Length of the longest chain of its dependencies, 0 without any; those in a circle do not count.
        passed: Number of challenges of this name that passed.
        graded: Number that passed or failed.
        of: Total number of challenges of this name.
        under: The dependency below which it is listed, or None without one.
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
    """Arrange challenges by category and by dependency."""
    attempts = list(attempts)
    names = ChallengeNames(attempt.case for attempt in attempts)
    groups: dict[str, list[ChallengeResult]] = {}
    for attempt in attempts:
        groups.setdefault(challenge_name(attempt.case), []).append(attempt)
    needs = {name: _dependencies(name, group, names) for name, group in groups.items()}
    circles = _circle_of_each(needs)  # left out of levels, which would have no end
    levels = _level_of_each(
        {
            name: [dependency for dependency in dependencies if dependency not in circles[name]]
            for name, dependencies in needs.items()
        }
    )
    skills = [
        Skill(
            name,
            _categories_of(group[0])[0],
            needs[name],
            levels[name],
            sum(attempt.success for attempt in group),
            sum(map(_is_graded, group)),
            len(group),
            circular=bool(circles[name]),
        )
        for name, group in groups.items()
    ]
    return SkillTree(_category_rates(attempts), _in_tree_order(skills))


def _in_tree_order(skills: Iterable[Skill]) -> list[Skill]:
    """Put each challenge below its dependency of the highest level, else by category and name.

    Of several dependencies with that level, the first counts.
    """
    ordered = sorted(skills, key=lambda skill: (skill.level, skill.category, skill.name))
    level_of = {skill.name: skill.level for skill in ordered}
    children: dict[str | None, list[Skill]] = {}
    for skill in ordered:
        lower = [name for name in skill.needs if level_of[name] < skill.level]
        under = max(lower, key=level_of.__getitem__, default=None)
        children.setdefault(under, []).append(msgspec.structs.replace(skill, under=under))
    in_order: list[Skill] = []
    waiting = children.pop(None, [])[::-1]  # a stack, so that children follow their parent
    while waiting:
        in_order.append(waiting.pop())
        waiting += children.pop(in_order[-1].name, [])[::-1]
    return [*in_order, *(skill for group in children.values() for skill in group)]


def _dependencies(name: str, group: Sequence[ChallengeResult], names: ChallengeNames) -> list[str]:
    dependencies = {
        names.resolve(dependency) for attempt in group for dependency in dependencies_of(attempt.case)
    }
    return sorted(dependency for dependency in dependencies if dependency is not None and dependency != name)


def _circle_of_each(needs: dict[str, list[str]]) -> dict[str, frozenset[str]]:
    """Return, for each name, the names in a circle with it, itself included; empty without one."""
    remaining = needs
    # Both ends of chains are removed, until nothing or only circles and links between them remain.
    while True:
        needed = {dependency for dependencies in remaining.values() for dependency in dependencies}
        still_needed = {
            name: [dependency for dependency in dependencies if dependency in remaining]
            for name, dependencies in remaining.items()
            if name in needed
        }
        inner = {
            name: dependencies
            for name, dependencies in still_needed.items()
            if any(dependency in still_needed for dependency in dependencies)
        }
        if inner == remaining:
            break
        remaining = inner
    reachable = {name: _reachable(name, remaining) for name in remaining}
    return {
        name: frozenset(other for other in reachable.get(name, ()) if name in reachable.get(other, ()))
        for name in needs
    }


def _reachable(name: str, needs: dict[str, list[str]]) -> set[str]:
    """Return the direct and indirect dependencies of a challenge; itself only in a circle."""
    reachable: set[str] = set()
    waiting = list(needs[name])
    while waiting:
        dependency = waiting.pop()
        if dependency not in reachable:
            reachable.add(dependency)
            waiting += needs.get(dependency, ())
    return reachable


def _level_of_each(needs: dict[str, list[str]]) -> dict[str, int]:
    """Return the length of the longest chain of each name's dependencies.

    ``needs`` must have no circles.
    """
    levels = dict.fromkeys(needs, 0)
    for _ in needs:  # each round gets one link of a chain right
        next_levels = {
            name: max((levels[dependency] + 1 for dependency in dependencies), default=0)
            for name, dependencies in needs.items()
        }
        if next_levels == levels:
            break
        levels = next_levels
    return levels


def _categories_of(attempt: ChallengeResult) -> list[str]:
    categories = attempt.case.tags.get("categories")
    return str(categories).split(", ") if categories else [_NO_CATEGORY]


def _is_graded(attempt: ChallengeResult) -> bool:
    return attempt.success or (attempt.verdict is not None and attempt.verdict.graded)


def _category_rates(attempts: Sequence[ChallengeResult]) -> list[CategoryRate]:
    groups: dict[str, list[ChallengeResult]] = {}
    for attempt in attempts:
        for category in _categories_of(attempt):
            groups.setdefault(category, []).append(attempt)
    return [_category_rate(category, group) for category, group in sorted(groups.items())]


def _category_rate(category: str, group: Sequence[ChallengeResult]) -> CategoryRate:
    passed, graded = sum(attempt.success for attempt in group), sum(map(_is_graded, group))
    if graded:
        graded_attempts = [attempt for attempt in group if _is_graded(attempt)]
        passes = np.array([attempt.success for attempt in graded_attempts], dtype=np.float64)
        rate = share_of(passes, cluster_numbers(attempt.case.id for attempt in graded_attempts))
    else:
        rate = undefined("no challenge was graded", n=0)
    return CategoryRate(category, passed, len(group) - graded, rate)
