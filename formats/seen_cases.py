"""Cases read so far: whether rows of one id ask the same, and their kind by all answers."""

from __future__ import annotations

from typing import TypeAlias

from ..errors import RecordError
from ..records import Case, Output
from ..records.json_text import encode_json
from ..tables.named_columns import map_options
from .imported_records import RevisedCase

_Known: TypeAlias = tuple[int, int, int, bool, bool, bool]
"""Hashes of question, reference (0 if there is none) and content; whether calls decide the kind, an answer showed so, each row failed."""


class SeenCases:
    """Hashes of the cases read so far; compact, since a log may have millions.

    A case may be repeated with another output; it still counts as one case. Its kind does not depend on the order of
    rows: calls decide it only if each answer makes some.

    Attributes:
        known: What is known of each case, by the hash of its id.
        asks_otherwise: Whether the last row asks another question than the first of its case.
    """

    def __init__(self) -> None:
        self.known: dict[int, _Known] = {}
        self.asks_otherwise = False
        self._before: tuple[int, _Known | None] | None = None

    def note(
        self,
        case: Case,
        without_calls: Case,
        output: Output | None,
        *,
        has_reference: bool,
        is_trial: bool = False,
    ) -> Case | RevisedCase | None:
        """Note a row of a case; return the case if it is new, or no longer as it was before the row.

        Tags and clusters may differ. Beside a failure only the question must be equal, and the reference if both have
        one, since no answer shows the rest.

        Args:
            case: The case, of the kind that the row's answer makes it.
            without_calls: The case, of the kind that it has if no answer makes calls.
            output: The row's output.
            has_reference: Whether the row has a reference.
            is_trial: Whether the row numbers its trial, so that its question may differ: a simulated user asked it.

        Raises:
            RecordError: An earlier row with this id has another question or reference.
        """
        question = hash(encode_json(case.messages)) if case.messages else 0
        reference = hash(encode_json(case.reference)) if has_reference else 0
        content, key = self._content(without_calls), hash(case.id)
        failed = output is not None and output.error is not None
        answered, calls = output is not None and not failed, case.kind != without_calls.kind
        known = self.known.get(key)
        self._before, self.asks_otherwise = (key, known), False
        if known is None:
            self.known[key] = (question, reference, content, calls, answered, failed)
            return case
        asked, referred, held, had_calls, was_answered, all_failed = known
        self.asks_otherwise = question != asked
        is_same = (failed or referred in {0, reference}) if failed or all_failed else content == held
        if not is_same or (self.asks_otherwise and not is_trial):
            raise _refused(case)
        if failed:
            return None
        if answered:
            calls = calls and (had_calls or not was_answered)
        elif not all_failed:
            calls = had_calls
        self.known[key] = (asked, reference, content, calls, answered or was_answered, False)
        if (content, calls) == (held, had_calls):
            return None
        return RevisedCase(case=case if calls else without_calls)

    def undo(self) -> None:
        """Undo the last note."""
        if self._before is not None:
            key, known = self._before
            if known is None:
                del self.known[key]
            else:
                self.known[key] = known

    @staticmethod
    def _content(case: Case) -> int:
        """Return the hash of everything but the question, tags and cluster."""
        return hash(encode_json([case.kind, case.tools, case.reference, case.context]))


def _refused(case: Case) -> RecordError:
    return RecordError(
        f"an earlier row has the id {case.id!r} and another question or reference; "
        "change the id, or import this file into a folder of its own; "
        f"if rows are attempts, name the column that numbers them: {map_options({'trial': 'COLUMN'})}",
        field="id",
    )
