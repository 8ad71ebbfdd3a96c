"""Start-up time: import, --help, and a bare interpreter beside them."""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

from bytecode import compile_package

RUNS = 15
FIDUCIAL = shutil.which("fiducial", path=str(Path(sys.executable).parent)) or "fiducial"
COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "import fiducial": [sys.executable, "-c", "import fiducial"],
    "fiducial --help": [FIDUCIAL, "--help"],
    "fiducial check --help": [FIDUCIAL, "check", "--help"],
    "fiducial run --help": [FIDUCIAL, "run", "--help"],
}


def seconds(command: list[str]) -> float:
    """Wall time of one run."""
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start


def main() -> None:
    """Run the commands in turns, so that load affects all alike, and print medians."""
    compile_package()
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(RUNS + 1):
        for name, command in COMMANDS.items():
            times[name].append(seconds(command))
    print(f"start-up, median of {RUNS} runs (first one thrown away), seconds")
    for name, values in times.items():
        print(f"  {name:<24} {statistics.median(values[1:]):.3f}   (min {min(values[1:]):.3f})")


if __name__ == "__main__":
    main()
