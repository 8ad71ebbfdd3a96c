"""Count the files of the package that a command loads, and those whose functions it calls.

    python benchmarks/paths.py

Each command runs in a process of its own over two outputs of one case; `run` asks one judge at a server on the loopback.
A file counts as executed when one of its functions was called, not when it was merely imported.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from commands import ROOT
from provider_server import ProviderServer, in_the_form_asked_for

_TRACED = """
import runpy, sys, threading
root, report, *arguments = sys.argv[1:]
called = set()
def note(frame, event, _):
    if event == "call" and frame.f_code.co_name not in {"<module>", "<lambda>"}:
        called.add((frame.f_code.co_filename, frame.f_code.co_flags & 2))
threading.setprofile(note)
sys.setprofile(note)
sys.argv = ["fiducial", *arguments]
try:
    from fiducial.cli.main import main
    main()
except SystemExit:
    pass
finally:
    sys.setprofile(None)
    product = lambda name: name.startswith(root) and not name.startswith(root + "/.venv")
    executed = {name for name, local in called if local and product(name)}
    loaded = [name for name, module in sys.modules.items() if name.startswith("fiducial.") and getattr(module, "__file__", None)]
    open(report, "w").write(f"{len(executed)} {len(loaded)}")
"""


class Touched(NamedTuple):
    """Files that a command executed, and modules of the package that it loaded."""

    executed: int
    loaded: int


def touched(*arguments: str) -> Touched:
    """Run a command and count the files that it needed."""
    with TemporaryDirectory() as folder:
        report = Path(folder, "report")
        subprocess.run(
            [sys.executable, "-c", _TRACED, str(ROOT), str(report), *arguments],
            check=True,
            capture_output=True,
        )
        executed, loaded = map(int, report.read_text(encoding="utf-8").split())
    return Touched(executed, loaded)


def two_outputs(folder: Path) -> tuple[str, str]:
    """Write one tool-call case with a right and a wrong output; return both paths."""
    tool = {
        "type": "function",
        "function": {
            "name": "book",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}},
                "required": ["city"],
            },
        },
    }
    case = {
        "id": "trip",
        "kind": "tool_call",
        "messages": [{"role": "user", "content": "Book Rome."}],
        "tools": [tool],
        "reference": {"calls": [{"name": "book", "arguments": {"city": "Rome"}}]},
    }
    cases, outputs = folder / "cases.jsonl", folder / "outputs.jsonl"
    cases.write_text(json.dumps(case) + "\n", encoding="utf-8")
    calls = [{"name": "book", "arguments": {"city": city}} for city in ("Rome", "Oslo")]
    lines = [
        json.dumps({"case_id": "trip", "system": f"s{number}", "tool_calls": [call]})
        for number, call in enumerate(calls)
    ]
    outputs.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(cases), str(outputs)


def measured() -> Iterator[tuple[str, Touched]]:
    """Yield the name of each command and what it touched."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        cases, outputs = two_outputs(folder)
        yield "check", touched("check", cases, "--outputs", outputs, "--out", str(folder / "verdicts.jsonl"))
        with ProviderServer() as server:
            server.script = in_the_form_asked_for()
            judged = ("--judge", "tool_call_accuracy", "--judge-on", "all", "--model", "m")
            reached = ("--base-url", server.base_url, "--no-cache")
            yield (
                "run",
                touched("run", cases, "--outputs", outputs, *judged, *reached, "--out", str(folder / "run")),
            )
        yield (
            "audit mutate",
            touched("audit", "mutate", cases, "--outputs", outputs, "--out", str(folder / "probes")),
        )


def main() -> None:
    """Print a line a command."""
    for name, found in measured():
        print(f"{name:13} {found.executed:4} files executed {found.loaded:4} modules loaded")


if __name__ == "__main__":
    main()
