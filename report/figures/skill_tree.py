"""Skill tree: challenges with their results, joined to the challenges they depend on."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from ...evaluation.artifacts.skills import Skill
from ..text.number_text import counted
from ..text.safe_text import cut_at
from .drawing import WIDTH, dot, path, svg, text

_ROW, _TOP, _LEFT, _INDENT, _MAX_LEVELS = 22.0, 14.0, 10.0, 24.0, 8
_LETTER = 7.0
_MAX_ROWS = 300


def skill_figure(skills: Sequence[Skill]) -> Markup:
    """Draw one row per challenge, indented by its longest chain of dependencies.

    It is joined to the dependency that it is listed below; its name is followed by the number of others.
    """
    shown = skills[:_MAX_ROWS]
    places = {
        skill.name: (_LEFT + _INDENT * min(skill.level, _MAX_LEVELS), _TOP + _ROW * row)
        for row, skill in enumerate(shown)
    }
    joins = [
        path("course", [places[name], (places[name][0], places[skill.name][1]), places[skill.name]])
        for skill in shown
        if (name := skill.under) in places
    ]
    rows = [shape for skill in shown for shape in _row(skill, *places[skill.name])]
    left_out = len(skills) - len(shown)
    description = counted(len(skills), "challenge") + (f", {left_out} not shown" if left_out else "")
    height = _TOP * 2 + _ROW * max(0, len(shown) - 1)
    return svg("skills", WIDTH, height, "Skill tree", [*joins, *rows], description=description)


def _row(skill: Skill, x: float, y: float) -> list[Markup]:
    kind = "bounds" if not skill.graded else "agree" if skill.passed == skill.graded else "differ"
    result = f"{skill.passed} of {skill.graded} passed" if skill.graded else "ungraded"
    room = max(4, int((WIDTH - x - 110) / _LETTER))
    needs = f"; depends on {', '.join(skill.needs)}" if skill.needs else ""
    if skill.circular:
        needs += " (circular)"
    others = len(skill.needs) - (skill.under is not None)
    more = " (circular)" if skill.circular else f" +{others}" if others else ""
    return [
        dot(x, y, kind, description=f"{skill.name}: {result}{needs}"),
        text(
            x + 10,
            y + 4,
            f"{_fitting(skill.name, room - len(more))}{more}",
            room=room,
            full=f"{skill.name}{needs}",
        ),
        text(WIDTH - 4, y + 4, result, "share", anchor="end"),
    ]


def _fitting(name: str, room: int) -> str:
    return name if len(name) <= room else f"{cut_at(name, room - 1)}…"
