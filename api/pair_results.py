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

_LOOKED_AT = 512

_PairReader: TypeAlias = "Callable[[Options], _Read]"


class _Read(NamedTuple):
    """Content of a source of pairs."""

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
                {"judge": by, "statistic": name, **msgspec.structs.asdict(getattr(each, name))}
                for by, each in self.pairs.agreements.items()
                for name in names
            ]
        )


def pair_calibration(pairs: RecordedPairs, *, replicates: int, level: float = 0.95) -> PairCalibration:
    """Return the agreement of judges with people in recorded pairs."""
    found = pairs.calibration(level=level, replicates=replicates)
    judges = {
        by: JudgeCalibration(
            n=each.n,
            n_unlabelled=each.unlabelled,
            n_missing=sum(each.ungraded.values()),
            statistics={"accuracy": each.agreement, "cohen_kappa": each.kappa},
        )
        for by, each in found.agreements.items()
    }
    return PairCalibration(pairs=found, judges=judges, level=level)


def recorded_pairs(table: Any, reading: Mapping[str, Any]) -> RecordedPairs | None:
    """Return the pairs in a table, an import or rows, or None if its verdicts are on one output.

    Args:
        table: Files, folders of imports, a data frame or rows.
        reading: Options for reading tables; see `TableReading`.

    Raises:
        ColumnsError: Nothing says what the numbers of the choices mean.
        InputError: Some files hold pairs, others do not; or labels are no verdicts on pairs.
    """
    pieces = pieces_of(table, Run)
    named = (reading.get(name) for name in ("columns", "map", "map_label"))
    if not all(each is None or isinstance(each, Mapping) for each in named):
        return None  # which every table refuses
    options = _options(reading)
    kinds = [_reader_of(piece, options) for piece in pieces]
    if not any(kinds):
        return None
    if not all(kinds):
        raise InputError(
            "some of these hold verdicts on pairs of outputs, others on single ones; give one kind"
        )
    found = [read(options) for read in kinds if read is not None]
    verdicts = [verdict for one in found for verdict in one.verdicts]
    for piece in pieces_of(reading.get("labels")) if reading.get("labels") is not None else ():
        verdicts += _labels(piece, options)
    outputs = [output for one in found for output in one.outputs]
    clusters = {case: cluster for one in found for case, cluster in one.clusters.items()}
    return RecordedPairs(
        verdicts, outputs, clusters, _left_out(skipped for one in found for skipped in one.skipped)
    )


def _left_out(skipped: Iterable[Skipped]) -> list[str]:
    """Return a sentence per kind of row that is not used."""
    kinds = SkippedKinds()
    for each in skipped:
        kinds.add(each)
    return [f"{counted(part.count, 'row')} not used: {part.problem}" for part in kinds.parts]


def _options(reading: Mapping[str, Any]) -> Options:
    columns: dict[str, str] = {**(reading.get("columns") or {}), **(reading.get("map") or {})}
    return Options(
        columns=columns,
        grades=grade_scale(None, None, reading.get("map_label")),
        header=header_choice(reading.get("header"), reading.get("column_names")),
    )


def _reader_of(piece: Any, options: Options) -> _PairReader | None:
    """Return the function that reads a source of pairs, or None if it holds none."""
    if isinstance(piece, (str, os.PathLike)):
        path = unpacked(input_path(cast("str", piece)))
        if path.is_dir():
            return partial(_of_folder, path) if holds_imported_pairs(path) else None
        return partial(_of_file, path) if holds_pairs(path, options.header) else None
    rows = list(frame_rows(piece)) if is_frame(piece) else piece
    if isinstance(rows, list) and rows and all(map(is_object, cast("list[Any]", rows))):
        held = cast("list[dict[str, Any]]", rows)
        return partial(_of_rows, held) if are_pairs(held[:_LOOKED_AT]) else None
    return None


def _of_folder(folder: Path, options: Options) -> _Read:
    del options  # the import has read them
    verdicts = list(read_records(folder / VERDICTS, Verdict))
    there = {(verdict.key, verdict.by, verdict.repeat) for verdict in verdicts}
    if (folder / LABELS).exists():
        verdicts += [
            record
            for record in read_records(folder / LABELS, Verdict)
            if (record.key, record.by, record.repeat) not in there
        ]
    outputs = folder / OUTPUTS
    answered = list(read_records(outputs, Output)) if outputs.exists() and outputs.stat().st_size else []
    return _Read(verdicts, answered, read_clusters(folder / CLUSTERS), [])


def _of_file(path: Path, options: Options) -> _Read:
    return _lists(read_all("pairs", [path], options))


def _of_rows(rows: list[dict[str, Any]], options: Options) -> _Read:
    path = Path("rows")
    found: Iterator[FileRow] = (
        FileRow(row, FilePosition(path, number), number=number) for number, row in enumerate(rows, start=1)
    )
    return _lists(records_of_pairs(found, path, options))


def _lists(records: Iterable[ImportedRecord]) -> _Read:
    cases, outputs, verdicts, skipped = lists_of(records)
    if not verdicts and skipped:
        raise InputError(
            skipped[0].reason, path=skipped[0].file, line=skipped[0].line, field=skipped[0].field
        )
    clusters = {case.id: case.cluster for case in cases if case.cluster is not None}
    return _Read(verdicts, outputs, clusters, skipped)


def _labels(piece: Any, options: Options) -> list[Verdict]:
    """Return people's choices from verdicts, or from a table of pairs."""
    read = _reader_of(piece, options)
    if read is not None:
        return [msgspec.structs.replace(verdict, source="human") for verdict in read(options).verdicts]
    verdicts = list(read_records(source("labels", piece), Verdict))
    if not any(VERSUS in verdict.system for verdict in verdicts):
        raise InputError("labels of pairs are verdicts on `a vs b`, or a table of pairs")
    return verdicts
