"""Composite judge that splits long answers, judges each statement, and combines verdicts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import msgspec

from ..records import Case, JudgeId, Output, Verdict
from .composite import Deliberation, JudgeOfParts, JudgeQuestion, unreadable_guess
from .judge import JudgeDescription
from .prompt_variables import NotApplicableError
from .statements import (
    LONG,
    JudgedStatement,
    answer_verdict,
    is_long,
    not_split,
    statement_output,
    statement_verdict,
)

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f])|\n+")
"""End of a sentence; the three code points are the full stop, exclamation and question mark of Chinese and Japanese."""


@dataclass(frozen=True)
class StatementJudge(JudgeOfParts):
    """A composite that splits a long answer, and asks about its statements one by one.

    Attributes:
        splitter: Judge that splits answers.
    """

    splitter: JudgeDescription

    @property
    def id(self) -> JudgeId:
        """See `Judge`."""
        return self._id("share", f"{self.splitter.id.fingerprint} {LONG}")

    @property
    def by(self) -> str:
        """See `Judge`."""
        return self.shown_as or f"statements/share@{self.judge.by}"

    @property
    def rounds(self) -> int:
        """See `Composite`: one round for the splitter, one for the judge."""
        return 2

    def deliberate(self, case: Case, output: Output, repeat: int = 0) -> Deliberation:
        """Split the answer, and judge its statements; see `Composite`.

        The answer is split once for all repetitions, so that all of them judge the same statements.
        """
        statements = [JudgedStatement(None, None)]
        if is_long(output) and self._applies(case, output):
            (split_verdict,) = yield [
                JudgeQuestion(self.splitter, case, output, guess=_guessed_split(output))
            ]
            entries: list[dict[str, str]] = split_verdict.evidence.get("statements", [])
            statements = [JudgedStatement(**entry) for entry in entries]
            if not statements:
                return not_split(self, repeat, split_verdict)
        else:
            yield []  # a first round without questions: the judge is asked in the second round, as for long answers
        verdicts = yield [
            self._question(case, statement_output(output, statement), repeat) for statement in statements
        ]
        statement_verdicts = [statement_verdict(verdict, self.judge) for verdict in verdicts]
        return answer_verdict(self, output.key, repeat, statements, statement_verdicts)

    def _question(self, case: Case, statement: Output, repeat: int) -> JudgeQuestion:
        statement_case = msgspec.structs.replace(case, id=statement.case_id)
        return JudgeQuestion(self.judge, statement_case, statement, repeat, unreadable_guess(statement))

    def _applies(self, case: Case, output: Output) -> bool:
        try:
            self.judge.messages(case, output)
        except NotApplicableError:
            return False
        return True


def _guessed_split(output: Output) -> Verdict:
    """Return a guess at the split of an answer: one statement per sentence."""
    sentences = dict.fromkeys(part.strip() for part in _SENTENCE_END.split(output.text or ""))
    evidence: dict[str, Any] = {
        "statements": [{"text": sentence, "quote": sentence} for sentence in sentences if sentence]
    }
    return msgspec.structs.replace(unreadable_guess(output), outcome="graded", score=1.0, evidence=evidence)
