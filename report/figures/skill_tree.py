"""Skill tree: challenges with their results, drawn below the challenges that they depend on."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from ...evaluation.artifacts.skills import Skill
from ..text.number_text import counted
from ..text.safe_text import cut_at
from .drawing import WIDTH, dot, path, svg, text

_ROW_HEIGHT, _TOP, _LEFT, _INDENT = 22.0, 14.0, 10.0, 24.0
"""Pixels."""
_MAX_LEVELS = 8
"""Levels that are indented; deeper ones stay below the last, so that names have room."""
_LETTER_WIDTH = 7.0
"""Width of a letter, in pixels, about."""
_MAX_ROWS = 300
"""Most challenges that are drawn."""


def skill_figure(skills: Sequence[Skill]) -> Markup:
    """Draw one row per challenge, indented by its longest chain of dependencies.

    A line joins it to one dependency (`Skill.under`); the number of others follows its name.
    """
    shown = skills[:_MAX_ROWS]
    places = {
        skill.name: (_LEFT + _INDENT * min(skill.level, _MAX_LEVELS), _TOP + _ROW_HEIGHT * row)
        for row, skill in enumerate(shown)
    }
    lines = [
        path("course", [places[name], (places[name][0], places[skill.name][1]), places[skill.name]])
        for skill in shown
        if (name := skill.under) in places
    ]
    rows = [shape for skill in shown for shape in _row(skill, *places[skill.name])]
    hidden_count = len(skills) - len(shown)
    description = counted(len(skills), "challenge") + (f", {hidden_count} not shown" if hidden_count else "")
    height = _TOP * 2 + _ROW_HEIGHT * max(0, len(shown) - 1)
    return svg("skills", WIDTH, height, "Skill tree", [*lines, *rows], description=description)


def _row(skill: Skill, x: float, y: float) -> list[Markup]:
    dot_kind = "bounds" if not skill.graded else "agree" if skill.passed == skill.graded else "differ"
    result = f"{skill.passed} of {skill.graded} passed" if skill.graded else "ungraded"
    # The result on the right takes about 110 pixels.
    name_letters = max(4, int((WIDTH - x - 110) / _LETTER_WIDTH))
    dependencies = f"; depends on {', '.join(skill.needs)}" if skill.needs else ""
    if skill.circular:
        dependencies += " (circular)"
    other_dependencies = len(skill.needs) - (skill.under is not None)
    suffix = " (circular)" if skill.circular else f" +{other_dependencies}" if other_dependencies else ""
    return [
        dot(x, y, dot_kind, description=f"{skill.name}: {result}{dependencies}"),
        text(
            x + 10,
            y + 4,
            f"{_fitting(skill.name, name_letters - len(suffix))}{suffix}",
            room=name_letters,
            full=f"{skill.name}{dependencies}",
        ),
        text(WIDTH - 4, y + 4, result, "share", anchor="end"),
    ]


def _fitting(name: str, room: int) -> str:
    return name if len(name) <= room else f"{cut_at(name, room - 1)}…"
