"""The three first answers of a run, and its screen, by the rules of docs/report.md.

The answers are: which system is best, how far judges can be trusted, what to do next (`Answers`). `run_document` is the
screen that begins with them; pages use them, too.
"""

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

_LOW_ERRORS_CHECKED = "both error rates below 10 % on checked outputs"
"""Verdict `LOW_ERRORS` for judges that are tested on checked outputs only."""

_THAN = " than labels do, on these labels"
"""End of a clause on judges whose rates differ from the labels' rates; a sentence says it once."""

_VERDICT_PREDICATES: dict[str, tuple[str, str]] = {
    LOW_ERRORS: ("has both error rates below 10 %", "have both error rates below 10 %"),
    _LOW_ERRORS_CHECKED: (
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
"""Predicate of each verdict, for one judge and for several, in the order of the sentence."""

_CORRECTABLE = {"biased", "errs too often", *OFF_WORDS}
"""Verdicts on judges whose rates labels should correct; the sentence says whether they do."""

_MAX_ADJUDICATED = 3
"""Most judges with a line on their adjudicated labels."""

_BRIEF: dict[str, str] = {
    "few_clusters": "few independent groups: intervals may be too narrow",
    "another_threshold": "another threshold does better on held-out items",
    "drawn_unevenly": "labels drawn with unequal chances",
}
"""Cautions in a few words, by code. Cautions with other codes repeat what verdicts and lines on ungraded outputs say."""

_COMPARED = "comparison"
"""What a caution about the comparison of systems is about."""

_IN_FULL = "labels_of_checkers"
"""Code of the caution that is printed as a full sentence."""

_MIN_JUDGES = 2
"""Fewest rows of the table of judges, however short the screen."""


class Answers(msgspec.Struct, frozen=True, kw_only=True):
    """The first answers on a run.

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
        """The verdicts on judges as a sentence; empty if there are none."""
        return verdicts_sentence(
            self.trust, rates=f" (rates {'corrected with your labels' if self.corrected else 'uncorrected'})"
        )


def verdicts_sentence(trust: Sequence[Trust], *, rates: str = "") -> str:
    """Return a sentence that counts judges by verdict; empty if there are none.

    Args:
        trust: The verdicts.
        rates: Words after verdicts on judges whose rates labels should correct.
    """
    counts = Counter(
        _LOW_ERRORS_CHECKED if verdict.word == LOW_ERRORS and verdict.checked_only else verdict.word
        for verdict in trust
    )
    if not counts:
        return ""
    if counts == {"no labels": 1}:
        return "This judge is untested: no output that it graded has a label."
    accuracy = ""
    if len(trust) == 1 and trust[0].word in CHANCE_WORDS:
        accuracy = f": {balanced_accuracy(trust[0].panel)}"
    clauses: list[str] = []
    for word, (singular, plural) in _VERDICT_PREDICATES.items():
        if count := counts[word]:
            subject = f"{count:,}" if clauses else f"{count:,} of {len(trust):,} judges"
            predicate = singular if count == 1 else plural
            if word in OFF_WORDS:
                predicate = predicate.format(points([verdict for verdict in trust if verdict.word == word]))
                if any(_THAN in clause for clause in clauses):
                    predicate = predicate.removesuffix(_THAN)
            if clauses and counts["no better than chance"] and word == "not shown to be better":
                predicate = predicate.removesuffix(" than chance")  # as the clause before says
            clauses.append(
                f"{'The judge' if len(trust) == 1 else subject} {predicate}{rates if word in _CORRECTABLE else ''}"
            )
    return f"{'; '.join(clauses)}{accuracy}."


def answers(summary: RunSummary) -> Answers:
    """Return the three answers on a run."""
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
    """Build the screen of a run: the first with limits that fit, from wide to narrow.

    Args:
        summary: Results of the run.
        room: Number of lines.
    """
    first_answers = answers(summary)
    judges = len(list(same_results(first_answers.trust)))
    # First try to show all judges with limits that leave out little, then as many judges as fit.
    with_all_judges = [(judges, limits) for limits in _LIMITS[:_MILD_LIMITS]]
    pieces: Sequence[Piece] = []
    for min_judges, limits in (*with_all_judges, *((_MIN_JUDGES, limits) for limits in _LIMITS[1:])):
        pieces = list(_run_pieces(summary, first_answers, limits, room, min_judges))
        if sum(1 for _ in as_lines(pieces, width=WIDTH)) <= room:
            break
    yield from pieces


class _Limits(NamedTuple):
    """Limits on what a screen shows of each part.

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

_MILD_LIMITS = 4
"""Number of limits, from the first, that leave out little."""


def _run_pieces(
    summary: RunSummary, first_answers: Answers, limits_of_parts: _Limits, room: int, min_judges: int
) -> Iterator[Piece]:
    """Yield a run's screen within limits, which may still be too long.

    Args:
        summary: Results of the run.
        first_answers: The first answers.
        limits_of_parts: Limits of the parts.
        room: Number of lines.
        min_judges: Fewest rows of judges; there are more if they fit.
    """
    names = short_names(system.system for system in summary.systems)
    best_system = names.in_text(first_answers.better.text)
    pieces: list[Piece] = [*_unanswered(summary.judges), best_system, *filter(None, [first_answers.trusted])]
    pieces += [
        *next_pieces(
            msgspec.structs.replace(first_answers.next, text=names.in_text(first_answers.next.text))
        ),
        "",
    ]
    ranked = ranked_in(summary)
    pieces += systems_document(summary.systems, summary.judges, ranked, most=limits_of_parts.systems)
    pieces += failures_document(summary.systems, summary.judges, ranked, most=limits_of_parts.failures)
    closing = [
        *contradicted_lines(summary.counts),
        *map(CautionLine, looks_of(summary.counts.label_rounds, summary.folder)),
        *adjudicated_lines(first_answers.trust),
        *jury_lines({use.name: use.jury for use in summary.judges if use.jury is not None}),
        *(not_sent_caution(use.name, use.refused) for use in summary.judges if use.refused),
        *(versions_caution(use.name, use.served_by) for use in summary.judges if use.served_by),
        *map(CautionLine, ungraded_lines(summary.judges, printed_reason=_printed_reason(summary.judges))),
        *map(CautionLine, summary.earlier_rules),
        *(() if summary.judges else form_lines(summary.systems)),
        *map(CautionLine, ungraded_share_lines(summary.systems)),
        *_cost_line(summary.judges, free=limits_of_parts.free_calls),
        *_unused_labels(summary.counts),
    ]
    yield from pieces
    cautions = list(_cautions(summary, first_answers.trust))
    if few_groups_compared(summary):
        closing = [*cautions, *closing]
        cautions = []
    if first_answers.trust:
        gap = [""] if limits_of_parts.gap else []
        used = len(gap) + sum(1 for _ in as_lines([*pieces, *closing], width=WIDTH))
        yield from gap
        # The control takes a line of its own.
        max_judges = max(min_judges, room - used - (1 if first_answers.control is None else 2))
        judges = list(judges_table(first_answers.trust, most=max_judges, control=first_answers.control))
        yield from judges
        if used + sum(1 for _ in as_lines([*judges, *cautions], width=WIDTH)) <= room:
            yield from cautions
    yield from closing


def contradicted_lines(counts: Counts) -> Iterator[Piece]:
    """Yield a caution if people's labels contradict checkers, whose verdicts make the rate."""
    wrongly_failed, wrongly_passed = counts.failed_labelled_good, counts.passed_labelled_bad
    if wrongly_failed + wrongly_passed:
        kinds = [
            f"{n:,} that it {verb}"
            for n, verb in ((wrongly_failed, "failed"), (wrongly_passed, "passed"))
            if n
        ]
        labelled = number_text.counted(counts.checked_labelled, "labelled output")
        yield CautionLine(
            f"people contradict the checker on {wrongly_failed + wrongly_passed:,} of {labelled}, {' and '.join(kinds)}: "
            "correct the references or the labels"
        )


def _unused_labels(counts: Counts) -> Iterator[Piece]:
    if unused := counts.unused_labels:
        yield CautionLine(
            f"{number_text.counted(unused, 'label')} {'matches' if unused == 1 else 'match'} no output"
        )


def next_pieces(step: Answer) -> list[Piece]:
    """Return the next step and its command, without reasons that stand above."""
    text = f"Next: {step.below_reasons or step.text}"
    return [text, *([CommandLine(step.command)] if step.command else [])]


def adjudicated_lines(trust: Sequence[Trust]) -> Iterator[Piece]:
    """Yield a line per judge on how its labels were adjudicated; more than a few are counted."""
    names = judge_names([verdict.judge for verdict in trust])
    adjudicated = [verdict for verdict in trust if verdict.adjudicated]
    yield from (
        f"{names.of(verdict.judge)}: {verdict.adjudicated}" for verdict in adjudicated[:_MAX_ADJUDICATED]
    )
    if len(adjudicated) > _MAX_ADJUDICATED:
        hidden = number_text.counted(len(adjudicated) - _MAX_ADJUDICATED, "more judge")
        yield f"{hidden} by adjudicated labels in the report"


def _cautions(summary: RunSummary, trust: Sequence[Trust]) -> Iterator[Piece]:
    """Yield one line with the cautions in a few words, each with the number of judges concerned."""
    judges = {verdict.judge for verdict in trust}
    few_compared = few_groups_compared(summary)
    limits_by_subject: dict[str, list[str]] = {}
    for caution in summary.agreement.cautions:
        judges_concerned = len(judges & caution.about.keys())
        if caution.code in _BRIEF and (judges_concerned or not caution.about):
            subjects = [number_text.counted(judges_concerned, "judge")] if judges_concerned else []
            if caution.code == "few_clusters" and few_compared:
                subjects.append(_COMPARED)
                few_compared = {}
            limits_by_subject.setdefault(", ".join(subjects), []).append(_BRIEF[caution.code])
    if few_compared:
        limits_by_subject[_COMPARED] = [_BRIEF["few_clusters"]]
    few_word_limits = [
        "; ".join(texts) + (f" ({subjects})" if subjects else "")
        for subjects, texts in limits_by_subject.items()
    ]
    if few_word_limits:
        full = [*cautions_of(summary), *(line.whole for line in few_groups_lines(summary))]
        yield CautionLine("; ".join(few_word_limits), "; ".join(full))
    yield from map(
        CautionLine, sentences(caution for caution in summary.agreement.cautions if caution.code == _IN_FULL)
    )


def few_groups_compared(summary: RunSummary) -> dict[str, float]:
    """Return the number of effective groups of the leader's pairs that have too few, by pair."""
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
    """Yield a caution if the comparison of systems rests on too few groups."""
    if few := few_groups_compared(summary):
        (full,) = comparison_cautions([Caution("few_clusters", few)])
        yield CautionLine(f"{_BRIEF['few_clusters']} ({_COMPARED})", full)


def cautions_of(summary: RunSummary) -> list[str]:
    """Return the sentences of all cautions on the judges."""
    return sentences(summary.agreement.cautions, summary.agreement.judges)


def _unanswered(judges: Sequence[JudgeUse]) -> Iterator[Piece]:
    """Yield which judges never answered and why; it stands above all numbers."""
    if reason := _printed_reason(judges):
        unanswering = never_answered(judges)
        names = number_text.listed([use.name for use in unanswering])
        who = "No judge answered" if len(unanswering) == len(judges) else f"{names} did not answer"
        yield CautionLine(f"{who}: {reason}{'' if reason.endswith(('?', '!')) else '.'}")
        yield ""


def _printed_reason(judges: Sequence[JudgeUse]) -> str:
    """Return why judges never answered, which is printed at the top; empty if all did."""
    return reason_of_failed_calls(never_answered(judges))


def _cost_line(judges: Sequence[JudgeUse], *, free: bool = True) -> Iterator[str]:
    """Yield the calls, tokens and dollars of all judges; with ``free``, also if none was called."""
    total = sum((use.usage for use in judges), NO_USAGE)
    replayed = number_text.counted(total.cached, "verdict")
    replayed_note = f"{replayed} from cache or recording" if total.cached else ""
    if not total.calls:
        if replayed_note and free:
            yield f"asked: 0 calls, {replayed_note}"
        return
    tokens = number_text.tokens(total.prompt_tokens, total.completion_tokens, total.cached_tokens)
    costs = [use.cost for use in judges if use.cost is not None]
    dollars = f", ${sum(costs):,.4f}" if costs else ""
    unpriced = sum(use.calls > 0 and use.cost is None for use in judges)
    if costs and unpriced:
        dollars += f" and the cost of {number_text.counted(unpriced, 'judge')} without a price"
    calls = number_text.counted(total.calls, "call")
    yield f"asked: {calls}, tokens: {tokens}{dollars}{', ' if replayed_note else ''}{replayed_note}"
