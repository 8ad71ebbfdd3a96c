"""Outputs that differ only in form from their reference, and the rates either way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...evaluation.conclusion.run_results import SystemResult
from ...spelling import setting
from ..document import CautionLine
from .number_text import counted

_MOST = 3
"""Most systems with a line of their own."""


def form_lines(systems: Sequence[SystemResult]) -> Iterator[CautionLine]:
    """Count, by system, the outputs that differ only in form, with the checked rate either way."""
    differing = [system for system in systems if system.form is not None]
    for system in differing[:_MOST]:
        assert system.form is not None
        name = "" if len(systems) == 1 else f"{system.system}: "
        verb = "differs" if system.form.outputs == 1 else "differ"
        yield CautionLine(
            f"{name}{counted(system.form.outputs, 'output')} {verb} only in form: with `{setting('text', 'loose')}` "
            f"{system.form.loose:.2f}, with `{setting('text', 'exact')}` {system.form.exact:.2f} pass"
        )
    if len(differing) > _MOST:
        more = sum(system.form.outputs for system in differing[_MOST:] if system.form is not None)
        yield CautionLine(
            f"{counted(more, 'output')} of {counted(len(differing) - _MOST, 'more system')} {'differs' if more == 1 else 'differ'} only in form"
        )
    if any(system.form is not None and system.form.imported for system in differing):
        yield CautionLine(
            f"cases imported from BFCL by an earlier version: `{setting('text', 'loose')}` keeps their verdicts"
        )
