"""`calibrate`, `import` and `fd.read` use and refuse the same rows of a file."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import re
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

import fiducial as fd
from fiducial.api.reading import import_files
from fiducial.api.tables import read_calibration_table
from fiducial.errors import FiducialError
from fiducial.records import Verdict, read_records

COLUMNS = ["id", "question", "answer", "judge_score", "human_label", "topic"]
FORMS = ["csv", "tsv", "json", "jsonl", "ndjson", "wrapped", "split", "columns", "parquet", "arrow"]
FILES_OF_A_FORM = 10


class Read(NamedTuple):
    """Result of reading a file.

    Attributes:
        scores: Scores by item.
        labels: Labels by item.
        topics: A column that is no field, by item.
        skipped: The number of refused rows, and the first refusal.
        refused: Error about the whole file.
    """

    scores: dict[str, float] = {}
    labels: dict[str, float] = {}
    topics: dict[str, str] = {}
    skipped: tuple[int, str] = (0, "")
    refused: str = ""


def _rows(random: Random) -> list[dict[str, Any]]:
    return [
        {
            "id": f"q{number}",
            "question": random.choice(['"Mercy" by whom?', "Who is it?", "Where, then?"]) + f" {number}",
            "answer": random.choice(["Edda", "in Rome;\nor not", 'a "b" c', "Größe"]),
            "judge_score": random.choice([0, 1, 0.5, math.nan]) if number else 1,
            "human_label": random.choice([0, 1]),
            "topic": random.choice(["lamps", "oil"]),
        }
        for number in range(random.randint(3, 8))
    ]


def _csv(rows: list[dict[str, Any]], random: Random, separator: str) -> bytes:
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=separator, lineterminator=random.choice(["\n", "\r\n"]))
    title = random.choice([None, None, ["Grades of May"], ["Grades of May", "", "", "", "", ""]])
    if title is not None:
        writer.writerow(title)
    header = list(COLUMNS)
    if random.random() < 0.1:
        header[-1] = "answer"
    if random.random() < 0.8:
        writer.writerow(header)
    for row in rows:
        cells = ["" if cell != cell else cell for cell in row.values()]  # noqa: PLR0124 - NaN
        writer.writerow(random.choice([cells] * 6 + [[*cells, "more"], cells[:-2]]))
        if random.random() < 0.2:
            writer.writerow(random.choice([[], [""] * len(cells)]))
    text = file.getvalue()
    if random.random() < 0.3:
        text += f'z{separator}"Mercy" by Edda{separator}b{separator}1{separator}0{separator}oil\n'
    if random.random() < 0.1:
        text += f'z{separator}"never closed\n'
    return random.choice(["", "\ufeff"]).encode() + text.encode(random.choice(["utf-8"] * 8 + ["latin-1"]))


def _line(row: dict[str, Any], random: Random) -> str:
    text = json.dumps(row, ensure_ascii=False)
    broken = [text[:-3], text[:-1] + ', "topic": "oil"}', json.dumps([*row.values()]), "7", "{}x"]
    return random.choice([text] * 12 + broken)


def _json(rows: list[dict[str, Any]], random: Random, form: str) -> bytes:
    if form in {"jsonl", "ndjson"}:
        lines = [_line(row, random) + random.choice(["\n", "\n", "\n\n"]) for row in rows]
        return random.choice(["", "\ufeff"]).encode() + "".join(lines).encode()
    if form == "columns":
        return json.dumps({name: [row[name] for row in rows] for name in COLUMNS}).encode()
    if form == "split":
        cells = [[*row.values()] if random.random() < 0.8 else [*row.values(), 1] for row in rows]
        return json.dumps({"columns": COLUMNS, "data": cells}).encode()
    values: list[Any] = [row if random.random() < 0.9 else random.choice([3, "x", [row]]) for row in rows]
    values = [{**rows[0], "id": "first"}, *values]
    document = {random.choice(["samples", "results", "data"]): values, "made": "today", "count": len(rows)}
    text = json.dumps(values if form == "json" else document, indent=random.choice([None, 2]))
    if random.random() < 0.2:
        text = text.replace('"topic": "oil"', '"topic": "oil", "topic": "lamps"')
    return random.choice(["", "\ufeff"]).encode() + text.encode()


def _written(folder: Path, random: Random, form: str) -> Path:
    rows = _rows(random)
    if form in {"parquet", "arrow"}:
        return _arrow(folder / f"t.{form}", rows)
    if form in {"csv", "tsv"}:
        text, suffix = _csv(rows, random, "\t" if form == "tsv" else random.choice(",;|")), form
    else:
        text = _json(rows, random, form)
        suffix = form if form in {"jsonl", "ndjson"} else "json"
    packed = random.random() < 0.3
    path = folder / f"t.{suffix}{'.gz' if packed else ''}"
    path.write_bytes(gzip.compress(text, 1) if packed else text)
    return path


def _arrow(path: Path, rows: list[dict[str, Any]]) -> Path:
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = pyarrow.Table.from_pylist([{**row, "judge_score": float(row["judge_score"])} for row in rows])
    if path.suffix == ".parquet":
        parquet.write_table(table, path)
    else:
        with pyarrow.OSFile(str(path), "wb") as file, pyarrow.ipc.new_stream(file, table.schema) as stream:
            stream.write_table(table)
    return path


def _finite(values: dict[str, Any]) -> dict[str, float]:
    return {
        name: float(value) for name, value in values.items() if value is not None and math.isfinite(value)
    }


def _by_source(verdicts: list[Verdict], source: str) -> dict[str, float]:
    return _finite({verdict.case_id: verdict.score for verdict in verdicts if verdict.source == source})


def _calibrated(path: Path) -> Read:
    table = read_calibration_table([path])
    items = [str(table.value("item_id", row)) for row in range(len(table))]
    skipped = [warning for warning in table.warnings if " skipped, the first: " in warning]
    count, first = (0, "") if not skipped else _counted(skipped[0])
    return Read(
        _finite(dict(zip(items, table.score.tolist(), strict=True))),
        _finite(dict(zip(items, table.label.tolist(), strict=True))),
        {item: str(table.value("topic", row)) for row, item in enumerate(items)},
        (count, first),
    )


def _counted(note: str) -> tuple[int, str]:
    count, _, first = note.partition(" skipped, the first: ")
    return int(count.split()[0]), first


def _refusal(line: int | None, field: str | None, reason: str, path: Path) -> str:
    place = f"{path}:{line}" if line else str(path)
    return ": ".join(filter(None, [place, field, reason]))


def _read(path: Path) -> Read:
    reading = fd.read(path)
    first = next(iter(reading.skipped), None)
    return Read(
        _by_source(reading.verdicts, "judge"),
        _by_source(reading.verdicts, "human"),
        {case.id: str(case.tags["topic"]) for case in reading.cases},
        (0, "")
        if first is None
        else (len(reading.skipped), _refusal(first.line, first.field, first.reason, path)),
    )


def _imported(path: Path, out: Path) -> Read:
    summary = import_files([path], out)
    verdicts = list(read_records(out / "verdicts.jsonl", Verdict))
    cases = list(read_records(out / "cases.jsonl", fd.Case))
    first = summary.first_skipped
    return Read(
        _by_source(verdicts, "judge"),
        _by_source(verdicts, "human"),
        {case.id: str(case.tags["topic"]) for case in cases},
        (0, "")
        if first is None
        else (summary.skipped, _refusal(first.line, first.field, first.reason, path)),
    )


def _tried(reader: Any, *arguments: Path) -> Read:
    try:
        return reader(*arguments)
    except FiducialError as error:
        return Read(refused=re.sub(r"no record in it can be read as \w+: ", "", str(error)))


@pytest.mark.parametrize("form", FORMS)
def test_every_reader_uses_and_refuses_the_same_rows_in_the_same_words(form: str, tmp_path: Path):
    for seed in range(FILES_OF_A_FORM):
        folder = tmp_path / str(seed)
        folder.mkdir()
        path = _written(folder, Random(f"{form} {seed}"), form)
        read = _tried(_read, path)
        assert _tried(_imported, path, folder / "out") == read, path
        calibrated = _tried(_calibrated, path)
        if read.scores or read.refused:
            assert calibrated == read, path
        else:  # no score is left to show which column has the scores
            assert "no column is known to be the judge's score" in calibrated.refused, path
        assert read.refused or read.topics, path
