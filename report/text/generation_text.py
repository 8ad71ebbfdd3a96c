"""The result of generating outputs in words: counts, tokens, crashes and failures."""

from __future__ import annotations

from collections import Counter

from ...evaluation.generation.generate import GenerationTally
from .number_text import counted
from .safe_text import shortened, visible

_MAX_ERROR_CHARS = 300
"""Longest error shown."""

_MAX_REASONS = 5
"""Most reasons of one kind that are shown; the journal next to the outputs has all."""


def generation_lines(
    tally: GenerationTally,
    system: str,
    cost: float | None = None,
    *,
    user: str | None = None,
    user_cost: float | None = None,
) -> list[str]:
    """Return a line for each kind of outcome of a system's attempts.

    Args:
        tally: Counts of the generation.
        system: Name of the system.
        cost: US dollars for its tokens, or None if the price is unknown.
        user: The model that simulated users, or None if there were none.
        user_cost: US dollars for that model's tokens.
    """
    outputs = tally.kept + tally.made
    untracked = "" if tally.tracked or not tally.kept else "; the agent's code is not tracked"
    lines = [
        f"{visible(system)}: {outputs:,} of {counted(tally.wanted, 'output')}, {tally.made:,} generated now{untracked}"
    ]
    if tally.calls:
        lines.append(_calls_and_tokens(tally.calls, tally.prompt_tokens, tally.completion_tokens, cost))
    if user is not None and tally.user_calls:
        user_tokens = _calls_and_tokens(
            tally.user_calls, tally.user_prompt_tokens, tally.user_completion_tokens, user_cost
        )
        lines.append(f"simulated user {visible(user)}: {user_tokens}")
    if (crash_line := crashes(tally)) is not None:
        lines.append(crash_line)
    lines += _reason_lines("stopped", tally.stopped)
    lines += _reason_lines("no output, the case is not for this agent", tally.passed_over)
    lines += _reason_lines("no output, the call failed", tally.failures)
    if tally.not_tried:
        lines.append(f"not tried, since all before failed alike: {tally.not_tried:,}")
    return lines


def _calls_and_tokens(calls: int, prompt: int, completion: int, cost: float | None) -> str:
    dollars = "" if cost is None else f", ${cost:,.4f}"
    return f"calls: {calls:,}; tokens: {prompt:,} in, {completion:,} out{dollars}"


def crashes(tally: GenerationTally) -> str | None:
    """Return a line on crashed attempts with the commonest error, or None if none crashed."""
    if not tally.crashes:
        return None
    ((why, _),) = tally.crashes.most_common(1)
    return f"agent crashed in {counted(tally.errors, 'attempt')} (graded 0); most common: {shortened(' '.join(why.split()), _MAX_ERROR_CHARS)}"


def _reason_lines(outcome: str, reasons: Counter[str]) -> list[str]:
    lines = [
        f"{outcome}: {count:,} x {visible(reason)}" for reason, count in reasons.most_common(_MAX_REASONS)
    ]
    hidden = len(reasons) - len(lines)
    return [*lines, f"{outcome}: {counted(hidden, 'more reason')}"] if hidden > 0 else lines
