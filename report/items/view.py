"""An item with its verdicts: status and groups for the list, and a document for reading.

`blocks` lays out the conversation; this module adds what checker, label and judges say of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias, TypeVar, get_args

from ...calibration.pass_threshold import HALF, PassThreshold
from ...deterministic.finding import in_words
from ...evaluation.store.journal_rows import StoredVerdict, is_baseline
from ...records import Author, Verdict, message_text
from ...records.made_scores import reaches
from ...spelling import command
from ..document import Details, Piece, document
from ..document_parts import FIRST, Cell, CellMark, DocumentTable
from ..model import ItemVerdicts, ReportItem
from ..text import number_text
from ..text.safe_text import shortened
from .blocks import item_blocks, verbatim
from .naming import (
    CELLS,
    FAILED,
    FAILED_BY_SEVERAL,
    FAILED_CHECK,
    NAME_LIMIT,
    NO_OUTPUT,
    UNGRADED,
    failed_by,
    failed_only_by,
    group_of,
    marks_in_words,
)
from .sent_prompts import SentPrompt

ItemStatus: TypeAlias = Literal["disagreement", "not graded", "fails", "passes"]
STATUSES: tuple[ItemStatus, ...] = get_args(ItemStatus)
"""Statuses in the order in which items are listed."""

S = TypeVar("S", bound=Verdict | StoredVerdict)

SENTENCE_LIMIT = 600
"""Longest reason of a verdict, in characters."""


def status_of(item: ItemVerdicts, thresholds: Mapping[Author, PassThreshold]) -> ItemStatus:
    """Return an item's status.

    It is ``disagreement`` if verdicts contradict each other, ``not graded`` if none has a score, else what all say. The
    scores of label and checker are compared with the threshold of each judge.
    """
    trusted_scores = [
        verdict.score
        for verdict in (item.label, item.checker)
        if verdict is not None and verdict.score is not None
    ]
    judge_scores = [
        (judge.score, _threshold_of(judge, thresholds))
        for judge in _reading_verdicts(item.judges)
        if judge.score is not None
    ]
    judges_pass = {reaches(score, threshold) for score, threshold in judge_scores}
    thresholds_used = {threshold for _, threshold in judge_scores} or {HALF}
    trusted_pass = {reaches(score, threshold) for score in trusted_scores for threshold in thresholds_used}
    results = judges_pass | trusted_pass
    if not results:
        return "not graded"
    if len(results) > 1:
        return "disagreement"
    return "passes" if results == {True} else "fails"


def groups_of(item: ItemVerdicts, thresholds: Mapping[Author, PassThreshold]) -> tuple[str, ...]:
    """Return the groups of an item to filter by: failed and by whom, ungraded, cells of judges."""
    if item.missing:
        return UNGRADED, NO_OUTPUT
    groups: list[str] = []
    if item.checker is not None and item.checker.score is not None:
        passed = reaches(item.checker.score, _label_threshold(item, thresholds))
        groups += [] if passed else [FAILED, FAILED_CHECK]
    else:
        scores = [(judge, judge.score) for judge in _reading_verdicts(item.judges) if judge.score is not None]
        failing = [
            judge.by for judge, score in scores if not reaches(score, _threshold_of(judge, thresholds))
        ]
        if failing:
            by_whom = FAILED_BY_SEVERAL if len(failing) > 1 else failed_only_by(failing[0])
            groups += [FAILED, by_whom, *map(failed_by, failing)]
        elif not scores:
            groups.append(UNGRADED)
    # Without a label, the checker is trusted like one.
    trusted = item.label if item.label is not None and item.label.score is not None else item.checker
    if trusted is None or trusted.score is None:
        return tuple(groups)
    for verdict in item.judges:
        if verdict.score is not None:
            threshold = _threshold_of(verdict, thresholds)
            is_right, is_passed = reaches(trusted.score, threshold), reaches(verdict.score, threshold)
            cell = CELLS[2 * (not is_right) + (not is_passed)]  # in the order in which `naming` lists them
            groups.append(group_of(verdict.by, cell))
    return tuple(groups)


def _reading_verdicts(judges: Sequence[S]) -> Sequence[S]:
    """Leave out verdicts of baselines, which do not read the output, if there are others."""
    return [verdict for verdict in judges if not is_baseline(verdict.author)] or judges


def failing_verdicts(
    item: ItemVerdicts | ReportItem, thresholds: Mapping[Author, PassThreshold]
) -> list[tuple[str, Verdict | StoredVerdict]]:
    """Return the verdicts that fail an item, each with its role: label, checker or judge."""
    judges: Sequence[Verdict | StoredVerdict] = item.judges
    return [
        (role, verdict)
        for role, verdict in _by_role(item.label, item.checker, _reading_verdicts(judges))
        if verdict.score is not None
        and not reaches(
            verdict.score,
            _threshold_of(verdict, thresholds) if role == "judge" else _label_threshold(item, thresholds),
        )
    ]


def verdicts_summary(item: ItemVerdicts, thresholds: Mapping[Author, PassThreshold]) -> str:
    """Summarize an item's verdicts: ``checker: fail; judges: 2 pass, 1 unparsable``."""
    if item.missing:
        return NO_OUTPUT
    counts_by_role: dict[str, Counter[str]] = {}
    for role, verdict in _by_role(item.label, item.checker, item.judges):
        threshold = (
            _threshold_of(verdict, thresholds) if role == "judge" else _label_threshold(item, thresholds)
        )
        text_without_score = _verdict_text(role, verdict, threshold).partition(" (")[0]
        counts_by_role.setdefault(role, Counter())[text_without_score] += 1
    return "; ".join(
        f"{role}{'s' if counts.total() > 1 else ''}: "
        + ", ".join(f"{number} {text}" if counts.total() > 1 else text for text, number in counts.items())
        for role, counts in counts_by_role.items()
    )


@document
def item_document(item: ReportItem, thresholds: Mapping[Author, PassThreshold]) -> Iterator[Piece]:
    """Build an item's document: verdicts, answer, reference, request and judges' prompts.

    All texts are cut to limits.
    """
    blocks = item_blocks(item)
    if not item.missing:
        rows = [_verdict_row(role, verdict, item, thresholds) for role, verdict in _verdicts_by_role(item)]
        yield DocumentTable((), rows, caption="Verdicts", left_aligned=FIRST | {1, 2})
    yield from blocks.answer
    yield from blocks.request
    yield from blocks.below
    for number, verdict in enumerate(item.judges):
        prompt = item.prompts[number] if item.prompts else _NOT_INCLUDED if verdict.raw is not None else None
        if pieces := list(_prompt_and_reply(verdict, prompt)):
            yield Details(f"What {_shown_name(verdict.by)} was sent and replied", pieces)


_NOT_INCLUDED = SentPrompt(problem=f"`{command('report', 'RUN', all_texts=True)}` shows it")


_TAGS = re.compile(r"</?[A-Z]\d?>")
"""Tags around the reason and the score in a judge's reply, which are left out."""


def _prompt_and_reply(verdict: Verdict, prompt: SentPrompt | None) -> Iterator[Piece]:
    if prompt is not None:
        if prompt.problem is not None:
            yield f"What it was sent is not shown here: {shortened(prompt.problem, SENTENCE_LIMIT)}"
        if prompt.changed:
            yield "Its prompt, its settings or fiducial changed since the run: this is what it would be sent now."
        yield from (
            verbatim(f"sent as {message['role']}", message_text(message)) for message in prompt.messages
        )
    if verdict.raw is not None:
        yield verbatim("replied", _TAGS.sub("", verdict.raw), "agent")


def _verdict_row(
    role: str, verdict: Verdict, item: ReportItem, thresholds: Mapping[Author, PassThreshold]
) -> tuple[Cell, ...]:
    threshold = _threshold_of(verdict, thresholds) if role == "judge" else _label_threshold(item, thresholds)
    mark: CellMark = (
        "doubt" if verdict.score is None else "right" if reaches(verdict.score, threshold) else "wrong"
    )
    return (
        Cell(role, _shown_name(verdict.by)),
        Cell(_verdict_text(role, verdict, threshold), mark=mark),
        _reason_cell(verdict),
    )


def _reason_cell(verdict: Verdict) -> Cell:
    """Return a verdict's error type in words, its code and its reason; any may be missing."""
    reason = shortened(marks_in_words(verdict.reason or ""), SENTENCE_LIMIT)
    if not verdict.error_type:
        return Cell(reason)
    code = _shown_name(verdict.error_type)
    return Cell(in_words(code), f"{code}: {reason}" if reason else code)


def _by_role(label: Verdict | None, checker: S | None, judges: Iterable[S]) -> list[tuple[str, Verdict | S]]:
    verdicts = [("label", label), ("checker", checker), *(("judge", verdict) for verdict in judges)]
    return [(role, verdict) for role, verdict in verdicts if verdict is not None]


def _verdicts_by_role(item: ReportItem) -> list[tuple[str, Verdict]]:
    return _by_role(item.label, item.checker, item.judges)


def _threshold_of(verdict: Verdict | StoredVerdict, thresholds: Mapping[Author, PassThreshold]) -> float:
    return thresholds.get(verdict.author, PassThreshold()).at


def _label_threshold(item: ItemVerdicts | ReportItem, thresholds: Mapping[Author, PassThreshold]) -> float:
    """Return the threshold for label and checker: that of the first judge with a score, or 0.5."""
    judges: Sequence[Verdict | StoredVerdict] = item.judges
    return next(
        (_threshold_of(verdict, thresholds) for verdict in _reading_verdicts(judges) if verdict.graded), HALF
    )


def _verdict_text(role: str, verdict: Verdict | StoredVerdict, threshold: float) -> str:
    """Return a verdict in words at a threshold, or why it has no score.

    Examples: ``pass``, ``fail (0.40; threshold 0.7)``; of labels ``right``, ``wrong``.
    """
    if verdict.score is None:
        return number_text.outcome(verdict.outcome)
    pass_word, fail_word = ("right", "wrong") if role == "label" else ("pass", "fail")
    grade = pass_word if reaches(verdict.score, threshold) else fail_word
    return (
        grade
        if verdict.score in {0.0, 1.0}
        else f"{grade} ({number_text.decimal(verdict.score)}{number_text.passing(threshold)})"
    )


def _shown_name(text: str) -> str:
    return shortened(text, NAME_LIMIT)
