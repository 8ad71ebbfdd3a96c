"""Statements as cases and outputs of their own, so that judges are asked about them like about any."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from ...records import Case, CaseIndex, ItemKey, JudgeId, Output, Verdict
from ...records.case_index import CaseFacts
from ..inputs import EvaluationInputs
from ..judging.asking import Wanted
from ..store.run_store import RunStore
from ..store.standing import VerdictKey
from .statement import Statement, as_output, case_of

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f])|\n+")


class Splits:
    """The statements of answers, read from the run folder when they are asked for.

    Args:
        folder: The run folder.
        splitter: Whose splits.
        long: The answers that are split; any other is one statement.
        guess: Whether an answer that is not split yet counts as a statement a sentence, to foresee what judging them takes.
    """

    def __init__(
        self, folder: RunStore, splitter: JudgeId, long: set[ItemKey], *, guess: bool = False
    ) -> None:
        self._journal = folder.statements
        self._splitter = splitter
        self._long = long
        self._guess = guess

    def __call__(self, output: Output) -> list[Statement]:
        """The statements of an answer; none where it could not be split."""
        if output.key not in self._long:
            return [Statement(None, None)]
        split = self.split(output.key)
        if self._guess and (split is None or split.outcome == "failed"):
            return _sentences(output)
        found: list[dict[str, str]] = [] if split is None else split.evidence.get("statements", [])
        return [Statement(**entry) for entry in found]

    def split(self, item: ItemKey) -> Verdict | None:
        """What splitting an answer came to; None where that was not tried yet."""
        return self._journal.find(VerdictKey(item, self._splitter, 0))


def _sentences(output: Output) -> list[Statement]:
    found = dict.fromkeys(part.strip() for part in _SENTENCE_END.split(output.text or ""))
    return [Statement(part, part) for part in found if part]


class StatementCases(CaseIndex):
    """The cases of statements: those of the answers, each under the ids of its statements."""

    def __init__(self, whole: CaseIndex) -> None:
        self._whole = whole
        self.path = whole.path

    def __getitem__(self, case_id: str) -> Case:
        return msgspec.structs.replace(self._whole[case_of(case_id)], id=case_id)

    def facts(self, case_id: str) -> CaseFacts:
        """What is known of the answer's case."""
        return self._whole.facts(case_of(case_id))


class StatementInputs(EvaluationInputs):
    """The statements of those answers that are wanted, as outputs with cases of their own."""

    def __init__(self, whole: EvaluationInputs, wanted: Wanted, splits: Splits) -> None:
        self._whole = whole
        self._wanted = wanted
        self._splits = splits
        self.cases = StatementCases(whole.cases)
        self.output_files = whole.output_files
        self.survey = whole.survey

    def outputs(self) -> Iterator[Output]:
        """Every statement, in the order of the answers."""
        for output in self._whole.outputs():
            if self._wanted(output.key):
                for statement in self._splits(output):
                    yield as_output(output, statement)
