"""Scores and trials beside the messages of a logged call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from ..tables.column_names import FIELDS, HEADERS, normal
from ..tables.grades import is_missing
from .exchanges import Exchange
from .field_reader import FieldReader
from .file_rows import FileRow
from .import_options import Options
from .imported_records import Skipped
from .imported_scores import collect_scores
from .recognized_grades import RecognizedGrades
from .score_columns import RowGrades, score_readers

_GRADE_FIELDS = ("score", "trial")


@lru_cache(HEADERS)
def grade_columns(names: tuple[str, ...]) -> Mapping[str, str]:
    """Return the columns of scores and trials among a line's fields."""
    column_of_field: dict[str, str] = {}
    for name in names:
        for field in _GRADE_FIELDS:
            if normal(name) in FIELDS[field]:
                column_of_field.setdefault(field, name)
    return column_of_field


def add_grades(exchange: Exchange, row: FileRow, options: Options) -> Iterator[Skipped]:
    """Add the scores and the trial on a line to its exchange; list scores that are invalid.

    Scores in a session's lines belong to no case, since the whole session is one case.
    """
    line = row.node
    columns = grade_columns(tuple(line.value))
    if not columns or exchange.session is not None:
        return
    if "trial" in columns and not is_missing(line.value[columns["trial"]]):
        exchange.trial = line.whole(columns["trial"])
    if "score" in columns:
        grades = RowGrades(RecognizedGrades(), options.converter, options.grades, answered=exchange.answers)
        fields = FieldReader({"score": line.value[columns["score"]]}, line.at)
        readers = score_readers(fields, columns["score"], grades)
        yield from collect_scores(exchange.scores, readers, lambda read: read(), row.position)
