"""Record of how an import read its files, so that its columns can be named explicitly."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import msgspec

from ..errors import InputError, readable
from ..records import Verdict, atomic_write, read_records
from ..records.folder_files import CASES, VERDICTS
from ..records.json_text import encode_json
from ..records.typed_values import decode_json
from ..spelling import command, flag, setting, spelled_pairs, spelled_scale, together

RECORD = "import.json"
"""File of the record; folders of earlier versions have none."""


class ImportRecord(msgspec.Struct, kw_only=True):
    """Columns and settings with which an import read its files.

    Attributes:
        format: Format of the files.
        paths: The files, as they were named.
        columns: Pairs of field and column; a field with several columns has several pairs.
        words: Scores of words that the user gave.
        scales: Scales that the user gave: the setting, the worst and the best grade, the judge.
        settings: Other settings that the user gave.
    """

    format: str
    paths: list[str]
    columns: list[tuple[str, str]] = []
    words: dict[str, float | None] = {}
    scales: list[tuple[str, str, str | None]] = []
    settings: dict[str, str | float | bool] = {}

    @classmethod
    def of(
        cls,
        name: str,
        paths: Sequence[object],
        fields: Mapping[str, str],
        grades: Mapping[str, Sequence[str]],
        reading: Mapping[str, Any],
    ) -> ImportRecord:
        """Return the record of an import.

        Args:
            name: Format of the files.
            paths: The files.
            fields: The column of each field of a table.
            grades: The columns of judges (``score``) and people (``label``).
            reading: Settings that the user gave.
        """
        columns = [*fields.items(), *((field, name) for field, names in grades.items() for name in names)]
        named: Mapping[str, str] = reading.get("map") or {}
        columns += [(field, column) for field, column in named.items() if not column]
        return cls(
            format=name,
            paths=[*map(str, paths)],
            columns=[*dict.fromkeys(columns)],
            words=dict(reading.get("map_label") or {}),
            scales=[*_scales(reading)],
            settings={
                setting: value
                for setting, value in reading.items()
                if isinstance(value, str | int | float) and value is not False
            },
        )

    def write(self, folder: Path) -> None:
        """Write the record into the folder of the import."""
        with atomic_write(folder / RECORD) as file:
            file.write(encode_json(self))


def explanation(folder: Path) -> list[str]:
    """Return how an import read its columns, as options for its command.

    Raises:
        InputError: The folder is no import.
    """
    path = folder / RECORD
    if path.exists():
        with readable(path):
            data = path.read_bytes()
        try:
            record = decode_json(data, ImportRecord)
        except (msgspec.DecodeError, msgspec.ValidationError) as error:
            raise InputError(f"is no record of an import: {error}", path=path) from error
        return [_import_command(record, folder)]
    if not (folder / CASES).exists() and not (folder / VERDICTS).exists():
        raise InputError("is no folder of an import", path=folder)
    verdicts = folder / VERDICTS
    authors = {
        read_record.by: "label" if read_record.source == "human" else "score"
        for read_record in (read_records(verdicts, Verdict) if verdicts.exists() else ())
        if read_record.source in {"human", "judge"}
    }
    grades = spelled_pairs("map", [(field, by) for by, field in authors.items()]) if authors else "no grades"
    return [f"imported before columns were recorded; by its verdicts: {grades}", "import again to record all"]


def _scales(reading: Mapping[str, Any]) -> Iterator[tuple[str, str, str | None]]:
    """Yield the scales among the settings of an import."""
    for name in ("label_scale", "score_scale"):
        scales: Any = reading.get(name)
        # A single scale is for all judges, who are the judge "".
        by_judge: Any = scales if hasattr(scales, "items") else {} if scales is None else {"": scales}
        for judge, (worst, best) in cast("Mapping[str, tuple[float, float]]", by_judge).items():
            yield name, f"{worst:g}:{best:g}", judge or None


def _import_command(record: ImportRecord, folder: Path) -> str:
    mapped = [(field, column) for field, column in record.columns if field != column]
    options = together(
        spelled_pairs("map", mapped) if mapped else "",
        spelled_pairs("map_label", record.words) if record.words else "",
    )
    scales = [spelled_scale(name, ends, judge) for name, ends, judge in record.scales]
    others = [
        flag(name) if value is True else setting(name, shlex.quote(str(value)))
        for name, value in record.settings.items()
    ]
    options = together(options, *scales, *others)
    files = shlex.join(record.paths)
    typed = command("import", files, out=shlex.quote(str(folder)), **{"as": record.format})
    return f"{typed} {options}".rstrip()
