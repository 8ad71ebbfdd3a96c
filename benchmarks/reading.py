"""Speed of reading records, and the cost of refusing duplicate keys.

The same files are read with that look and without, in turn; the least processor time of several passes counts.

    python benchmarks/reading.py [PASSES]
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from fiducial.records import Output, ToolCall, Verdict, encode_record, read_numbered

ROWS = 40_000


def verdicts() -> Iterator[Verdict]:
    """Half of them right, half of them wrong in one argument."""
    for number in range(ROWS):
        right = number % 2 == 1
        yield Verdict(
            case_id=f"case-{number}",
            system="a-system",
            by="ast/bfcl",
            source="checker",
            outcome="graded",
            score=float(right),
            error_type=None if right else "value_error:string",
            reason=None if right else "argument city: got 'Romme', acceptable 'Rome', 'Roma'",
            evidence={} if right else {"argument": "city", "expected": ["Rome", "Roma"], "got": "Romme"},
        )


def outputs(**fields: Any) -> Iterator[Output]:
    """Yield one answer to every case."""
    return (Output(case_id=f"case-{number}", system="a-system", **fields) for number in range(ROWS))


def files(folder: Path) -> Iterator[tuple[str, Path, type[Any]]]:
    """Yield the files to read: in our layout, and one in another program's."""
    calls = [
        ToolCall(name="book", arguments={"city": "Rome"}),
        ToolCall(name="book", arguments='{"city": "Roma"}'),
    ]
    kinds: dict[str, Sequence[Any]] = {
        "verdicts": list(verdicts()),
        "texts": list(outputs(text="some words: " * 30)),
        "calls": list(outputs(tool_calls=calls)),
    }
    for name, records in kinds.items():
        path = folder / f"{name}.jsonl"
        path.write_bytes(b"".join(map(encode_record, records)))
        yield name, path, type(records[0])
    path = folder / "verdicts of others.jsonl"
    rows = ({**msgspec.to_builtins(record), "trial": 0} for record in kinds["verdicts"])
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    yield path.stem, path, Verdict


def seconds(path: Path, kind: type[Any], *, validated: bool) -> float:
    """Processor time of one pass."""
    begin = time.process_time()
    for _ in read_numbered(path, kind, validated=validated):
        pass
    return time.process_time() - begin


def main() -> None:
    """Print a line a file."""
    passes = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    with tempfile.TemporaryDirectory() as folder:
        for name, path, kind in files(Path(folder)):
            times = [
                (seconds(path, kind, validated=True), seconds(path, kind, validated=False))
                for _ in range(passes)
            ]
            without, looked = (min(column) for column in zip(*times, strict=True))
            print(
                f"{name:20} {ROWS / looked:>9,.0f} rows/s, {looked / without - 1:+.0%} for keys that stand twice"
            )


if __name__ == "__main__":
    main()
