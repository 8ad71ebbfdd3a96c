"""Run every benchmark here, one after the other; what needs reference data says so and is passed over without it."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
SCRIPTS = ["startup.py"]
NEED_REFERENCE = [
    "checkers.py",
    "fuzz_decoders.py",
    "multi_turn.py",
    "mutation.py",
    "calibration.py",
    "judge_throughput.py",
    "judge_faults.py",
    "peers.py",
]


def main() -> int:
    """Run them; the exit code is the number that failed."""
    print(f"python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}", flush=True)
    failed = 0
    for name in SCRIPTS + NEED_REFERENCE:
        if not (HERE / name).exists():
            continue
        print(f"\n== {name}", flush=True)
        if name in NEED_REFERENCE and not os.environ.get("FIDUCIAL_REFERENCE"):
            print("not run: set FIDUCIAL_REFERENCE to the folder of reference data")
            continue
        failed += subprocess.run([sys.executable, HERE / name], check=False).returncode != 0
    return failed


if __name__ == "__main__":
    sys.exit(main())
