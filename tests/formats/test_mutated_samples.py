"""Corrupted copies of sample files: read right or refused clearly, with no crash or silence."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pytest

import fiducial as fd
from fiducial.errors import FiducialError, InputError
from fiducial.formats.json_values import is_list, is_object

SAMPLES = Path(__file__).parent / "samples"
FILES = sorted(file for file in SAMPLES.rglob("*") if file.suffix in {".json", ".jsonl"})
BINARY = sorted(file for file in SAMPLES.rglob("*") if file.suffix in {".eval", ".csv", ".parquet"})
VALUES: list[Any] = [None, 7, "x", [1], {"a": 1}, True, 1e300]
PLACES = 40
"""Of each file, drawn at random."""


def _name(file: Path) -> str:
    return str(file.relative_to(SAMPLES))


def _values(file: Path) -> list[Any]:
    text = file.read_text("utf-8")
    return (
        [json.loads(text)]
        if file.suffix == ".json"
        else [json.loads(line) for line in text.splitlines() if line]
    )


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    keys: list[Any] = list(value) if is_object(value) else list(range(len(value))) if is_list(value) else []
    for key in keys:
        yield (*path, key)
        yield from _places(value[key], (*path, key))


def _mutants(values: list[Any]) -> Iterator[str]:
    """Yield texts of a file in which one place is missing, or is one of the next values in turn."""
    places = [(number, place) for number, value in enumerate(values) for place in _places(value)]
    lines, turn = [*map(json.dumps, values)], cycle(VALUES)
    for number, place in random.Random(0).sample(places, min(PLACES, len(places))):
        for new in [KeyError, *islice(turn, 3)]:
            mutant = json.loads(lines[number])
            at = mutant
            for key in place[:-1]:
                at = at[key]
            if new is KeyError:
                del at[place[-1]]
            else:
                at[place[-1]] = new
            yield "\n".join([*lines[:number], json.dumps(mutant), *lines[number + 1 :]])


@pytest.mark.parametrize("file", FILES, ids=_name)
def test_a_field_that_is_missing_or_of_another_type_is_read_or_told_in_one_line(file: Path, tmp_path: Path):
    name = fd.read(file).format
    broken = tmp_path / file.name
    for mutant in _mutants(_values(file)):
        broken.write_text(mutant, "utf-8")
        try:
            read = fd.read(broken, as_=name)
        except FiducialError as error:
            told = [str(error)]
        else:
            told = [f"{skipped.file}: {skipped.reason}" for skipped in read.skipped]
        assert all("\n" not in line and str(tmp_path) in line for line in told)


@pytest.mark.parametrize("file", FILES, ids=_name)
def test_a_file_that_is_cut_off_is_told_in_one_line_with_its_name(file: Path, tmp_path: Path):
    name = fd.read(file).format
    text = file.read_text("utf-8").rstrip()
    broken = tmp_path / file.name
    for share in (0.3, 0.7, 0.99):
        broken.write_text(text[: int(len(text) * share)], "utf-8")
        try:
            told = [
                f"{skipped.file}:{skipped.line}: {skipped.reason}"
                for skipped in fd.read(broken, as_=name).skipped
            ]
        except InputError as error:
            told = [str(error)]
        assert any("not JSON" in line for line in told), told
        assert all(str(broken) in line and "\n" not in line for line in told)


@pytest.mark.parametrize("file", BINARY, ids=_name)
def test_a_file_with_any_bytes_changed_or_cut_off_is_read_or_told_in_one_line(file: Path, tmp_path: Path):
    name, raw, chance = fd.read(file).format, file.read_bytes(), random.Random(0)
    broken = tmp_path / file.name
    damaged = [raw[: int(len(raw) * share)] for share in (0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99)]
    for _ in range(200):
        copied = bytearray(raw)
        for _ in range(chance.choice((1, 1, 3))):
            copied[chance.randrange(len(copied))] = chance.randrange(256)
        damaged.append(bytes(copied))
    told: list[str] = []
    for each in damaged:
        broken.write_bytes(each)
        try:
            fd.read(broken, as_=name)
        except FiducialError as error:
            told.append(str(error))
    assert len(told) > 1
    assert [line for line in told if "\n" in line or str(broken) not in line] == []


@pytest.mark.slow
def test_a_hundred_thousand_rows_are_read_row_by_row(tmp_path: Path):
    path = tmp_path / "rows.csv"
    with path.open("w", encoding="utf-8") as file:
        file.write("query,response,score\n")
        file.writelines(f"Question {number}?,Answer {number},{number % 2}\n" for number in range(100_000))
    read = fd.read(path)
    assert (len(list(read.cases)), len(list(read.outputs)), len(read.skipped)) == (100_000, 100_000, 0)
