"""A list in a file of lines is a list, whatever the file's name."""

from __future__ import annotations

import json
from pathlib import Path

from each_row import each_row

import fiducial as fd

ROWS = [{"item_id": str(number), "judge": "j", "score": number % 2, "label": 1} for number in range(6)]
ANSWERS = [{"question": f"{number}?", "answer": "a", "expected": "a"} for number in range(6)]


@each_row("indent", [None, 2])
@each_row("name", ["rows.jsonl", "rows.json", "rows.ndjson"])
def test_an_array_is_read_by_calibrate_and_import(name: str, indent: int | None, tmp_path: Path):
    path = tmp_path / name
    path.write_text(json.dumps(ROWS, indent=indent))
    assert fd.calibrate(path, replicates=200)["j"].n == 6
    path.write_text(json.dumps(ANSWERS, indent=indent))
    assert len(fd.read(path).outputs) == 6


def test_lines_that_are_lists_stay_lines(tmp_path: Path):
    path = tmp_path / "chats.jsonl"
    chat = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hello"}]
    path.write_text(f"{json.dumps(chat)}\n{json.dumps(chat)}\n")
    assert len(fd.read(path).outputs) == 2
    path.write_text(f"{json.dumps(chat)}\n")
    assert len(fd.read(path).outputs) == 1
