"""Selection of outputs for a judge: undecided ones, and decided ones for calibration.

Of the decided ones it is a sample.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from hashlib import blake2b
from typing import Literal, TypeAlias

from ...errors import UsageError
from ...records import ItemKey, Verdict
from ..store.journal_rows import StoredVerdict

JudgeOn: TypeAlias = Literal["open", "all"] | int | frozenset[ItemKey]
"""``open``: only what no checker decided; ``all``: everything; N: what is open plus N decided outputs; or these alone."""


def parse_judge_on(text: str) -> JudgeOn:
    """Read the option ``--judge-on``: ``open``, ``all`` or a number."""
    if text == "open" or text == "all":  # noqa: PLR1714 - the type checker narrows only this form
        return text
    if text.isascii() and text.isdigit():
        return int(text)
    raise UsageError(f"--judge-on: expected open, all or a number, got {text!r}")


def select(
    verdicts: Iterable[Verdict | StoredVerdict], judge_on: JudgeOn
) -> tuple[set[ItemKey], set[ItemKey]]:
    """Choose the outputs to be judged.

    The sample of decided outputs is the N with the smallest hash of their key: random with respect to anything that
    matters, the same in every run, and it grows with N without changing what was chosen before.

    Returns:
        The open outputs, and the decided ones that were sampled. Outputs a checker found not applicable are in neither.
    """
    if isinstance(judge_on, frozenset):
        return _all(verdict for verdict in verdicts if verdict.key in judge_on)
    if judge_on == "open":
        return {verdict.key for verdict in verdicts if verdict.outcome == "undecided"}, set()
    if judge_on == "all":
        return _all(verdicts)
    is_open: set[ItemKey] = set()
    largest_first: list[tuple[int, ItemKey]] = []
    for verdict in verdicts:
        if verdict.outcome == "undecided":
            is_open.add(verdict.key)
        elif verdict.graded and judge_on:
            entry = (-_rank(verdict.key), verdict.key)
            if len(largest_first) < judge_on:
                heapq.heappush(largest_first, entry)
            else:
                heapq.heappushpop(largest_first, entry)
    return is_open, {key for _, key in largest_first}


def _all(verdicts: Iterable[Verdict | StoredVerdict]) -> tuple[set[ItemKey], set[ItemKey]]:
    is_open: set[ItemKey] = set()
    decided: set[ItemKey] = set()
    for verdict in verdicts:
        if verdict.outcome == "undecided":
            is_open.add(verdict.key)
        elif verdict.graded:
            decided.add(verdict.key)
    return is_open, decided


def _rank(key: ItemKey) -> int:
    return int.from_bytes(blake2b(str(key).encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
