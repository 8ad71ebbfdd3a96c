"""Pairwise verdicts: which of two outputs a judge or a person prefers.

A row is a verdict on the system ``a vs b``: 1 for the first, 0 for the second, 0.5 for a tie, which both bad outputs are, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, cast

from ..records import ItemKey, Message, Outcome, TagValue, Verdict
from ..tables.csv_file import SUFFIXES
from ..tables.grades import is_missing
from ..tables.table_rows import read_table_rows
from .calls import AgentAnswer, answer_of, are_messages, messages_of, split_question, user_message
from .example import Example
from .example_records import records_of
from .field_reader import FieldReader
from .file_rows import JSON_SUFFIXES, FileRow, convert_rows, files_of, imported_rows
from .import_options import Options
from .imported_records import ImportedRecord, Skipped
from .json_values import answer_text, as_text, is_list, is_object, parsed, tags_of
from .pair_row_choices import PairChoice, choices_in
from .pair_tables import PairLayout, pair_layout, systems_of, unread_numbers
from .recognized_grades import LOOKED_AT

NAME = "pairs"
ABOUT = "tables of pairs: two outputs or systems, and choices between them (JSON, JSON Lines, CSV, Parquet)"
LOST = "nothing"


def recognises(glimpse: Any) -> bool:
    """Return whether a row has a pair and a choice."""
    return is_object(glimpse) and are_pairs([glimpse])


def are_pairs(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether the first rows of a table are pairs with choices, even of unknown numbers."""
    return bool(rows) and (pair_layout(rows) is not None or unread_numbers(rows) is not None)


def read(path: Path, options: Options) -> Iterator[ImportedRecord]:
    """Read pairs; see `Format`."""
    files = files_of(path, (*SUFFIXES, *JSON_SUFFIXES, ".parquet", ".arrow"))
    rows = (
        row
        for file in files
        for row in imported_rows(read_table_rows(file, options.columns, options.header), file)
    )
    return records_of_pairs(rows, path, options)


def records_of_pairs(
    rows: Iterator[FileRow | Skipped], path: Path, options: Options
) -> Iterator[ImportedRecord]:
    """Yield the cases, outputs and verdicts of rows of pairs.

    Raises:
        ColumnsError: Nothing says what the numbers of the choices mean.
    """
    first_rows = list(islice(rows, LOOKED_AT))
    values = [row.value for row in first_rows if isinstance(row, FileRow) and is_object(row.value)]
    layout = pair_layout(values, options.columns, options.grades.words)
    if layout is None:
        error = unread_numbers(values, options.grades.words)
        if error is not None:
            error.path = path
            raise error
        # Without a layout, the error of each row says that it has no choice.
        layout = PairLayout(
            outputs=None,
            systems=None,
            output_list=None,
            system_list=None,
            id=None,
            question=None,
            author=None,
            order=None,
            choices=(),
        )
    reader = _Reader(layout, options)
    yield from convert_rows(chain(first_rows, rows), reader.records)


class _Reader:
    """Reader of the rows of one table.

    Args:
        layout: Its layout.
        options: Options of the import.
    """

    def __init__(self, layout: PairLayout, options: Options) -> None:
        self._layout = layout
        self._taken = layout.columns
        self._options = options
        self._by_question: dict[str, str] = {}
        self._texts: dict[tuple[str, str], str | None] = {}
        self._cases = set[str]()
        self._verdicts = Counter[tuple[ItemKey, str]]()

    def records(self, row: FileRow) -> Iterator[ImportedRecord]:
        """Yield a row's case and outputs, if they are new, and its verdicts."""
        line = row.node
        systems = systems_of(line.value, self._layout) or self._layout.names
        choices = list(choices_in(line.value, self._layout))
        if not choices:
            raise line.refuse("preference", "a choice between two outputs; name its column")
        if systems[0] == systems[1]:
            yield row.position.skipped_part(
                "", f"both outputs are of {systems[0]!r}, so that no choice tells systems apart"
            )
            return
        messages, answers = self._contents(line)
        case_id = self._case_id(line, row, messages, systems, answers)
        if answers is not None:
            for system, answer in zip(systems, answers, strict=True):
                yield from self._output(case_id, messages, system, answer, row)
        elif messages and case_id not in self._cases:
            self._cases.add(case_id)
            example = Example(id=case_id, messages=messages, tags=self._tags(line))
            yield from records_of(example, row.position, self._options)
        yield from (self._verdict(case_id, systems, choice) for choice in choices)

    def _contents(self, line: FieldReader) -> tuple[list[Message], tuple[AgentAnswer, AgentAnswer] | None]:
        """Return the question, and both answers, or None if the row does not have them."""
        layout = self._layout
        question = None if layout.question is None else parsed(line.value.get(layout.question))
        messages = [] if is_missing_value(question) else _question(question)
        cells: list[Any] = []
        if layout.outputs is not None:
            cells = [parsed(line.value.get(name)) for name in layout.outputs[:2]]
        elif layout.output_list is not None:
            cells = parsed(line.value.get(layout.output_list)) or []
        if len(cells) != 2 or any(map(is_missing_value, cells)):  # noqa: PLR2004 - a pair
            return messages, None
        first, second = (_answer(cell) for cell in cells)
        return messages or first[0], (first[1], second[1])

    def _case_id(
        self,
        line: FieldReader,
        row: FileRow,
        messages: list[Message],
        systems: tuple[str, str],
        answers: tuple[AgentAnswer, AgentAnswer] | None,
    ) -> str:
        """Return the id of a row's case: its own, else that of its question.

        If a system gave another answer to the case before, a number is added to the id.
        """
        name = None if self._layout.id is None else line.name(self._layout.id)
        question = as_text(messages) if messages else None
        if name is None and question is not None:
            name = self._by_question.get(question)
        if name is None:
            name = self._options.seen.new_id("pair", row.position.path, row.number)
        if question is not None:
            self._by_question.setdefault(question, name)
        texts = (
            {}
            if answers is None
            else {system: answer.text for system, answer in zip(systems, answers, strict=True)}
        )
        number, case_id = 1, name
        while any(self._texts.get((case_id, system), text) != text for system, text in texts.items()):
            number += 1
            case_id = f"{name}/{number}"
        return case_id

    def _output(
        self, case_id: str, messages: list[Message], system: str, answer: AgentAnswer, row: FileRow
    ) -> Iterator[ImportedRecord]:
        if (case_id, system) in self._texts:
            return
        self._texts[case_id, system] = answer.text
        self._cases.add(case_id)
        base = case_id.rpartition("/")[0]
        example = Example(
            id=case_id,
            messages=messages,
            answer=answer,
            system=system,
            cluster=base or None,
            tags=self._tags(row.node),
            in_table=True,
        )
        yield from records_of(example, row.position, self._options)

    def _tags(self, line: FieldReader) -> dict[str, TagValue]:
        """Return the columns without a meaning as tags, and note them for the summary."""
        others = {
            name: value
            for name, value in line.value.items()
            if name not in self._taken and not is_missing_value(value)
        }
        recognized = self._options.recognized
        recognized.tags += [name for name in others if name not in recognized.tags]
        return tags_of(others)

    def _verdict(self, case_id: str, systems: tuple[str, str], pair_choice: PairChoice) -> Verdict:
        first, second = reversed(systems) if pair_choice.second_first else systems
        choice, key = pair_choice.choice, ItemKey(case_id, f"{first} vs {second}", 0)
        score = choice.score
        if score is not None and pair_choice.second_first:
            score = 1.0 - score
        repeat = self._verdicts[key, pair_choice.by]
        self._verdicts[key, pair_choice.by] += 1
        evidence = {"value": choice.word} if choice.word is not None else {}
        reasons = {
            "not_applicable": "there is no choice",
            "unparsable": f"{choice.word!r} is no choice between the two",
        }
        return Verdict(
            case_id=case_id,
            system=key.system,
            by=pair_choice.by,
            source="human" if pair_choice.is_person else "judge",
            outcome=cast("Outcome", choice.outcome),
            score=score,
            reason=reasons.get(choice.outcome, str(choice.word) if choice.outcome == "failed" else None),
            evidence={**evidence, "both_bad": True} if choice.both_bad else evidence,
            repeat=repeat,
        )


def is_missing_value(value: Any) -> bool:
    """Return whether a cell is empty; lists and objects are not."""
    return value is None or (isinstance(value, str | float) and is_missing(value))


def _question(cell_value: Any) -> list[Message]:
    if are_messages(cell_value):
        return messages_of(cell_value)
    # A list of texts has one per turn, as in Arena's prompts; only the first is the question.
    if is_list(cell_value) and all(isinstance(turn, str) for turn in cell_value):
        return [user_message(turn) for turn in cell_value[:1]]
    return [user_message(answer_text(cell_value) if is_object(cell_value) else as_text(cell_value))]


def _answer(cell: Any) -> tuple[list[Message], AgentAnswer]:
    """Return the question, if a cell is a conversation, and the answer."""
    if are_messages(cell):
        question, answer = split_question([FieldReader(message) for message in cell])
        return [message for reader in question for message in messages_of([reader.value])], answer_of(answer)
    if is_list(cell) and cell and all(isinstance(turn, str) for turn in cell):
        return [], AgentAnswer(cell[0])
    return [], AgentAnswer(answer_text(cell) if is_object(cell) else as_text(cell))
