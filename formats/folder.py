"""Write imported records to a folder: cases, outputs, verdicts, and what was skipped.

`write_folder` counts the records as they pass, and returns an `ImportSummary` of the folder.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path

from ..errors import InputError, UsageError, as_named
from ..records import Case, Output, Verdict, atomic_write, read_records
from ..records.folder_files import CASES, CLUSTERS, LABELS, MANIFEST, OUTPUTS, VERDICTS
from ..records.json_text import encode_json, encode_line
from .import_summary import ImportCounts, ImportSummary, is_label
from .imported_records import ImportedRecord, RevisedCase, Skipped, revised
from .imported_scores import ScoreConverter

SKIPPED = "skipped.jsonl"
"""File of the skipped records.

Verdicts, clusters and labels have files only if there are any. People's labels are in the file of verdicts, too.
"""


def write_folder(
    records: Iterable[ImportedRecord],
    folder: Path,
    name: str,
    *,
    source: object = None,
    converter: ScoreConverter | None = None,
) -> ImportSummary:
    """Write imported records, all or none, in place of an earlier import.

    Whether an author has a scale, and which cases later lines revised, is known only after all records. So graded verdicts
    of authors without a scale are removed afterwards, and revised cases are replaced.

    Args:
        records: The records.
        folder: The folder.
        name: Name of the format.
        source: The source that errors name.
        converter: Converter of the scores.

    Raises:
        InputError: Nothing could be read, or the folder cannot be written.
        UsageError: The folder holds a run.
    """
    if (folder / MANIFEST).exists():
        raise UsageError(f"{folder} holds a run; name another folder")
    summary, revisions = ImportCounts(), dict[str, Case]()
    converter = converter or ScoreConverter()
    with ExitStack() as stack:
        if not folder.exists():
            stack.callback(_remove_if_empty, folder)
        to_cases, to_outputs, to_verdicts, to_skipped, to_labels = (
            stack.enter_context(atomic_write(folder / file)).write
            for file in (CASES, OUTPUTS, VERDICTS, SKIPPED, LABELS)
        )
        for record in _records(records, revisions, converter, summary, source):
            line = encode_line(record, folder)
            summary.add(record)
            if isinstance(record, Case):
                to_cases(line)
            elif isinstance(record, Output):
                to_outputs(line)
            elif isinstance(record, Verdict):
                to_verdicts(line)
                if is_label(record):
                    to_labels(line)
            else:
                to_skipped(line)
        if not summary.kinds and not summary.verdicts:
            require_records(summary.first_skipped, name, source)
        summary.complete(source)
    _remove_empty(folder, VERDICTS, LABELS)
    _withdraw(converter.above_one, folder, summary)
    if revisions:
        _revise(folder, revisions)
        summary.count_kinds(folder)
    _write_clusters(folder / CLUSTERS, summary.clusters)
    return summary.imported(name, folder)


def _records(
    records: Iterable[ImportedRecord],
    revisions: dict[str, Case],
    converter: ScoreConverter,
    summary: ImportCounts,
    source: object,
) -> Iterator[Case | Output | Verdict | Skipped]:
    """Yield the records, then a skipped entry for each author whose verdicts are withdrawn.

    Revised cases are added to ``revisions``.
    """
    for record in records:
        if isinstance(record, RevisedCase):
            revisions[record.case.id] = record.case
        else:
            yield record
    yield from converter.withdrawn(summary.graded, as_named(source))


def _withdraw(authors: Iterable[str], folder: Path, summary: ImportCounts) -> None:
    """Remove the graded verdicts of some authors from the files and the summary."""
    withdrawn = summary.graded.keys() & set(authors)
    for path in (folder / VERDICTS, folder / LABELS):
        if withdrawn and path.exists():
            _remove_verdicts(path, withdrawn)
    summary.withdraw(withdrawn)


def _remove_verdicts(path: Path, authors: Collection[str]) -> None:
    other_verdicts = (
        record for record in read_records(path, Verdict) if not (record.graded and record.by in authors)
    )
    with atomic_write(path) as file:
        for verdict in other_verdicts:
            file.write(encode_line(verdict, path))
    _remove_empty(path.parent, path.name)


def _revise(folder: Path, revisions: Mapping[str, Case]) -> None:
    path = folder / CASES
    with atomic_write(path) as file:
        for case in read_records(path, Case):
            file.write(encode_line(revised(case, revisions), path))


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def _remove_empty(folder: Path, *names: str) -> None:
    for name in names:
        if not (folder / name).stat().st_size:
            (folder / name).unlink()


def _write_clusters(path: Path, clusters: dict[str, str]) -> None:
    if not clusters:
        path.unlink(missing_ok=True)
        return
    with atomic_write(path) as file:
        file.write(encode_json(clusters))


def require_records(first: Skipped | None, name: str, source: object) -> None:
    """Refuse a source that gave no record.

    Args:
        first: The first skipped record, whose reason the error repeats.
        name: Name of the format.
        source: The source.

    Raises:
        InputError: Always.
    """
    if first is None:
        raise InputError(f"it has no records to read as {name}", path=source)
    reason = f"no record in it can be read as {name}: {first.reason}"
    raise InputError(reason, path=first.file, line=first.line, field=first.field)
