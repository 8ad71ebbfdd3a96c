"""Cost of checking, running and resuming with nothing left to do.

    python benchmarks/run_folders.py 10000 100000

Seconds of processor and peak memory of the whole command, start and imports included; wall time says more of who else is at work.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from commands import FIDUCIAL, run_to_end

_CALL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather in a city.",
        "parameters": {
            "type": "dict",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city"],
        },
    },
}


def write_inputs(folder: Path, outputs: int) -> None:
    """A tenth as many cases as outputs, at most 10,000; every fourth output is wrong."""
    cases = max(1, min(outputs // 10, 10_000))
    with (folder / "cases.jsonl").open("w") as file:
        for number in range(cases):
            case = {
                "id": f"case-{number}",
                "kind": "tool_call",
                "messages": [{"role": "user", "content": f"How is the weather in City{number}?"}],
                "tools": [_CALL],
                "reference": {"calls": [{"get_weather": {"city": [f"City{number}"], "days": [2, ""]}}]},
                "cluster": f"cluster-{number // 3}",
            }
            file.write(f"{json.dumps(case)}\n")
    with (folder / "outputs.jsonl").open("w") as file:
        for number in range(outputs):
            attempt, case = divmod(number, cases)
            city = "Atlantis" if number % 4 == 0 else f"City{case}"
            output = {
                "case_id": f"case-{case}",
                "system": f"system-{attempt % 10}",
                "trial": attempt // 10,
                "text": f'[get_weather(city="{city}", days=2)]',
            }
            file.write(f"{json.dumps(output)}\n")


def main() -> None:
    """Print a table."""
    sizes = [int(size) for size in sys.argv[1:]] or [10_000, 100_000]
    judge = ("--judge", "tool_call_accuracy@baseline", "--judge-on", "all")
    run = ("run", "cases.jsonl", "--outputs", "outputs.jsonl", "--out", "run")
    commands = {
        "check": ("check", "cases.jsonl", "--outputs", "outputs.jsonl", "--out", "checked.jsonl"),
        "run, with a judge that costs nothing": (*run, *judge),
        "the same again: nothing is left to do": (*run, *judge),
        "report": ("report", "run"),
        "calibrate": ("calibrate", "run"),
    }
    print(f"{'outputs':>9}  {'command':38}  {'wall':>7}  {'processor':>9}  {'memory':>7}")
    for size in sizes:
        with TemporaryDirectory() as scratch:
            write_inputs(Path(scratch), size)
            for name, command in commands.items():
                wall, processor, memory = run_to_end([FIDUCIAL, *command], Path(scratch))
                print(
                    f"{size:>9,}  {name:38}  {wall:5.1f} s  {processor:7.1f} s  {memory:4.0f} MB", flush=True
                )


if __name__ == "__main__":
    main()
