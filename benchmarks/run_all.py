"""Run every benchmark in turn, skipping those whose reference data is missing.

    python benchmarks/run_all.py [--peers FOLDER]

Other tools are measured beside ours only where FOLDER is named (`make bench PEERS=FOLDER`): they are installed there, and take a quarter of an hour.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

from commands import described

HERE = Path(__file__).parent
SCRIPTS = ["startup.py", "reading.py", "calibration.py", "decision_throughput.py"]
NEED_REFERENCE = [
    "checkers.py",
    "fuzz_decoders.py",
    "multi_turn.py",
    "mutation.py",
    "reference_values.py",
    "generation_replay.py",
    "generate_throughput.py",
    "judge_throughput.py",
    "judge_faults.py",
]
PEERS = "peers.py"


def main() -> int:
    """Run them; the exit code is the number that failed."""
    parser = described(__doc__)
    parser.add_argument(
        "--peers", type=Path, metavar="FOLDER", help="where other tools are, or are to be, installed"
    )
    peers: Path | None = parser.parse_args().peers
    print(f"python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}", flush=True)
    failed = 0
    for name in [*SCRIPTS, *NEED_REFERENCE, PEERS]:
        print(f"\n== {name}", flush=True)
        if name not in SCRIPTS and not os.environ.get("FIDUCIAL_REFERENCE"):
            print("not run: set FIDUCIAL_REFERENCE to the folder of reference data")
        elif name == PEERS and peers is None:
            print("not run: name a folder to install other tools in (make bench PEERS=FOLDER)")
        else:
            options = ["--environments", str(peers)] if name == PEERS else []
            failed += subprocess.run([sys.executable, HERE / name, *options], check=False).returncode != 0
    return failed


if __name__ == "__main__":
    sys.exit(main())
