"""Cases read so far: whether rows of one id ask the same, and their kind by all answers."""

from __future__ import annotations

from typing import NamedTuple

from ..errors import RecordError
from ..records import Case, Output
from ..records.json_text import encode_json
from ..tables.named_columns import map_options
from .imported_records import RevisedCase


class _KnownCase(NamedTuple):
    """Facts about a case from all its rows so far.

    Attributes:
        question: Hash of the first row's question.
        reference: Hash of the reference, or 0 without one.
        content: Hash of the case without its question, tags and cluster.
        has_calls: Whether every answer makes calls.
        has_answer: Whether a row has an answer.
        all_failed: Whether all rows failed.
    """

    question: int
    reference: int
    content: int
    has_calls: bool
    has_answer: bool
    all_failed: bool


class SeenCases:
    """Hashes of the cases read so far, instead of the cases, since a log may have millions.

    Several rows with other outputs are one case. Its kind does not depend on the order of rows: a case is about calls only
    if every answer makes some.

    Attributes:
        known: Facts about each case, by the hash of its id.
        asks_otherwise: Whether the last row asks another question than the first of its case.
    """

    def __init__(self) -> None:
        self.known: dict[int, _KnownCase] = {}
        self.asks_otherwise = False
        self._before: tuple[int, _KnownCase | None] | None = None

    def note(
        self,
        case: Case,
        without_calls: Case,
        output: Output | None,
        *,
        has_reference: bool,
        is_trial: bool = False,
    ) -> Case | RevisedCase | None:
        """Note a row of a case; return the case if it is new or changed by the row.

        Tags and clusters may differ between rows. If a row failed, only its question must be equal, and the reference if both
        have one, since no answer shows the rest.

        Args:
            case: The case, with the kind that follows from the row's answer.
            without_calls: The case, with the kind that follows if no answer makes calls.
            output: The row's output.
            has_reference: Whether the row has a reference.
            is_trial: Whether the row has a trial's number; its question may then differ, as with a simulated user.

        Raises:
            RecordError: An earlier row with this id has another question or reference.
        """
        question = hash(encode_json(case.messages)) if case.messages else 0
        reference = hash(encode_json(case.reference)) if has_reference else 0
        content, key = self._content(without_calls), hash(case.id)
        failed = output is not None and output.error is not None
        has_answer, has_calls = output is not None and not failed, case.kind != without_calls.kind
        known = self.known.get(key)
        self._before, self.asks_otherwise = (key, known), False
        if known is None:
            self.known[key] = _KnownCase(question, reference, content, has_calls, has_answer, failed)
            return case
        self.asks_otherwise = question != known.question
        if failed or known.all_failed:
            is_same = failed or known.reference in {0, reference}
        else:
            is_same = content == known.content
        if not is_same or (self.asks_otherwise and not is_trial):
            raise _refused(case)
        if failed:
            return None
        if has_answer:
            has_calls = has_calls and (known.has_calls or not known.has_answer)
        elif not known.all_failed:
            has_calls = known.has_calls
        self.known[key] = _KnownCase(
            known.question, reference, content, has_calls, has_answer or known.has_answer, all_failed=False
        )
        if (content, has_calls) == (known.content, known.has_calls):
            return None
        return RevisedCase(case=case if has_calls else without_calls)

    def undo(self) -> None:
        """Forget the row that was noted last."""
        if self._before is not None:
            key, known = self._before
            if known is None:
                del self.known[key]
            else:
                self.known[key] = known

    @staticmethod
    def _content(case: Case) -> int:
        return hash(encode_json([case.kind, case.tools, case.reference, case.context]))


def _refused(case: Case) -> RecordError:
    return RecordError(
        f"an earlier row has the id {case.id!r} and another question or reference; "
        "change the id, or import this file into a folder of its own; "
        f"if rows are attempts, name the column that numbers them: {map_options({'trial': 'COLUMN'})}",
        field="id",
    )
