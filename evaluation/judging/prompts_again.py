"""Judges of a run as their prompts are now: to read replies again, or to show what was asked."""

from __future__ import annotations

from dataclasses import replace

from ...judges import PromptJudge, load_judge
from ..store.manifest import KnownJudge
from .worlds import replay_in


def prompt_again(known: KnownJudge) -> PromptJudge:
    """A judge of a run by its prompt as it is now, under the name it had; its id tells whether anything changed."""
    spec = known.prompt or f"{known.id.name}/{known.id.variant}"
    return replace(load_judge(spec, model=known.id.model, replay=replay_in({})), by=known.by)
