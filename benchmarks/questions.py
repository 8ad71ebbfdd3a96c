"""Clicks, pixels and seconds to the answers of a reader's questions, on a messy run.

    PYTHONPATH=tests/support .venv-browser/bin/python benchmarks/questions.py [--outputs 4947]

Needs Chromium, its driver and selenium: `make browser` brings selenium. Another version is measured by putting it first on PYTHONPATH.
"""

from __future__ import annotations

import os
import platform
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from chromium import chromium
from commands import described
from messy_run import SYSTEMS, messy_run
from reader_questions import efforts

import fiducial as fd

# pyright: reportMissingImports=false, reportUnknownVariableType=false, reportUnknownMemberType=false


def main() -> None:
    """Make the pages, and ask the questions in a browser."""
    parser = described(__doc__)
    parser.add_argument("--outputs", type=int, default=4_947)
    cases = round(parser.parse_args().outputs / len(SYSTEMS) / 0.98)
    print(
        f"{datetime.now(UTC):%Y-%m-%d}, {os.cpu_count()} cores (load {os.getloadavg()[0]:.0f}), Python {platform.python_version()}"
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        before, after = messy_run(folder / "before", cases), messy_run(folder / "after", cases, worse=True)
        pages = {
            "report": before.report(folder / "report.html"),
            "two-runs": fd.diff(before, after).report(folder / "two-runs.html"),
        }
        (folder / "browser").mkdir()
        with chromium(folder / "browser") as browser:
            for question, each in efforts(browser, pages).items():
                answered = "" if each.found else ", not answered"
                print(f"{question}: {each.clicks} clicks, {each.pixels} px, {each.seconds:.1f} s{answered}")


if __name__ == "__main__":
    main()
