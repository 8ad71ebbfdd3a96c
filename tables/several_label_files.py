"""Several files of labels, joined into one in their order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from ..errors import UsageError
from ..records.jsonl import read_records
from ..records.memory_file import InputPath, memory_file
from ..records.verdict import Verdict
from ..spelling import setting
from .label_rounds import in_next_round
from .label_table import LabelRow, LabelTable, majorities, standing_rows
from .standing_labels import MAJORITY
from .table_rows import UnreadRows


def joined_label_files(files: Sequence[InputPath]) -> InputPath:
    """Join files of labels: all tables of labels, or all verdicts.

    Each file is a round of labels. Together they are read like one file: a person's last label of an output counts, and the
    majority is of the people in all files.

    Raises:
        UsageError: Some files are verdicts, others tables of labels.
    """
    if len(files) == 1:
        return files[0]
    name = ", ".join(map(str, files))
    tables = [file for file in files if isinstance(file, LabelTable)]
    if not tables:
        return memory_file(name, _verdicts_in_rounds(files))
    if len(tables) < len(files):
        verdicts = next(file for file in files if not isinstance(file, LabelTable))
        raise UsageError(
            f"{setting('labels')}: {verdicts} holds verdicts, {tables[0]} is a table; give files of one form, or add the table to the run with `fiducial labels add`"
        )
    rows = [
        msgspec.structs.replace(row, line=0, added=number)  # a line number alone would not say which file
        for number, table in enumerate(tables, start=1)
        for row in read_records(table, LabelRow)
        if not (row.by == MAJORITY and row.source == "construction")
    ]
    rows = standing_rows(rows)
    rows += majorities(rows)
    columns = frozenset[str]().union(*(table.columns for table in tables))
    unread = UnreadRows()
    for table in tables:
        unread.extend(table.unread)
    return LabelTable(name, memory_file(name, rows).read_bytes(), columns, unread)


def _verdicts_in_rounds(files: Sequence[InputPath]) -> Iterator[Verdict]:
    before: list[Verdict] = []
    for file in files:
        added = in_next_round(before, read_records(file, Verdict))
        yield from added
        before += added
