"""Statements as cases and outputs of their own, so that judges are asked about them like about any."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import msgspec

from ...records import Case, CaseIndex, Closing, ItemKey, JudgeId, Output, Verdict
from ...records.case_index import CaseFacts
from ..inputs import EvaluationInputs
from ..run_folder.folder import STATEMENTS, RunFolder
from ..run_folder.verdict_log import VerdictIndex
from .statement import Statement, as_output, case_of

StatementsOf: TypeAlias = Callable[[Output], list[Statement]]
"""The statements of an answer; none where it could not be split."""


class Splits(Closing):
    """The statements of answers, read from the run folder when they are asked for.

    Args:
        folder: The run folder.
        splitter: Whose splits.
        long: The answers that are split; any other is one statement.
    """

    def __init__(self, folder: RunFolder, splitter: JudgeId, long: set[ItemKey]) -> None:
        self._index = VerdictIndex(folder.path / STATEMENTS)
        self.splitter = splitter
        self._long = long

    def __call__(self, output: Output) -> list[Statement]:
        """The statements of an answer; none where it could not be split."""
        if output.key not in self._long:
            return [Statement(None, None)]
        split = self.split(output.key)
        found: list[dict[str, str]] = [] if split is None else split.evidence.get("statements", [])
        return [Statement(**entry) for entry in found]

    def split(self, item: ItemKey) -> Verdict | None:
        """What splitting an answer came to; None where that was not tried yet."""
        return next((split for split in self._index[item] if split.judge == self.splitter), None)

    def close(self) -> None:
        """Close the file."""
        self._index.close()


class StatementCases(CaseIndex):
    """The cases of statements: those of the answers, each under the ids of its statements.

    Args:
        whole: The cases of the answers.
    """

    def __init__(self, whole: CaseIndex) -> None:
        self._whole = whole
        self.path = whole.path

    def __getitem__(self, case_id: str) -> Case:
        return msgspec.structs.replace(self._whole[case_of(case_id)], id=case_id)

    def facts(self, case_id: str) -> CaseFacts:
        """What is known of the answer's case."""
        return self._whole.facts(case_of(case_id))


class StatementInputs(EvaluationInputs):
    """Statements as outputs, with their cases.

    Args:
        whole: The answers.
        wanted: Which of them are judged.
        statements_of: Their statements.
    """

    def __init__(
        self, whole: EvaluationInputs, wanted: Callable[[ItemKey], bool], statements_of: StatementsOf
    ) -> None:
        self._whole = whole
        self._wanted = wanted
        self._statements_of = statements_of
        self.cases = StatementCases(whole.cases)
        self.output_files = whole.output_files
        self.survey = whole.survey

    def outputs(self) -> Iterator[Output]:
        """Every statement of every answer that is wanted, in the order of the answers."""
        for output in self._whole.outputs():
            if self._wanted(output.key):
                for statement in self._statements_of(output):
                    yield as_output(output, statement)
