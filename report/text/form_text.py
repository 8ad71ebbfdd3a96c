"""Outputs that differ from their reference only in form, such as in case or punctuation.

Neither a reference nor a schema settles whether form counts; the user does, with an option.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...evaluation.conclusion.run_results import SystemResult
from ...spelling import spelled_word
from ..document import CautionLine
from .number_text import counted

_MAX_SYSTEMS = 3
"""Most systems with a line of their own; others are counted."""


def form_lines(systems: Sequence[SystemResult]) -> Iterator[CautionLine]:
    """Yield a line per system on outputs that differ only in form, with both possible rates."""
    differing = [system for system in systems if system.form is not None]
    for system in differing[:_MAX_SYSTEMS]:
        assert system.form is not None
        name = "" if len(systems) == 1 else f"{system.system}: "
        verb = "differs" if system.form.outputs == 1 else "differ"
        yield CautionLine(
            f"{name}{counted(system.form.outputs, 'output')} {verb} only in form: with `{spelled_word('text', 'loose')}` "
            f"{system.form.loose:.2f}, with `{spelled_word('text', 'exact')}` {system.form.exact:.2f} pass"
        )
    if len(differing) > _MAX_SYSTEMS:
        hidden_outputs = sum(
            system.form.outputs for system in differing[_MAX_SYSTEMS:] if system.form is not None
        )
        yield CautionLine(
            f"{counted(hidden_outputs, 'output')} of {counted(len(differing) - _MAX_SYSTEMS, 'more system')} {'differs' if hidden_outputs == 1 else 'differ'} only in form"
        )
    if any(system.form is not None and system.form.imported for system in differing):
        yield CautionLine(
            f"cases imported from BFCL by an earlier version: `{spelled_word('text', 'loose')}` keeps their verdicts"
        )
