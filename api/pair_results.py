"""Recorded verdicts on pairs of outputs, from tables, imports and verdict files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

import msgspec

from ..calibration.agreement.calibration_results import JudgeCalibration
from ..calibration.preference.preference_results import PairCalibrationNumbers
from ..errors import InputError
from ..evaluation.preference.recorded_pairs import RecordedPairs
from ..evaluation.store.pair_verdicts import VERSUS, holds_imported_pairs
from ..evaluation.store.run_store import read_clusters
from ..formats.file_rows import FileRow
from ..formats.import_options import Options
from ..formats.imported_records import FilePosition, ImportedRecord, Skipped, lists_of
from ..formats.json_values import is_object
from ..formats.pairwise_rows import are_pairs, records_of_pairs
from ..formats.readers import holds_pairs, read_all
from ..formats.skipped_kinds import SkippedKinds
from ..records import Output, Verdict, read_records
from ..records.folder_files import CLUSTERS, LABELS, OUTPUTS, VERDICTS
from ..report.text.number_text import counted
from ..report.text.one_screen import one_screen
from ..report.text.pair_text import pair_calibration_document, pair_calibration_screen
from ..tables.frames import data_frame, frame_rows, is_frame
from ..tables.gzipped import unpacked
from .display import Document
from .headers import header_choice
from .label_sources import grade_scale
from .paths import input_path, pieces_of, source
from .run import Run
from .table_results import Calibration

if TYPE_CHECKING:
    import pandas as pd

_MAX_ROWS_TESTED = 512
"""Maximum number of rows that are tested to recognise a table of pairs in memory."""

_PairReader: TypeAlias = "Callable[[Options], _PairContent]"
"""Function that reads one recognised source."""


class _PairContent(NamedTuple):
    """Content of a source of pairs.

    Attributes:
        verdicts: Choices, as verdicts on ``a vs b``.
        outputs: The outputs that were compared, if the source has them.
        clusters: Cluster by case id.
        skipped: Rows that are not used, with the reason.
    """

    verdicts: list[Verdict]
    outputs: list[Output]
    clusters: dict[str, str]
    skipped: list[Skipped]


class PairCalibration(Calibration, frozen=True, kw_only=True):
    """Agreement on pairs: ``calibration.pairs.agreements["judge"].agreement``.

    Its ``judges`` have agreement as ``accuracy``, and ``cohen_kappa``; other rates of single outputs do not exist for pairs.
    """

    pairs: PairCalibrationNumbers

    def document(self, *, slices: Iterable[str] = ()) -> Document:
        """Return the results as a document with tables."""
        del slices
        return pair_calibration_document(self.pairs)

    def screen(self, room: int | None = None, *, slices: Iterable[str] = ()) -> Document:
        """Return the agreement of each judge, in one screen of a terminal."""
        del slices
        return one_screen(pair_calibration_screen(self.pairs), room)

    def to_dict(self) -> dict[str, Any]:
        """Return the results as ``calibrate --json`` prints them."""
        return msgspec.to_builtins(self.pairs)

    def to_frame(self) -> pd.DataFrame:
        """Return a data frame with one row per judge and statistic."""
        names = (
            "agreement",
            "ties_half",
            "decided",
            "kappa",
            "right_in_both",
            "wrong_in_both",
            "flips",
            "right_on_balance",
        )
        return data_frame(
            [
                {"judge": by, "statistic": name, **msgspec.structs.asdict(getattr(agreement, name))}
                for by, agreement in self.pairs.agreements.items()
                for name in names
            ]
        )


def pair_calibration(pairs: RecordedPairs, *, replicates: int, level: float = 0.95) -> PairCalibration:
    """Return the agreement of judges with people in recorded pairs."""
    numbers = pairs.calibration(level=level, replicates=replicates)
    judges = {
        by: JudgeCalibration(
            n=agreement.n,
            n_unlabelled=agreement.unlabelled,
            n_missing=sum(agreement.ungraded.values()),
            statistics={"accuracy": agreement.agreement, "cohen_kappa": agreement.kappa},
        )
        for by, agreement in numbers.agreements.items()
    }
    return PairCalibration(pairs=numbers, judges=judges, level=level)


def recorded_pairs(table: Any, reading: Mapping[str, Any]) -> RecordedPairs | None:
    """Return the pairs in a table, an import or rows, or None if its verdicts are on one output.

    Args:
        table: Files, folders of imports, a data frame or rows.
        reading: Options for reading tables; see `TableReading`.

    Raises:
        ColumnsError: Nothing says what the numbers of the choices mean.
        InputError: Some files contain pairs and others do not, or labels are not verdicts on pairs.
    """
    pieces = pieces_of(table, Run)
    mappings = (reading.get(name) for name in ("columns", "map", "map_label"))
    if not all(mapping is None or isinstance(mapping, Mapping) for mapping in mappings):
        return None  # the reader of single outputs raises the error
    options = _options(reading)
    readers = [_reader_of(piece, options) for piece in pieces]
    if not any(readers):
        return None
    if not all(readers):
        raise InputError(
            "some of these hold verdicts on pairs of outputs, others on single ones; give one kind"
        )
    contents = [read_pairs(options) for read_pairs in readers if read_pairs is not None]
    verdicts = [verdict for content in contents for verdict in content.verdicts]
    for piece in pieces_of(reading.get("labels")) if reading.get("labels") is not None else ():
        verdicts += _pair_labels(piece, options)
    outputs = [output for content in contents for output in content.outputs]
    clusters = {case: cluster for content in contents for case, cluster in content.clusters.items()}
    return RecordedPairs(
        verdicts,
        outputs,
        clusters,
        _left_out_sentences(skipped for content in contents for skipped in content.skipped),
    )


def _left_out_sentences(skipped: Iterable[Skipped]) -> list[str]:
    kinds = SkippedKinds()
    for entry in skipped:
        kinds.add(entry)
    return [f"{counted(part.count, 'row')} not used: {part.problem}" for part in kinds.parts]


def _options(reading: Mapping[str, Any]) -> Options:
    columns: dict[str, str] = {**(reading.get("columns") or {}), **(reading.get("map") or {})}
    return Options(
        columns=columns,
        grades=grade_scale(None, None, reading.get("map_label")),
        header=header_choice(reading.get("header"), reading.get("column_names")),
    )


def _reader_of(piece: Any, options: Options) -> _PairReader | None:
    """Return the function that reads a source of pairs, or None if it has no pairs."""
    if isinstance(piece, (str, os.PathLike)):
        path = unpacked(input_path(cast("str", piece)))
        if path.is_dir():
            return partial(_content_of_folder, path) if holds_imported_pairs(path) else None
        return partial(_content_of_file, path) if holds_pairs(path, options.header) else None
    rows = list(frame_rows(piece)) if is_frame(piece) else piece
    if isinstance(rows, list) and rows and all(map(is_object, cast("list[Any]", rows))):
        row_list = cast("list[dict[str, Any]]", rows)
        return partial(_content_of_rows, row_list) if are_pairs(row_list[:_MAX_ROWS_TESTED]) else None
    return None


def _content_of_folder(folder: Path, options: Options) -> _PairContent:
    del options  # the import has read them
    verdicts = list(read_records(folder / VERDICTS, Verdict))
    read_keys = {(verdict.key, verdict.by, verdict.repeat) for verdict in verdicts}
    if (folder / LABELS).exists():
        verdicts += [
            record
            for record in read_records(folder / LABELS, Verdict)
            if (record.key, record.by, record.repeat) not in read_keys
        ]
    outputs = folder / OUTPUTS
    answers = list(read_records(outputs, Output)) if outputs.exists() and outputs.stat().st_size else []
    return _PairContent(verdicts, answers, read_clusters(folder / CLUSTERS), [])


def _content_of_file(path: Path, options: Options) -> _PairContent:
    return _content_of_records(read_all("pairs", [path], options))


def _content_of_rows(rows: list[dict[str, Any]], options: Options) -> _PairContent:
    path = Path("rows")
    file_rows: Iterator[FileRow] = (
        FileRow(row, FilePosition(path, number), number=number) for number, row in enumerate(rows, start=1)
    )
    return _content_of_records(records_of_pairs(file_rows, path, options))


def _content_of_records(records: Iterable[ImportedRecord]) -> _PairContent:
    cases, outputs, verdicts, skipped = lists_of(records)
    if not verdicts and skipped:
        raise InputError(
            skipped[0].reason, path=skipped[0].file, line=skipped[0].line, field=skipped[0].field
        )
    clusters = {case.id: case.cluster for case in cases if case.cluster is not None}
    return _PairContent(verdicts, outputs, clusters, skipped)


def _pair_labels(piece: Any, options: Options) -> list[Verdict]:
    """Return people's choices from verdicts, or from a table of pairs."""
    read_pairs = _reader_of(piece, options)
    if read_pairs is not None:
        return [msgspec.structs.replace(verdict, source="human") for verdict in read_pairs(options).verdicts]
    verdicts = list(read_records(source("labels", piece), Verdict))
    if not any(VERSUS in verdict.system for verdict in verdicts):
        raise InputError("labels of pairs are verdicts on `a vs b`, or a table of pairs")
    return verdicts
