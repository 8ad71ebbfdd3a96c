"""Wide tables: one column of answers per system, read as one row per system."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from msgspec import structs

from ..errors import UsageError
from ..spelling import setting, together
from ..tables.column_names import FIELDS, is_person
from ..tables.named_columns import column_named, known_fields, map_options
from .file_rows import FileRow
from .import_options import Options
from .imported_records import Skipped
from .json_values import is_object
from .recognized_grades import RecognizedGrades

_RESPONSE_NAMES = frozenset({"response", *FIELDS["response"]})


def answer_columns(header: Sequence[str], mapping: Mapping[str, str]) -> list[str]:
    """Return the columns that the user mapped to the answer, one per system if several."""
    # A mapping may be written either way: answer=response or response=answer.
    named = [
        column_named(header, right) if left in _RESPONSE_NAMES else column_named(header, left)
        for left, right in mapping.items()
        if left in _RESPONSE_NAMES or right in _RESPONSE_NAMES
    ]
    return list(dict.fromkeys(filter(None, named)))


def require_clear(
    header: Sequence[str], answers: Sequence[str], options: Options, graded: RecognizedGrades
) -> None:
    """Require that options and columns are clear for several answers in a row.

    Raises:
        UsageError: One system is named for all, or the row has systems or grades, which may belong to any of them.
    """
    # Numbered people may each label one of the answers, or all label the same one.
    people = [name for name in header if is_person(name)]
    label = {"label": people[0]} if people else {}
    alone = together(map_options({"response": answers[0], **label}), setting("system", "NAME"))
    if options.joined is not None:
        raise UsageError(
            f"{setting('system')} names one system, and {len(answers)} columns hold answers: import {alone}"
        )
    names = known_fields(tuple(header), tuple(options.columns.items()))
    ambiguous_columns = [
        names[field] for field in ("system", "label", "score", "verdicts", "tool_calls") if field in names
    ]
    ambiguous_columns += [*filter(None, [graded.label]), *graded.judges]
    ambiguous_columns += people
    if ambiguous_columns:
        raise UsageError(
            f"column {ambiguous_columns[0]!r} may be of any of the answers in {', '.join(map(repr, answers))}: import each alone, {alone}"
        )


def with_one_answer(options: Options) -> Options:
    """Return the options for the rows that `row_per_answer` yields."""
    others = {
        left: right
        for left, right in options.columns.items()
        if left not in _RESPONSE_NAMES and right not in _RESPONSE_NAMES
    }
    return replace(options, columns=others)


def row_per_answer(
    rows: Iterable[FileRow | Skipped], answers: Sequence[str], options: Options
) -> Iterator[FileRow | Skipped]:
    """Yield a row for each answer, whose system is named after the column."""
    mapping = tuple(options.columns.items())
    for row in rows:
        if isinstance(row, Skipped) or not is_object(row.value):
            yield row
            continue
        shared = {name: value for name, value in row.value.items() if name not in answers}
        if "id" not in known_fields(tuple(shared), mapping):
            shared["id"] = options.seen.new_id("row", row.position.path, row.number)
        for name in answers:
            if name in row.value:
                yield structs.replace(row, value={**shared, "response": row.value[name], "system": name})
