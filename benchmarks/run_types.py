"""List the record types that the data of a run passes, from its options to its report.

    python benchmarks/run_types.py [FOLDER]

``fiducial run`` with one judge runs in a process of its own, from the package in FOLDER (this one by default). A type counts if it
is a record of the package (settings, struct, dataclass or named tuple) and a value of it is an argument or the result of a function
whose call is open when a request is made, a reply is read, a verdict is stored or counted, or the page is written.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from commands import ROOT
from paths import two_outputs
from provider_server import ProviderServer, in_the_form_asked_for

_TRACED = """
import json, sys, threading
root, report, *arguments = sys.argv[1:]
moments = {
    "judges/transport/exchange.py make_request",
    "judges/reply_verdicts.py read_reply",
    "evaluation/store/journal.py VerdictJournal.append_line",
    "evaluation/conclusion/running_counts.py Sums.add",
    "evaluation/conclusion/conclude.py _use",
    "report/html.py write_report",
}
types, frames = {}, {}
def place_of(frame):
    code = frame.f_code
    own = code.co_filename.startswith(root) and "/.venv/" not in code.co_filename
    return f"{code.co_filename.removeprefix(root)} {code.co_qualname}" if own else None
def is_record(kind):
    own = kind.__module__.startswith("fiducial.")
    marks = ("__struct_fields__", "__dataclass_fields__", "_fields")
    return own and (kind.__name__.endswith("Settings") or any(hasattr(kind, mark) for mark in marks))
def note_value(value, place):
    values = value if isinstance(value, list) else value.values() if isinstance(value, dict) else [value]
    for kind in {type(value) for value in values}:
        if is_record(kind) and kind.__name__ != "JudgeId":  # which names the judge on all of these
            types.setdefault(kind.__qualname__, place)
def note(frame, event, value):
    if event == "return" and id(frame) in frames:
        note_value(value, f"{place_of(frame)}: result")
    if event != "call" or place_of(frame) not in moments:
        return
    while frame is not None:
        if (place := place_of(frame)) is not None:
            frames[id(frame)] = frame  # kept, so that no other frame gets its id
            code = frame.f_code
            for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
                if name in frame.f_locals:
                    note_value(frame.f_locals[name], f"{place}: {name}")
        frame = frame.f_back
sys.argv = ["fiducial", *arguments]
try:
    from fiducial.cli.main import main
    threading.setprofile(note)
    sys.setprofile(note)
    main()
except SystemExit:
    pass
finally:
    sys.setprofile(None)
    open(report, "w").write(json.dumps(types))
"""


def types_of_a_run(package: Path = ROOT) -> dict[str, str]:
    """Return the types that the data of a run passes, and the function that first gets each."""
    with TemporaryDirectory() as name, ProviderServer() as server:
        folder = Path(name)
        cases, outputs = two_outputs(folder)
        server.script = in_the_form_asked_for()
        (folder / "fiducial").symlink_to(package)
        command = ["run", cases, "--outputs", outputs, "--judge", "tool_call_accuracy", "--judge-on", "all"]
        command += ["--model", "m", "--base-url", server.base_url, "--no-cache", "--out", str(folder / "run")]
        subprocess.run(
            [sys.executable, "-c", _TRACED, f"{folder}/fiducial/", str(folder / "report"), *command],
            check=True,
            capture_output=True,
            env=os.environ | {"PYTHONPATH": name},
        )
        return json.loads((folder / "report").read_text(encoding="utf-8"))


def main() -> None:
    """Print the types, and where each is first passed."""
    types = types_of_a_run(*map(Path, sys.argv[1:2]))
    for name, place in types.items():
        print(f"{name:20} {place}")
    print(f"{len(types)} types")


if __name__ == "__main__":
    main()
