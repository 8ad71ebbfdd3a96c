"""First answers of a run by the rules of docs/report.md, and the screen they begin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from ..calibration.statistic import FEW_CLUSTERS, Caution
from ..evaluation.conclusion.run_results import ALL_CORRECTED, JudgeUse
from ..evaluation.conclusion.run_summary import RunSummary
from ..evaluation.store.manifest import Counts
from ..records import NO_USAGE
from .document import CautionLine, CommandLine, Piece, as_lines, document
from .items.naming import short_names
from .next_step import next_step
from .ranking import Answer, best_system_answer, deciding, ranked_in, ranked_rates
from .text import number_text
from .text.agreement_text import jury_lines
from .text.caution_text import comparison_cautions, looks_of, not_sent_caution, sentences, versions_caution
from .text.failures_text import failures_document
from .text.form_text import form_lines
from .text.judges_text import judges_table, points, same_results
from .text.safe_text import SCREEN, WIDTH
from .text.systems_text import judge_names, systems_document
from .text.trust_words import (
    CHANCE_WORDS,
    LOW_ERRORS,
    MORE_LABELS,
    OFF_WORDS,
    Trust,
    balanced_accuracy,
    control_in,
    trust_in,
)
from .text.ungraded_text import never_answered, reason_of_failed_calls, ungraded_lines, ungraded_share_lines

_CHECKED = "both error rates below 10 % on checked outputs"

_THAN = " than labels do, on these labels"

_VERBS: dict[str, tuple[str, str]] = {
    LOW_ERRORS: ("has both error rates below 10 %", "have both error rates below 10 %"),
    _CHECKED: (
        "has both error rates below 10 % on checked outputs, untested on the others",
        "have both error rates below 10 % on checked outputs, untested on the others",
    ),
    MORE_LABELS: ("needs more labels", "need more labels"),
    "biased": ("is biased", "are biased"),
    **{word: (f"{one}{_THAN}", f"{several}{_THAN}") for word, (one, several) in OFF_WORDS.items()},
    "errs too often": ("errs too often", "err too often"),
    "no better than chance": ("is no better than chance", "are no better than chance"),
    "not shown to be better": (
        "is not shown to be better than chance",
        "are not shown to be better than chance",
    ),
    "no labels": ("has no labels", "have no labels"),
    "nothing graded": ("graded nothing", "graded nothing"),
}
"""Wording of each verdict, for one judge and for several."""

_TO_CORRECT = {"biased", "errs too often", *OFF_WORDS}
"""Verdicts on judges whose rates labels should correct."""

_ADJUDICATED = 3
"""Most judges whose adjudicated labels are described."""

_BRIEF: dict[str, str] = {
    "few_clusters": "few independent groups: intervals may be too narrow",
    "another_threshold": "another threshold does better on held-out items",
    "drawn_unevenly": "labels drawn with unequal chances",
}
"""Cautions in a few words; the verdicts on judges and their ungraded outputs cover the rest."""

_COMPARED = "comparison"

_IN_FULL = "labels_of_checkers"
"""Caution that is printed as a sentence."""

_MIN_JUDGES = 2
"""Fewest rows of the table of judges."""


class Answers(msgspec.Struct, frozen=True, kw_only=True):
    """The three answers.

    Attributes:
        better: The best system, or the rate of the only one.
        trust: A verdict for each judge, baselines left out.
        next: The next step.
        corrected: True if labels correct the rates of judged outputs.
        control: Verdict on a baseline, which reads nothing, to compare the judges with.
    """

    better: Answer
    trust: list[Trust]
    next: Answer
    corrected: bool = False
    control: Trust | None = None

    @property
    def trusted(self) -> str:
        """Verdicts on the judges in a sentence; empty if there are none."""
        return verdicts_sentence(
            self.trust, rates=f" (rates {'corrected with your labels' if self.corrected else 'uncorrected'})"
        )


def verdicts_sentence(trust: Sequence[Trust], *, rates: str = "") -> str:
    """Count the verdicts on judges in a sentence; empty if there are none.

    ``rates`` follows the count of judges whose rates labels should correct.
    """
    counts = Counter(_CHECKED if _is_checked(each) else each.word for each in trust)
    if not counts:
        return ""
    if counts == {"no labels": 1}:
        return "This judge is untested: no output that it graded has a label."
    accuracy = ""
    if len(trust) == 1 and trust[0].word in CHANCE_WORDS:
        accuracy = f": {balanced_accuracy(trust[0].panel)}"
    clauses: list[str] = []
    for word, (one, several) in _VERBS.items():
        if count := counts[word]:
            subject = f"{count:,}" if clauses else f"{count:,} of {len(trust):,} judges"
            verb = one if count == 1 else several
            if word in OFF_WORDS:
                verb = verb.format(points([each for each in trust if each.word == word]))
                if any(_THAN in clause for clause in clauses):
                    verb = verb.removesuffix(_THAN)
            if clauses and counts["no better than chance"] and word == "not shown to be better":
                verb = verb.removesuffix(" than chance")  # as the clause before says
            clauses.append(
                f"{'The judge' if len(trust) == 1 else subject} {verb}{rates if word in _TO_CORRECT else ''}"
            )
    return f"{'; '.join(clauses)}{accuracy}."


def _is_checked(trust: Trust) -> bool:
    return trust.word == LOW_ERRORS and trust.checked_only


def answers(summary: RunSummary) -> Answers:
    """Answer the three questions.

    Args:
        summary: Results of a run.

    Returns:
        The answers, by the rules of docs/report.md.
    """
    trust = list(trust_in(summary))
    overall = [system.overall for system in summary.systems if system.overall is not None]
    corrected = bool(overall) and any(rate.name == ALL_CORRECTED for rate in overall)
    return Answers(
        better=best_system_answer(summary),
        trust=trust,
        next=next_step(summary, trust),
        corrected=corrected,
        control=control_in(summary),
    )


@document
def run_document(summary: RunSummary, room: int = SCREEN - 1) -> Iterator[Piece]:
    """Return a one-screen summary of a run.

    Args:
        summary: Results of the run.
        room: Number of lines; the table of judges is shortened to fit.
    """
    first = answers(summary)
    judges = len(list(same_results(first.trust)))
    # All judges if that costs little else; otherwise what fits.
    whole = [(judges, limits) for limits in _LIMITS[:_COST_LITTLE]]
    pieces: Sequence[Piece] = []
    for fewest, limits in (*whole, *((_MIN_JUDGES, limits) for limits in _LIMITS[1:])):
        pieces = list(_run_pieces(summary, first, limits, room, fewest))
        if sum(1 for _ in as_lines(pieces, width=WIDTH)) <= room:
            break
    yield from pieces


class _Limits(NamedTuple):
    """Limits of a screen's parts.

    Attributes:
        free_calls: Say that no call was made, if none was.
        gap: Leave a line empty above the judges.
        failures: Most failures.
        systems: Most systems.
    """

    free_calls: bool
    gap: bool
    failures: int
    systems: int


_LIMITS = (
    _Limits(free_calls=True, gap=True, failures=3, systems=6),
    _Limits(free_calls=False, gap=True, failures=3, systems=6),
    _Limits(free_calls=False, gap=False, failures=3, systems=6),
    _Limits(free_calls=False, gap=False, failures=2, systems=6),
    _Limits(free_calls=False, gap=False, failures=2, systems=5),
    _Limits(free_calls=False, gap=False, failures=2, systems=4),
    _Limits(free_calls=False, gap=False, failures=1, systems=3),
    _Limits(free_calls=False, gap=False, failures=0, systems=3),
)
"""Limits of a screen, from the widest to the narrowest."""

_COST_LITTLE = 4
"""Number of these that leave out little."""


def _run_pieces(
    summary: RunSummary, first: Answers, limits_of: _Limits, room: int, fewest: int
) -> Iterator[Piece]:
    """Yield a summary within limits, with the judges that fit, or at least the fewest."""
    names = short_names(system.system for system in summary.systems)
    better = names.in_text(first.better.text)
    pieces: list[Piece] = [*_unanswered(summary.judges), better, *filter(None, [first.trusted])]
    pieces += [*next_pieces(msgspec.structs.replace(first.next, text=names.in_text(first.next.text))), ""]
    ranked = ranked_in(summary)
    pieces += systems_document(summary.systems, summary.judges, ranked, most=limits_of.systems)
    pieces += failures_document(summary.systems, summary.judges, ranked, most=limits_of.failures)
    closing = [
        *contradicted_lines(summary.counts),
        *map(CautionLine, looks_of(summary.counts.label_rounds, summary.folder)),
        *adjudicated_lines(first.trust),
        *jury_lines({use.name: use.jury for use in summary.judges if use.jury is not None}),
        *(not_sent_caution(use.name, use.refused) for use in summary.judges if use.refused),
        *(versions_caution(use.name, use.served_by) for use in summary.judges if use.served_by),
        *map(CautionLine, ungraded_lines(summary.judges, printed_reason=_printed_reason(summary.judges))),
        *map(CautionLine, summary.earlier_rules),
        *(() if summary.judges else form_lines(summary.systems)),
        *map(CautionLine, ungraded_share_lines(summary.systems)),
        *_cost_line(summary.judges, free=limits_of.free_calls),
        *_unused_labels(summary.counts),
    ]
    yield from pieces
    limits = list(_cautions(summary, first.trust))
    if few_groups_compared(summary):
        closing = [*limits, *closing]
        limits = []
    if first.trust:
        gap = [""] if limits_of.gap else []
        used = len(gap) + sum(1 for _ in as_lines([*pieces, *closing], width=WIDTH))
        yield from gap
        most = max(fewest, room - used - (1 if first.control is None else 2))
        judges = list(judges_table(first.trust, most=most, control=first.control))
        yield from judges
        if used + sum(1 for _ in as_lines([*judges, *limits], width=WIDTH)) <= room:
            yield from limits
    yield from closing


def contradicted_lines(counts: Counts) -> Iterator[Piece]:
    """Count the outputs on which people contradict the checkers, which make the rate."""
    good, bad = counts.failed_labelled_good, counts.passed_labelled_bad
    if good + bad:
        kinds = [f"{n:,} that it {verb}" for n, verb in ((good, "failed"), (bad, "passed")) if n]
        labelled = number_text.counted(counts.checked_labelled, "labelled output")
        yield CautionLine(
            f"people contradict the checker on {good + bad:,} of {labelled}, {' and '.join(kinds)}: "
            "correct the references or the labels"
        )


def _unused_labels(counts: Counts) -> Iterator[Piece]:
    """Count the labels that match no output."""
    if unused := counts.unused_labels:
        yield CautionLine(
            f"{number_text.counted(unused, 'label')} {'matches' if unused == 1 else 'match'} no output"
        )


def next_pieces(step: Answer) -> list[Piece]:
    """Return the next step and its command, below the reasons why calls failed."""
    text = f"Next: {step.below_reasons or step.text}"
    return [text, *([CommandLine(step.command)] if step.command else [])]


def adjudicated_lines(trust: Sequence[Trust]) -> Iterator[Piece]:
    """Say how the labels were adjudicated, if they were."""
    names = judge_names([each.judge for each in trust])
    adjudicated = [each for each in trust if each.adjudicated]
    yield from (f"{names.of(each.judge)}: {each.adjudicated}" for each in adjudicated[:_ADJUDICATED])
    if len(adjudicated) > _ADJUDICATED:
        hidden = number_text.counted(len(adjudicated) - _ADJUDICATED, "more judge")
        yield f"{hidden} by adjudicated labels in the report"


def _cautions(summary: RunSummary, trust: Sequence[Trust]) -> Iterator[Piece]:
    """Yield the limits of the judges' rates in one line, by the number of judges concerned."""
    judges = {each.judge for each in trust}
    few_compared = few_groups_compared(summary)
    limits_by_subject: dict[str, list[str]] = {}
    for caution in summary.agreement.cautions:
        about = len(judges & caution.about.keys())
        if caution.code in _BRIEF and (about or not caution.about):
            subjects = [number_text.counted(about, "judge")] if about else []
            if caution.code == "few_clusters" and few_compared:
                subjects.append(_COMPARED)
                few_compared = {}
            limits_by_subject.setdefault(", ".join(subjects), []).append(_BRIEF[caution.code])
    if few_compared:
        limits_by_subject[_COMPARED] = [_BRIEF["few_clusters"]]
    limits = [
        "; ".join(texts) + (f" ({subjects})" if subjects else "")
        for subjects, texts in limits_by_subject.items()
    ]
    if limits:
        full = [*cautions_of(summary), *(line.whole for line in few_groups_lines(summary))]
        yield CautionLine("; ".join(limits), "; ".join(full))
    yield from map(CautionLine, sentences(c for c in summary.agreement.cautions if c.code == _IN_FULL))


def few_groups_compared(summary: RunSummary) -> dict[str, float]:
    """Return the effective groups of pairs behind the first sentence that have few."""
    if summary.strata is None:
        return {}
    part, _ = deciding(summary.strata)
    leader = next(iter(ranked_rates(part)), None)
    return {
        f"{pair.a} and {pair.b}": pair.effective_clusters
        for pair in part.pairs
        if leader in {pair.a, pair.b} and pair.n and pair.effective_clusters < FEW_CLUSTERS
    }


def few_groups_lines(summary: RunSummary) -> Iterator[CautionLine]:
    """Say that the comparison of systems rests on few groups, if it does."""
    if few := few_groups_compared(summary):
        (full,) = comparison_cautions([Caution("few_clusters", few)])
        yield CautionLine(f"{_BRIEF['few_clusters']} ({_COMPARED})", full)


def cautions_of(summary: RunSummary) -> list[str]:
    """Return the cautions in full."""
    return sentences(summary.agreement.cautions, summary.agreement.judges)


def _unanswered(judges: Sequence[JudgeUse]) -> Iterator[Piece]:
    """Name the judges that never answered, and why, before any number."""
    if reason := _printed_reason(judges):
        silent = never_answered(judges)
        names = number_text.listed([use.name for use in silent])
        who = "No judge answered" if len(silent) == len(judges) else f"{names} did not answer"
        yield CautionLine(f"{who}: {reason}.")
        yield ""


def _printed_reason(judges: Sequence[JudgeUse]) -> str:
    """Return the reason that is printed on top, if a judge never answered."""
    return reason_of_failed_calls(never_answered(judges))


def _cost_line(judges: Sequence[JudgeUse], *, free: bool = True) -> Iterator[str]:
    """Yield the calls, tokens and dollars of all judges; with ``free`` also that none was asked."""
    total = sum((use.usage for use in judges), NO_USAGE)
    kept = f"{number_text.counted(total.cached, 'verdict')} from cache or recording" if total.cached else ""
    if not total.calls:
        if kept and free:
            yield f"asked: 0 calls, {kept}"
        return
    tokens = number_text.tokens(total.prompt_tokens, total.completion_tokens, total.cached_tokens)
    costs = [use.cost for use in judges if use.cost is not None]
    spent = f", ${sum(costs):,.4f}" if costs else ""
    unpriced = sum(use.calls > 0 and use.cost is None for use in judges)
    if costs and unpriced:
        spent += f" and the cost of {number_text.counted(unpriced, 'judge')} without a price"
    yield f"asked: {number_text.counted(total.calls, 'call')}, tokens: {tokens}{spent}{', ' if kept else ''}{kept}"
