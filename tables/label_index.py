"""Labels of a table by output; a label may leave out an unambiguous system or trial."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import InputError
from ..records.explanations import nearest
from ..records.jsonl import read_records
from .label_table import LabelRow, LabelTable, OutputName


class LabelIndex:
    """Labels of a table, by the names of outputs.

    Attributes:
        used: The first output that each name in the table has matched.
    """

    def __init__(self, table: LabelTable) -> None:
        self._table = table
        self._by_name: dict[OutputName, list[LabelRow]] = {}
        for row in read_records(table, LabelRow):
            self._by_name.setdefault(OutputName(row.id, row.system, row.trial), []).append(row)
        self.used: dict[OutputName, OutputName] = {}

    def labels_of(self, output: OutputName, item: str | None = None) -> list[LabelRow]:
        """Return the labels of an output, in the order of the file.

        Args:
            output: The output.
            item: The output's id as ``case_id|system|trial``, which labels may use, too.

        Raises:
            InputError: A label names no system or trial, and several outputs match it.
        """
        case, system, trial = output.id.strip(), output.system, output.trial
        # The most specific name first: labels of this output come before those of its case.
        names = [
            OutputName(case, system, trial),
            OutputName(case, system),
            OutputName(case, None, trial),
            OutputName(case),
        ]
        for candidate in names if item is None else [*names, OutputName(item.strip())]:
            if candidate in self._by_name:
                self._require_unambiguous(candidate, output)
                return self._by_name[candidate]
        return []

    def _require_unambiguous(self, named: OutputName, output: OutputName) -> None:
        first = self.used.setdefault(named, output)
        if first == output:
            return
        line = self._by_name[named][0].line
        if first.system != output.system:
            problem = f"the label of {named.id!r} names no system, and there are outputs of {first.system!r} and {output.system!r}; add a column system"
        else:
            problem = f"the label of {named.id!r} names no trial, and there are several; add a column trial"
        raise InputError(problem, path=self._table, line=line or None, field="id")

    @property
    def unmatched(self) -> list[LabelRow]:
        """The labels that match no output so far, one for each id, system and trial.

        Rows without a grade are no labels.
        """
        unmatched_rows = (rows for name, rows in self._by_name.items() if name not in self.used)
        graded = ([row for row in rows if row.is_usable] for rows in unmatched_rows)
        return [rows[0] for rows in graded if rows]

    def require_matched(self, outputs: Iterable[OutputName]) -> int:
        """Return the number of labels without an output.

        Raises:
            InputError: No label belongs to an output.
        """
        if self.used or not self._by_name:
            return len(self.unmatched)
        raise no_label_matches(next(iter(self._by_name)), outputs, self._table)


def no_label_matches(first: OutputName, outputs: Iterable[OutputName], path: object) -> InputError:
    """Return the error for labels that match no output, with the key nearest to the first label."""
    known = list(dict.fromkeys(outputs))
    of_same_id = [name for name in known if name.id == first.id]
    shown = _name_text(first)
    if of_same_id:
        return InputError(
            f"no label matches an output: the first is of {shown}, the output there is {_name_text(of_same_id[0])}",
            path=path,
            field="system" if of_same_id[0].system != first.system else "trial",
        )
    ids = list(dict.fromkeys(name.id for name in known))
    near = nearest(first.id, ids)
    other = near or (f"; the first id there is {ids[0]!r}" if ids else "")
    return InputError(f"no label matches an output: the first is of {shown}{other}", path=path, field="id")


def _name_text(output: OutputName) -> str:
    parts = [repr(output.id)]
    parts += [] if output.system is None else [f"system {output.system!r}"]
    parts += [] if output.trial is None else [f"trial {output.trial}"]
    return ", ".join(parts)
