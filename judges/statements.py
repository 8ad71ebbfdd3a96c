"""Statements of long answers: their outputs and ids, and the verdict on the answer.

`StatementJudge` (in `statement_judge`) asks for the statements and judges them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import msgspec

from ..records import CaseIndex, ItemKey, Outcome, Output, Verdict
from ..records.json_text import encode_json
from ..records.made_scores import mean_score
from .composite import CombinedOpinions, PartOutcome, outcome_of_ungraded

if TYPE_CHECKING:
    from .judge import JudgeDescription
    from .prompt_judge import PromptJudge

LONG = 200
"""An answer of more characters is split into statements."""

_SEPARATOR = "#"
"""Separates the case's id from the statement's hash in a statement's id."""
_DIGEST_LENGTH = 16
"""Hexadecimal digits of a statement's hash."""
_SPLITTABLE_JUDGE = "groundedness"
_ANSWER_INPUTS = frozenset({"response", "question"})


class JudgedStatement(NamedTuple):
    """Statement of an answer, and its quote from the answer.

    Both are None if the statement is the whole answer.
    """

    text: str | None
    quote: str | None


class StatementVerdict(NamedTuple):
    """Parts of a statement's verdict that the verdict on the answer needs."""

    outcome: Outcome
    score: float | None
    pieces: int | None
    """Number of pieces of information that the judge listed, or None without a list."""
    reason: str | None
    """Why there is no score."""


def judges_statements(judge: PromptJudge) -> bool:
    """Return whether a judge may score an answer by its statements.

    Judges of groundedness may, and custom prompts that show the answer. Other judges ask whether the answer as a whole is right
    or meets a criterion.
    """
    may_split = judge.id.kind == "own" or judge.id.name == _SPLITTABLE_JUDGE
    return may_split and not _ANSWER_INPUTS.isdisjoint(judge.prompt.shown)


def is_long(output: Output) -> bool:
    """Return whether an answer is split: a text of more than `LONG` characters."""
    return output.workspace is None and output.text is not None and len(output.text.strip()) > LONG


def statement_output(output: Output, statement: JudgedStatement) -> Output:
    """Return a statement as a separate output of a separate case.

    The case's id contains a hash of the statement: statements of several systems share a case only if their texts are equal.
    """
    answer_parts = [output.text, output.tool_calls, output.turns, output.workspace]
    text = statement.text if statement.text is not None else encode_json(answer_parts).decode()
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_LENGTH]
    case_id = f"{output.case_id}{_SEPARATOR}{digest}"
    return msgspec.structs.replace(output, case_id=case_id, text=statement.text or output.text)


def case_of(case_id: str) -> str:
    """Return the id of the case that a statement belongs to."""
    return case_id.rpartition(_SEPARATOR)[0]


def is_statement(case_id: str, cases: CaseIndex) -> bool:
    """Return whether an id belongs to a statement, not to a case of the run."""
    return case_id not in cases and case_of(case_id) in cases


def statement_verdict(verdict: Verdict, judge: PromptJudge) -> StatementVerdict:
    """Return the parts of a statement's verdict from which the answer's verdict is made."""
    # The run keeps the statements' verdicts with their reasons; here they would only fill the memory.
    reason = verdict.reason if verdict.score is None else None
    return StatementVerdict(verdict.outcome, verdict.score, _pieces(verdict, judge), reason)


def _pieces(verdict: Verdict, judge: PromptJudge) -> int | None:
    """Return the number of pieces of information that the judge listed, if its prompt asks."""
    fraction_of = (judge.prompt.parse or {}).get("fraction_of")
    if fraction_of is None:
        return None
    is_mapping = isinstance(fraction_of, Mapping)
    name = str(cast("Mapping[str, Any]", fraction_of)["list"]) if is_mapping else "pieces"
    # The evidence contains the list of a JSON reply, but only the number of pieces of a tagged reply.
    pieces: Any = verdict.evidence.get(name)
    return len(cast("list[Any]", pieces)) if isinstance(pieces, list) else pieces


def answer_verdict(
    judge: JudgeDescription,
    item: ItemKey,
    repeat: int,
    statements: Sequence[JudgedStatement],
    verdicts: Sequence[StatementVerdict],
) -> Verdict:
    """Combine the verdicts on an answer's statements; the evidence lists them.

    The score is the share of supported pieces of information. If the judge lists no pieces, it is the mean over the statements. If
    a statement is ungraded, so is the answer.
    """
    outcome, score, reason = _combined(verdicts)
    return Verdict.on(
        item,
        by=judge.by,
        source="judge",
        judge=judge.id,
        outcome=outcome,
        score=score,
        reason=reason,
        evidence={
            "statements": [
                _entry(statement, verdict) for statement, verdict in zip(statements, verdicts, strict=True)
            ]
        },
        repeat=repeat,
    )


def not_split(judge: JudgeDescription, repeat: int, split: Verdict) -> Verdict:
    """Return the ungraded verdict on an answer that could not be split, with the reason."""
    return msgspec.structs.replace(
        split,
        by=judge.by,
        judge=judge.id,
        repeat=repeat,
        reason=f"the answer could not be split: {split.reason}",
        evidence={},
        usage=None,
        raw=None,
    )


def _combined(verdicts: Sequence[StatementVerdict]) -> CombinedOpinions:
    # A score from some of the statements would not be comparable.
    ungraded = [PartOutcome(verdict.outcome, verdict.reason) for verdict in verdicts if verdict.score is None]
    if ungraded:
        outcome, reason = outcome_of_ungraded(ungraded)
        return CombinedOpinions(
            outcome, None, f"{len(ungraded)} of {_n_statements(verdicts)} without a score: {reason}"
        )
    scores = [verdict.score for verdict in verdicts if verdict.score is not None]
    pieces = [verdict.pieces for verdict in verdicts if verdict.pieces]
    if len(pieces) < len(verdicts):  # a statement without a list of pieces
        return CombinedOpinions("graded", mean_score(scores), f"the mean of {_n_statements(verdicts)}")
    # Each score is a share of the pieces, so the products are whole numbers but for rounding.
    supported = round(sum(score * count for score, count in zip(scores, pieces, strict=True)))
    reason = f"{supported} of {sum(pieces)} pieces, in {_n_statements(verdicts)}"
    return CombinedOpinions("graded", supported / sum(pieces), reason)


def _n_statements(verdicts: Sequence[StatementVerdict]) -> str:
    return f"{len(verdicts)} statement{'' if len(verdicts) == 1 else 's'}"


def _entry(statement: JudgedStatement, verdict: StatementVerdict) -> dict[str, Any]:
    description = {"whole_answer": True} if statement.text is None else statement._asdict()
    numbers = {"score": verdict.score, "pieces": verdict.pieces}
    known_numbers = {name: value for name, value in numbers.items() if value is not None}
    return {**description, "outcome": verdict.outcome, **known_numbers}
