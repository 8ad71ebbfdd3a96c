"""Answers judged statement by statement: splitting, statement ids, combined verdicts."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import msgspec

from ..records import CaseIndex, ItemKey, Outcome, Output, Verdict
from ..records.json_text import encode_json
from ..records.made_scores import mean_score
from .ungraded_parts import CombinedOpinions, PartOutcome, outcome_of_ungraded

if TYPE_CHECKING:
    from .judge import JudgeDescription
    from .prompt_judge import PromptJudge

LONG = 200
"""Maximum characters of an answer that is judged whole; longer ones are split."""

_SEPARATOR = "#"
"""Separator of a case's id and a statement's hash."""
_SPLIT_JUDGE = "groundedness"
_SHOWS_THE_ANSWER = frozenset({"response", "question"})


class JudgedStatement(NamedTuple):
    """Statement of an answer, and its quote from the answer.

    Both are None if the statement is the whole answer.
    """

    text: str | None
    quote: str | None


class StatementVerdict(NamedTuple):
    """Parts of a statement's verdict that the answer's verdict is made of."""

    outcome: Outcome
    score: float | None
    pieces: int | None
    """Number of pieces of information that the judge listed, or None without a list."""
    reason: str | None
    """Why there is no score."""


def judges_statements(judge: PromptJudge) -> bool:
    """Return whether a judge may score an answer by its statements.

    Judges of groundedness may, and custom prompts that show the answer. The others ask whether an answer equals the accepted
    one, or meets a criterion, which does not depend on single statements.
    """
    may_split = judge.id.kind == "own" or judge.id.name == _SPLIT_JUDGE
    return may_split and not _SHOWS_THE_ANSWER.isdisjoint(judge.prompt.shown)


def is_long(output: Output) -> bool:
    """Return whether an answer is split: a text of more than `LONG` characters."""
    return output.workspace is None and output.text is not None and len(output.text.strip()) > LONG


def statement_output(output: Output, statement: JudgedStatement) -> Output:
    """Return a statement as a separate output of a separate case.

    The case's id holds a hash of the statement, so that outputs of different systems belong to the same case only if their
    texts are equal.
    """
    whole = [output.text, output.tool_calls, output.turns, output.workspace]
    text = statement.text if statement.text is not None else encode_json(whole).decode()
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    case_id = f"{output.case_id}{_SEPARATOR}{digest}"
    return msgspec.structs.replace(output, case_id=case_id, text=statement.text or output.text)


def case_of(case_id: str) -> str:
    """Return the id of the case that a statement belongs to."""
    return case_id.rpartition(_SEPARATOR)[0]


def is_statement(case_id: str, cases: CaseIndex) -> bool:
    """Return whether an id belongs to a statement, not to a case of the run."""
    return case_id not in cases and case_of(case_id) in cases


def statement_verdict(verdict: Verdict, judge: PromptJudge) -> StatementVerdict:
    """Return the parts of a statement's verdict that the answer's verdict is made of.

    The judge's prompt names the field that lists pieces.
    """
    # The run keeps the statements' verdicts with their reasons; here they would only fill the memory.
    reason = verdict.reason if verdict.score is None else None
    return StatementVerdict(verdict.outcome, verdict.score, _pieces(verdict, judge), reason)


def _pieces(verdict: Verdict, judge: PromptJudge) -> int | None:
    """Return the number of pieces that a judge listed.

    The evidence holds a JSON reply's list itself, and the number of a tagged reply's pieces.
    """
    declared = (judge.prompt.parse or {}).get("fraction_of")
    if declared is None:
        return None
    name = str(cast("Mapping[str, Any]", declared)["list"]) if isinstance(declared, Mapping) else "pieces"
    listed: Any = verdict.evidence.get(name)
    return len(cast("list[Any]", listed)) if isinstance(listed, list) else listed


def answer_verdict(
    judge: JudgeDescription,
    item: ItemKey,
    repeat: int,
    statements: Sequence[JudgedStatement],
    verdicts: Sequence[StatementVerdict],
) -> Verdict:
    """Combine the verdicts on an answer's statements, which become its evidence.

    The score is the share of all pieces of information that are supported, or the mean over the statements if the judge lists no
    pieces. An answer with an ungraded statement is ungraded.
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
        evidence={"statements": [_entry(text, one) for text, one in zip(statements, verdicts, strict=True)]},
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
    ungraded = [PartOutcome(one.outcome, one.reason) for one in verdicts if one.score is None]
    if ungraded:
        outcome, why = outcome_of_ungraded(ungraded)
        return CombinedOpinions(
            outcome, None, f"{len(ungraded)} of {_statements(verdicts)} without a score: {why}"
        )
    scores = [one.score for one in verdicts if one.score is not None]
    pieces = [one.pieces for one in verdicts if one.pieces]
    if len(pieces) < len(verdicts):
        return CombinedOpinions("graded", mean_score(scores), f"the mean of {_statements(verdicts)}")
    supported = round(sum(score * count for score, count in zip(scores, pieces, strict=True)))
    reason = f"{supported} of {sum(pieces)} pieces, in {_statements(verdicts)}"
    return CombinedOpinions("graded", supported / sum(pieces), reason)


def _statements(verdicts: Sequence[StatementVerdict]) -> str:
    return f"{len(verdicts)} statement{'' if len(verdicts) == 1 else 's'}"


def _entry(statement: JudgedStatement, verdict: StatementVerdict) -> dict[str, Any]:
    described = {"whole_answer": True} if statement.text is None else statement._asdict()
    numbers = {"score": verdict.score, "pieces": verdict.pieces}
    known = {name: value for name, value in numbers.items() if value is not None}
    return {**described, "outcome": verdict.outcome, **known}
