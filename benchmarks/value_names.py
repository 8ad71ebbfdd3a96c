"""List the names that values of a command line have on their way to the plan of a run.

    python benchmarks/value_names.py

``fiducial run --labels FILE`` runs in a process of its own. Each function of the package that returns before the plan is carried
out is asked which of its variables hold the mapping of all options, and which hold the path of the labels.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from commands import ROOT
from paths import two_outputs

_TRACED = """
import json, sys
root, report, labels, *arguments = sys.argv[1:]
names = {"all options": set(), "one value": set()}
def note(frame, event, _):
    code = frame.f_code
    file = code.co_filename
    if event != "return" or not file.startswith(root) or "site-packages" in file or code.co_name == "<module>":
        return
    if code.co_name == "_judge":
        sys.setprofile(None)
        return
    for name, value in list(frame.f_locals.items()):
        if isinstance(value, dict) and {"labels", "judges", "repeats"} <= value.keys() and not name.startswith("__"):
            names["all options"].add(name)
        elif str(value) == labels if isinstance(value, str) or hasattr(value, "__fspath__") else False:
            names["one value"].add(name)
sys.argv = ["fiducial", *arguments]
try:
    from fiducial.cli.main import main
    sys.setprofile(note)
    main()
except SystemExit:
    pass
finally:
    sys.setprofile(None)
    open(report, "w").write(json.dumps({what: sorted(each) for what, each in names.items()}))
"""


def names_on_the_way() -> dict[str, list[str]]:
    """Return the names of the mapping of all options, and those of one option's value."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        cases, outputs = two_outputs(folder)
        labels, report = folder / "labels.jsonl", folder / "report"
        label = {"case_id": "trip", "system": "s0", "by": "me", "source": "human", "outcome": "graded"}
        labels.write_text(json.dumps(label | {"score": 1.0}) + "\n", encoding="utf-8")
        command = ["run", cases, "--outputs", outputs, "--judge", "tool_call_accuracy", "--model", "baseline"]
        command += ["--labels", str(labels), "--out", str(folder / "run")]
        subprocess.run(
            [sys.executable, "-c", _TRACED, f"{ROOT}/", str(report), str(labels), *command],
            check=True,
            capture_output=True,
        )
        return json.loads(report.read_text(encoding="utf-8"))


def main() -> None:
    """Print the names."""
    for what, names in names_on_the_way().items():
        print(f"{what}: {len(names)} ({', '.join(names)})")


if __name__ == "__main__":
    main()
