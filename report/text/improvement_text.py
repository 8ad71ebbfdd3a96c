"""The improvement of a judge's prompt in words: the answer, its conditions, all candidates.

Candidates are chosen in development, and the best is tested once on a holdout (decision 30).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ...calibration.comparison.prompt_gain import OperatorChange, PromptGain
from ...evaluation.improvement.improvement_results import Improvement, TriedPrompt
from ...records import NO_USAGE
from ...spelling import setting
from ..document import Piece, document
from ..document_parts import ENDS, DocumentTable
from .number_text import count, counted, decimal, interval, listed, number, p_value, tokens
from .one_screen import statistic_text
from .probe_text import probe_title


@document
def improvement_screen(improvement: Improvement) -> Iterator[Piece]:
    """Build the screen of an improvement: whether a better prompt was written, and why."""
    yield _headline(improvement)
    if improvement.written:
        yield f"written: {improvement.written}"
    yield ""
    if improvement.gain is not None:
        yield _condition_table(improvement, improvement.gain)
        yield ""
        yield from _expectations(improvement, improvement.gain)
    yield _candidate_table(improvement)
    yield from _refusals(improvement)
    yield ""
    yield _sizes_sentence(improvement)
    yield _cost_sentence(improvement)


@document
def improvement_document(improvement: Improvement) -> Iterator[Piece]:
    """Build the full document of an improvement: the screen, then the holdout, probes and costs."""
    yield from improvement_screen(improvement)
    if improvement.gain is not None:
        yield ""
        yield from _holdout_sentences(improvement, improvement.gain)
    if improvement.changes:
        yield ""
        yield _change_table(improvement)
    yield ""
    yield DocumentTable(
        ("cost", "verdicts", "calls", "tokens in", "tokens out", "dollars"),
        [
            (
                cost.part,
                *map(count, (cost.verdicts, cost.calls, cost.prompt_tokens, cost.completion_tokens)),
                "-" if cost.cost is None else f"{cost.cost:.2f}",
            )
            for cost in improvement.costs
        ],
        indent=0,
    )
    yield ""
    yield from _LIMITS


def _refusals(improvement: Improvement) -> Iterator[str]:
    """Yield a line per reason for refusing candidates, with their names."""
    candidates_by_reason: dict[str, list[str]] = {}
    for prompt in improvement.tried:
        if prompt.refused:
            candidates_by_reason.setdefault(prompt.refused, []).append(prompt.name)
    yield from (
        f"refused: {listed(candidates)}: {reason}" for reason, candidates in candidates_by_reason.items()
    )


_LIMITS = (
    "Limits: the gain is in agreement with these labels, on items like these; it is no better than they are.",
    "Another output folder would look at the same holdout again, and cannot know of this look.",
    "Read the prompt before you use it: a text among the items may have talked the model into a back door.",
)


def _headline(improvement: Improvement) -> str:
    name, gain = _best_name(improvement), improvement.gain
    match improvement.answer:
        case "improved" if gain is not None:
            return (
                f"{name} is better than {improvement.judge}: it agrees with {decimal(gain.new.value or 0)} of the held-out labels, "
                f"{_gain_text(gain)} more."
            )
        case "worse on probes":
            return f"No prompt written: {name} gains on the holdout, but {_loss_clause(improvement)}."
        case "gain not shown":
            return f"No prompt written: the gain of {name} on the holdout is not shown to be above 0."
        case "no better in development":
            return f"No prompt written: no candidate beats {improvement.judge} in development. The holdout was not looked at."
        case "calls failed":
            return f"Unfinished: {counted(improvement.failed, 'call')} failed; rerun the command to retry only these."
        case _:
            refused = [prompt for prompt in improvement.tried if prompt.refused]
            reason = "there was no candidate to try"
            if refused:
                reason = f"{'the only candidate was' if len(refused) == 1 else f'{len(refused):,} candidates were'} refused"
            return f"No prompt written: {reason}. The holdout was not looked at."


def _loss_clause(improvement: Improvement) -> str:
    worse = [probe_title(loss.operator) for loss in improvement.losses if loss.state == "worse"]
    if worse:
        return f"is worse on probes of {listed(worse[:3])}"
    if improvement.losses:
        return f"may be worse on probes of {listed([probe_title(loss.operator) for loss in improvement.losses[:3]])}"
    return f"no probes show whether faults and attacks pass more often ({setting('probes')})"


def _best_name(improvement: Improvement) -> str:
    return next(
        (prompt.name for prompt in improvement.tried if prompt.path == improvement.best), "the best candidate"
    )


def _gain_text(gain: PromptGain) -> str:
    return f"{decimal(gain.gain.value or 0)} {interval(gain.gain.low, gain.gain.high)}"


def _condition_table(improvement: Improvement, gain: PromptGain) -> DocumentTable:
    gain_bound = "no bound" if gain.at_least is None else f"at least {number(gain.at_least)}"
    loss_count = len(improvement.losses)
    operators_tested = counted(len(improvement.changes), "operator")
    states = Counter(loss.state for loss in improvement.losses)
    losses_by_state = ", ".join(f"{times:,} {state}" for state, times in states.items())
    no_probes = "no probes" if gain.proven else "not tried without a gain"
    probes_result = (
        f"{losses_by_state}, of {operators_tested}"
        if loss_count
        else f"all of {operators_tested}"
        if improvement.changes
        else no_probes
    )
    return DocumentTable(
        ("condition", "result", "n", ""),
        [
            (
                f"gain above 0 (one-sided, {100 * (1 - gain.alpha):g} %)",
                gain_bound,
                count(gain.gain.n),
                _met_word(gain.proven),
            ),
            (
                f"no operator or attack {improvement.margin:g} worse",
                probes_result,
                count(sum(change.change.n for change in improvement.changes)),
                _met_word(bool(improvement.changes) and not loss_count),
            ),
        ],
        left_aligned=frozenset({0, 1, 3}),
        indent=0,
    )


def _met_word(met: bool) -> str:  # noqa: FBT001 - one word of a table
    return "met" if met else "not met"


def _expectations(improvement: Improvement, gain: PromptGain) -> Iterator[str]:
    """Yield what to expect on new items or of more labels, and what the gain rests on."""
    if improvement.answer == "improved":
        # A prompt chosen for its gain is likely to gain less later (regression to the mean).
        yield f"On new items like these, expect agreement {statistic_text(gain.new)}, and a gain nearer its lower end."
    elif gain.smallest_visible is not None and not gain.proven:
        yield f"A true gain of {decimal(gain.smallest_visible)} would be found four times in five. More labels find less."
    if gain.won or gain.lost:
        unadjudicated = decimal(gain.unadjudicated)
        yield (
            f"Of the gain of {decimal(gain.gain.value or 0)}, {unadjudicated} rests on labels that nobody adjudicated "
            f"({counted(gain.won_unadjudicated, 'item')} won, {count(gain.lost_unadjudicated)} lost)."
        )
    yield ""


def _candidate_table(improvement: Improvement) -> DocumentTable:
    current_rows = [] if improvement.current is None else [_candidate_row(improvement.current, "current")]
    rows = [
        _candidate_row(prompt, f"by {prompt.by}" if prompt.by else "file") for prompt in improvement.tried
    ]
    return DocumentTable(
        ("in development", "agrees with labels", "n", ""), [*current_rows, *rows], left_aligned=ENDS, indent=0
    )


def _candidate_row(prompt: TriedPrompt, decision: str) -> tuple[str, ...]:
    ungraded_note = f"; {count(prompt.ungraded)} ungraded" if prompt.ungraded else ""
    result = "refused" if prompt.refused else f"{decision}{ungraded_note}"
    n = "-" if prompt.agreement is None else count(prompt.agreement.n)
    return prompt.name, statistic_text(prompt.agreement), n, result


def _sizes_sentence(improvement: Improvement) -> str:
    sides = (("development", improvement.development), ("holdout", improvement.holdout))
    sizes = "; ".join(
        f"{name} {counted(side.items, 'item')} in {counted(side.groups, 'group')}, {count(side.adjudicated)} adjudicated"
        for name, side in sides
    )
    look = "" if improvement.look is None else f". Look {improvement.look.look} at the holdout"
    return f"{sizes[0].upper()}{sizes[1:]}{look}."


def _cost_sentence(improvement: Improvement) -> str:
    total = sum((cost.usage for cost in improvement.costs), NO_USAGE)
    price = "" if total.dollars is None else f", ${total.dollars:,.4f}"
    return f"Cost: {counted(total.calls, 'call')}, tokens {tokens(total.prompt_tokens, total.completion_tokens)}{price}."


def _holdout_sentences(improvement: Improvement, gain: PromptGain) -> Iterator[str]:
    yield (
        f"Holdout: {improvement.judge} agrees with {statistic_text(gain.current)}, {_best_name(improvement)} with {statistic_text(gain.new)} "
        f"(95 % intervals). {counted(gain.won, 'item')} won, {count(gain.lost)} lost."
    )
    if any(improvement.ungraded):
        current, new = improvement.ungraded
        yield f"Ungraded, which agrees with no label: {count(current)} by {improvement.judge}, {count(new)} by {_best_name(improvement)}."


def _change_table(improvement: Improvement) -> DocumentTable:
    return DocumentTable(
        ("probes", "n", "change", "interval", "at least", "Holm p", ""),
        [_change_row(change) for change in sorted(improvement.changes, key=_most_lost_first)],
        caption=f"Share treated as it should be, new minus current. Not worse: a loss of {improvement.margin:g} is excluded.",
        left_aligned=ENDS,
        indent=0,
    )


def _most_lost_first(change: OperatorChange) -> float:
    return -1.0 if change.at_least is None else change.at_least


def _change_row(change: OperatorChange) -> tuple[str, ...]:
    title = probe_title(change.operator)
    name = title if len(change.operators) == 1 else f"{title} ({len(change.operators)})"
    ends = interval(change.change.low, change.change.high, 3)
    return (
        name,
        count(change.change.n),
        number(change.change.value),
        ends,
        number(change.at_least),
        p_value(change.holm_p),
        change.state,
    )
