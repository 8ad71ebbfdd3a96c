"""Text for the result of a generation."""

from __future__ import annotations

from collections import Counter

from ...evaluation.generation.generate import GenerationTally
from .number_text import counted
from .safe_text import shortened, visible

_LONGEST = 300
"""Longest error shown, in characters."""

_SHOWN = 5
"""Most reasons of one sort that are shown; the journal beside the outputs has all."""


def generation_lines(
    tally: GenerationTally,
    system: str,
    cost: float | None = None,
    *,
    user: str | None = None,
    user_cost: float | None = None,
) -> list[str]:
    """Return a line for each kind of outcome of a system's attempts.

    ``cost`` is US dollars for the tokens, None if the price is unknown; ``user`` is the model that played users.
    """
    outputs = tally.kept + tally.made
    untracked = "" if tally.tracked or not tally.kept else "; the agent's code is not tracked"
    lines = [
        f"{visible(system)}: {outputs:,} of {counted(tally.wanted, 'output')}, {tally.made:,} generated now{untracked}"
    ]
    if tally.calls:
        lines.append(_spent(tally.calls, tally.prompt_tokens, tally.completion_tokens, cost))
    if user is not None and tally.user_calls:
        spent = _spent(tally.user_calls, tally.user_prompt_tokens, tally.user_completion_tokens, user_cost)
        lines.append(f"simulated user {visible(user)}: {spent}")
    if (crashed := crashes(tally)) is not None:
        lines.append(crashed)
    lines += _reason_lines("stopped", tally.stopped)
    lines += _reason_lines("no output, the case is not for this agent", tally.passed_over)
    lines += _reason_lines("no output, the call failed", tally.failures)
    if tally.not_tried:
        lines.append(f"not tried, since all before failed alike: {tally.not_tried:,}")
    return lines


def _spent(calls: int, prompt: int, completion: int, cost: float | None) -> str:
    dollars = "" if cost is None else f", ${cost:,.4f}"
    return f"calls: {calls:,}; tokens: {prompt:,} in, {completion:,} out{dollars}"


def crashes(tally: GenerationTally) -> str | None:
    """Return the number of crashed attempts and the commonest error, or None if none crashed."""
    if not tally.crashes:
        return None
    ((why, _),) = tally.crashes.most_common(1)
    return f"agent crashed in {counted(tally.errors, 'attempt')} (graded 0); most common: {shortened(' '.join(why.split()), _LONGEST)}"


def _reason_lines(result: str, reasons: Counter[str]) -> list[str]:
    lines = [f"{result}: {count:,} x {visible(reason)}" for reason, count in reasons.most_common(_SHOWN)]
    hidden = len(reasons) - len(lines)
    return [*lines, f"{result}: {counted(hidden, 'more reason')}"] if hidden > 0 else lines
