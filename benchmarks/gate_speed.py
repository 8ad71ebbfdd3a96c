"""`fiducial gate` beside `fiducial report` on two runs of 10,000 outputs.

    python benchmarks/gate_speed.py [--outputs 10000] [--rounds 5]

The commands run in turns, so that load affects both alike. Prints processor seconds and their ratio, with runs that checkers decide and
runs that a judge grades.
"""

from __future__ import annotations

import platform
import statistics
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from commands import FIDUCIAL, described, run_to_end

import fiducial as fd


def _runs(folder: Path, outputs: int, *, judged: bool) -> tuple[str, str]:
    cases = [
        {
            "id": f"c{n:06}",
            "kind": "memory_answer",
            "messages": [{"role": "user", "content": f"Where is {n}?"}],
            "reference": {"answers": [f"place {n} in Rome"]},
        }
        for n in range(outputs)
    ]
    paths: list[str] = []
    for name, wrong in (("before", 10), ("after", 9)):
        answers = [
            {
                "case_id": f"c{n:06}",
                "system": "agent",
                "text": "nowhere"
                if n % wrong == 0
                else f"place {n} in Rome"
                if n % 2
                else f"It is in Rome, {n}.",
            }
            for n in range(outputs)
        ]
        judges = [fd.judge("memory_answer", model="baseline")] if judged else []
        path = folder / f"{name}-{'judged' if judged else 'checked'}"
        fd.evaluate(cases, answers, judges=judges, out=path, progress=False)
        paths.append(str(path))
    return paths[0], paths[1]


def main() -> None:
    """Measure both commands, and print the medians."""
    parser = described(__doc__)
    parser.add_argument("--outputs", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    print(time.strftime("%d %B %Y"), platform.machine(), f"Python {platform.python_version()}")
    with tempfile.TemporaryDirectory() as folder:
        for judged in (False, True):
            runs = _runs(Path(folder), arguments.outputs, judged=judged)
            commands: Mapping[str, list[str]] = {
                "report": [FIDUCIAL, "report", *runs, "--json", "-"],
                "gate": [
                    FIDUCIAL,
                    "gate",
                    *runs,
                    "--max-drop",
                    "0.5",
                    "--cannot-tell",
                    "pass",
                    "--json",
                    "-",
                ],
            }
            used: dict[str, list[float]] = {name: [] for name in commands}
            for _ in range(arguments.rounds):
                for name, command in commands.items():
                    used[name].append(run_to_end(command, Path(folder)).processor)
            medians = {name: statistics.median(each) for name, each in used.items()}
            kind = "half of them judged" if judged else "checked"
            for name, each in used.items():
                print(f"{kind}: {name} {' '.join(f'{seconds:.2f}' for seconds in each)} s")
            print(f"{kind}: gate / report {medians['gate'] / medians['report']:.2f}")


if __name__ == "__main__":
    main()
