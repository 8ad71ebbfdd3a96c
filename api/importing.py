"""Import other tools' data sets as cases and outputs.

The sources are BFCL, agbenchmark, logs and custom formats. A file is read again at each iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

from ..deterministic.artifacts.dependencies import unknown_dependencies
from ..errors import RecordError, UsageError
from ..formats.agbenchmark import read_challenges
from ..formats.bfcl import expand, find_results, open_source, read_cases, read_outputs
from ..formats.custom_format import read_custom
from ..formats.imported_records import LOGGED, RevisedCase, revised
from ..records import Case, Output, Verdict, write_records
from ..report.text.challenge_notes import challenge_notes
from ..spelling import command, either
from .argument_checks import checked_arguments
from .paths import FilePath, input_path, written_path
from .reading import read_strictly
from .selecting import selected

__all__ = [
    "Imported",
    "ImportedSuite",
    "challenge_notes",
    "import_agbenchmark",
    "import_bfcl",
    "import_custom_format",
    "import_log",
    "unknown_dependencies",
]

T = TypeVar("T", Case, Output)


class Imported(Generic[T]):
    """Cases or outputs of an imported file; each iteration reads it again."""

    def __init__(self, read: Callable[[], Iterator[T]]) -> None:
        self._read = read

    def __iter__(self) -> Iterator[T]:
        return self._read()

    def write(self, path: FilePath) -> int:
        """Write the records to a file, and return their number."""
        return write_records(written_path(path), self)


class ImportedSuite:
    """Content of an imported file.

    Attributes:
        cases: The cases.
        outputs: Outputs of systems; empty if the file has only cases.
    """

    def __init__(
        self, cases: Callable[[], Iterator[Case]], outputs: Callable[[], Iterator[Output]] = lambda: iter(())
    ) -> None:
        self.cases = Imported(cases)
        self.outputs = Imported(outputs)

    def only(self, selection: Iterable[str]) -> ImportedSuite:
        """Return the cases of these ids or tags (``TAG=VALUE``), with their outputs."""
        parts = tuple(selection)

        def outputs() -> Iterator[Output]:
            ids = {case.id for case in selected(self.cases, parts)}
            return (output for output in self.outputs if output.case_id in ids)

        return ImportedSuite(lambda: selected(self.cases, parts), outputs)


@checked_arguments
def import_bfcl(
    path: FilePath, categories: Iterable[str] = ("all_scoring",), *, results: FilePath | None = None
) -> ImportedSuite:
    """Import BFCL's cases, and the outputs of a result tree.

    Args:
        path: BFCL's data: a folder, a ``bfcl_eval-*.whl``, or a checkout of its repository.
        categories: Categories or groups of them.
        results: A result tree, whose answers become outputs.

    Raises:
        InputError: The data cannot be read; raised during iteration.
        UsageError: There is no such category; or, during iteration, an output answers no entry of the data.
    """
    category_list, source, ids = expand(categories), open_source(input_path(path)), set[str]()

    def cases() -> Iterator[Case]:
        for category in category_list:
            for case in read_cases(source, category):
                ids.add(case.id)
                yield case

    def outputs() -> Iterator[Output]:
        assert results is not None
        if not ids:  # filled while the cases are read, which was not done before
            ids.update(case.id for case in cases())
        for output in read_outputs(find_results(input_path(results), category_list).files):
            if output.case_id not in ids:
                raise UsageError(
                    f"{results}: {output.system} answers {output.case_id!r}, which is not an entry of this data"
                )
            yield output

    return ImportedSuite(cases) if results is None else ImportedSuite(cases, outputs)


def import_log(
    source: str, path: FilePath, *, criterion: str | None = None, system: str = LOGGED
) -> ImportedSuite:
    """Read a log completely, or raise at the first bad record.

    `fiducial.read` instead skips what it cannot read, and reports it.
    """

    def read() -> Iterator[Case | RevisedCase | Output | Verdict]:
        try:
            yield from read_strictly(source, path, criterion=criterion, system=system)
        except RecordError as error:
            lenient = either(f"`{command('import', source, path, out='FOLDER')}` lists", "`fd.read` lists")
            error.message += f"; {lenient} what it skips"
            raise

    def cases() -> Iterator[Case]:
        # A revision follows its case, so the file is read twice: all its cases may not fit into memory.
        revisions = {record.case.id: record.case for record in read() if isinstance(record, RevisedCase)}
        return (revised(record, revisions) for record in read() if isinstance(record, Case))

    return ImportedSuite(cases, lambda: (record for record in read() if isinstance(record, Output)))


def _suite(read: Callable[[], Iterator[object]]) -> ImportedSuite:
    return ImportedSuite(
        lambda: (record for record in read() if isinstance(record, Case)),
        lambda: (record for record in read() if isinstance(record, Output)),
    )


@checked_arguments
def import_agbenchmark(path: FilePath) -> ImportedSuite:
    """Import agbenchmark's challenges from the folders below a path."""
    return ImportedSuite(lambda: iter(read_challenges(input_path(path))))


def import_custom_format(name: str, path: FilePath) -> ImportedSuite:
    """Import a file in a custom format (`file_format`), whose name is looked up at iteration."""
    return _suite(lambda: read_custom(name, input_path(path)))
