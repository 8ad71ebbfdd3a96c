"""Measure an installation into an empty environment, and run the demo there.

Measured: distributions, megabytes and seconds.

    python benchmarks/install.py [--extras promptflow,tables] [--revision REV]

Builds a wheel of the working tree, or of a revision, and installs it with what it needs. pip itself is not counted.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from commands import ROOT, described

_PIP = ("-m", "pip", "--disable-pip-version-check", "-q")


def build_wheel(folder: Path, revision: str | None) -> Path:
    """Build a wheel of the working tree or of a revision."""
    source = ROOT
    if revision is not None:
        source = folder / "source"
        subprocess.run(["git", "clone", "-q", str(ROOT), str(source)], check=True)
        subprocess.run(["git", "-C", str(source), "checkout", "-q", revision], check=True)
    subprocess.run([sys.executable, *_PIP, "wheel", "--no-deps", "-w", str(folder), str(source)], check=True)
    (wheel,) = folder.glob("fiducial_eval-*.whl")
    return wheel


def size_of(folder: Path) -> float:
    """Return the megabytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def main() -> None:
    """Print one line: distributions, megabytes, seconds and the demo's exit code."""
    parser = described(__doc__)
    parser.add_argument("--extras", default="", help="separated by commas")
    parser.add_argument("--revision", help="a commit; the working tree by default")
    arguments = parser.parse_args()
    with TemporaryDirectory() as name:
        folder = Path(name)
        wheel = build_wheel(folder, arguments.revision)
        subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
        python = folder / "venv" / "bin" / "python"
        (packages,) = (folder / "venv").glob("lib/python*/site-packages")
        before = size_of(packages)
        begun = time.monotonic()
        wanted = f"{wheel}[{arguments.extras}]" if arguments.extras else str(wheel)
        subprocess.run([str(python), *_PIP, "install", wanted], check=True)
        seconds = time.monotonic() - begun
        there = [
            path for path in packages.glob("*.dist-info") if not path.name.startswith(("pip-", "setuptools-"))
        ]
        demo = subprocess.run(
            [str(python.with_name("fiducial")), "demo", "--out", str(folder / "demo")],
            check=False,
            capture_output=True,
        )
        print(
            f"{len(there)} distributions, {size_of(packages) - before:.0f} MB, {seconds:.0f} s; "
            f"fiducial demo: exit {demo.returncode}"
        )


if __name__ == "__main__":
    main()
