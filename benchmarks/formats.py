"""Speed and memory of reading other tools' files.

    python benchmarks/formats.py [--chats 1000000] [--rows 100000]

``--chats``: ``fiducial import openai`` of a log with that many lines (tools, calls, results, a final answer in every fourth), in a process of its own; and of a
tenth of it, to see whether memory grows. ``--rows``: every sample that has a record a line, repeated to that many lines, read and written.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from commands import described

_SAMPLES = Path(__file__).parents[1] / "tests" / "formats" / "samples"
_PER_LINE = {
    "azure": "azure/rows.jsonl",
    "openai": "openai_evals/dashboard_output_items.jsonl",
    "promptfoo": "promptfoo/results.jsonl",
    "langsmith": "langsmith/examples.jsonl",
    "phoenix": "phoenix/evaluate_dataframe.jsonl",
    "json": "hf/rows.jsonl",
}
_IDS = {"azure": "id", "openai": "data_source_idx", "promptfoo": "testIdx", "langsmith": "id", "json": "id"}


def chat(number: int) -> dict[str, Any]:
    """A logged chat, of the size that they have."""
    asked = {"role": "user", "content": f"What does article {number} cost, and is it in stock? " * 3}
    tool = {"type": "function", "function": {"name": "price", "parameters": {"type": "object", "properties": {"article": {"type": "integer"}}}}}  # fmt: skip
    answer = {"role": "assistant", "content": f"It costs {number % 100} euros and is in stock."}
    messages = [{"role": "system", "content": "You are a shop."}, asked]
    if number % 4 == 0:
        call = {
            "id": "c",
            "type": "function",
            "function": {"name": "price", "arguments": f'{{"article": {number}}}'},
        }
        messages += [{"role": "assistant", "content": None, "tool_calls": [call]}, {"role": "tool", "tool_call_id": "c", "content": "12"}]  # fmt: skip
    return {"model": "m", "messages": [*messages, answer], "tools": [tool]}


def rows(name: str, count: int) -> Iterator[dict[str, Any]]:
    """The lines of a sample, again and again, each with an id of its own."""
    lines = [
        json.loads(line) for line in (_SAMPLES / _PER_LINE[name]).read_text("utf-8").splitlines() if line
    ]
    for number in range(count):
        row = dict(lines[number % len(lines)])
        if name in _IDS:
            row[_IDS[name]] = number if _IDS[name] != "id" else str(number)
        yield row


def measured(source: str, log: Path, out: Path) -> tuple[float, int, dict[str, Any]]:
    """Import in a new process; return processor seconds, peak memory in MiB, and the summary."""
    code = (
        "import json, resource, sys, time\n"
        "from fiducial.api.reading import import_files\n"
        "import msgspec\n"
        "start = time.process_time()\n"
        "summary = import_files([sys.argv[2]], sys.argv[3], as_=sys.argv[1])\n"
        "seconds = time.process_time() - start\n"
        "peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024\n"
        "print(json.dumps([seconds, peak, msgspec.to_builtins(summary)]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, source, log, out], capture_output=True, text=True, check=True
    )
    seconds, peak, summary = json.loads(done.stdout)
    return seconds, peak, summary


def main() -> None:
    """Measure and print."""
    parser = described(__doc__)
    parser.add_argument("--chats", type=int, default=1_000_000)
    parser.add_argument("--rows", type=int, default=100_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for count in (given.chats // 10, given.chats):
            log = place / "log.jsonl"
            with log.open("w", encoding="utf-8") as file:
                file.writelines(json.dumps(chat(number)) + "\n" for number in range(count))
            seconds, peak, summary = measured("openai", log, place / "out")
            print(
                f"openai: {count:,} chats ({log.stat().st_size / 2**20:,.0f} MiB): {seconds:,.1f} s, "
                f"{count / seconds:,.0f} lines a second, peak {peak:,} MiB, kinds {summary['kinds']}"
            )
        for name in _PER_LINE if given.rows else ():
            log = place / "rows.jsonl"
            with log.open("w", encoding="utf-8") as file:
                file.writelines(json.dumps(row) + "\n" for row in rows(name, given.rows))
            seconds, peak, summary = measured(name, log, place / "out")
            told = sum(summary["kinds"].values()), sum(summary["outputs"].values()), summary["skipped"]
            print(
                f"{name}: {given.rows:,} rows: {seconds:,.1f} s, {given.rows / seconds:,.0f} rows a second, peak {peak:,} MiB; "
                f"{told[0]:,} cases, {told[1]:,} outputs, {told[2]:,} skipped"
            )


if __name__ == "__main__":
    main()
