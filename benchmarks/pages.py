"""Reports in a browser: weight, time to open and to search, and the first screen.

    PYTHONPATH=tests/support .venv-browser/bin/python benchmarks/pages.py [2000 50000 100000]

`--before FOLDER` opens pages that another version of the source there makes, in turns with this one's.

Needs Chromium, its driver and selenium: `make browser` brings selenium. Each size is a run of made-up tool calls by two systems, checked and reported by the command.
"""

from __future__ import annotations

import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from chromium import NARROW, WIDE, Browser, chromium
from commands import described

# pyright: reportMissingImports=false, reportUnknownVariableType=false, reportUnknownMemberType=false

TOOL = {
    "name": "book",
    "description": "Books a hotel room.",
    "parameters": {
        "type": "dict",
        "properties": {"city": {"type": "string"}, "nights": {"type": "integer"}},
        "required": ["city", "nights"],
    },
}
SYSTEMS = ("careful", "hasty")
ROWS = """
const rows = [...document.querySelectorAll('header.page > *, main > *:not(section), #answers > *:not(.answers), #answers article, #systems > *')];
return rows.map((each) => [each, each.getBoundingClientRect()])
  .filter(([, box]) => box.height > 0 && box.top < innerHeight)
  .map(([each, box]) => [Math.round(box.top), Math.round(Math.min(box.bottom, innerHeight)), each.innerText.replace(/\\s+/g, ' ').slice(0, 90)]);
"""


SEARCH = """
const [sought, done] = arguments;
const field = document.querySelector('#search');
const began = performance.now();
field.value = sought;
field.dispatchEvent(new Event('input', {bubbles: true}));
const look = () => /^[0-9,]+ of [0-9,]+(;|$)/.test(document.querySelector('#count').value) && location.hash.includes('q=')
  ? done(performance.now() - began) : setTimeout(look, 5);
look();
"""


def write_inputs(folder: Path, outputs: int) -> None:
    """Made-up cases, an output of each system for each, four fifths of them right."""
    draw = random.Random(0)  # noqa: S311 - made-up data
    cities = [f"City {number}" for number in range(500)]
    with (folder / "cases.jsonl").open("w") as cases, (folder / "outputs.jsonl").open("w") as answers:
        for number in range(outputs // len(SYSTEMS)):
            wanted = {"city": draw.choice(cities), "nights": draw.randint(1, 14)}
            asked = f"Please book {wanted['nights']} nights in {wanted['city']} for customer {number}."
            case = {
                "id": f"trip-{number}",
                "kind": "tool_call",
                "messages": [{"role": "user", "content": asked}],
                "tools": [TOOL],
                "reference": {"calls": [{"name": "book", "arguments": wanted}]},
                "tags": {"category": f"group {number % 7}"},
            }
            cases.write(json.dumps(case) + "\n")
            for system in SYSTEMS:
                given = wanted if draw.random() < 0.8 else {**wanted, "city": draw.choice(cities)}
                answers.write(
                    json.dumps(
                        {
                            "case_id": case["id"],
                            "system": system,
                            "tool_calls": [{"name": "book", "arguments": given}],
                        }
                    )
                    + "\n"
                )


def reported(folder: Path, outputs: int, source: Path | None = None) -> tuple[Path, float]:
    """Check and report them, by the command; the report and the seconds it took.

    ``source`` is the folder of another version of the package, or None for this one.
    """
    write_inputs(folder, outputs)
    environment = dict(os.environ)
    if source is not None:
        (folder / "lib").mkdir()
        (folder / "lib" / "fiducial").symlink_to(source.resolve())
        environment["PYTHONPATH"] = str(folder / "lib")
    command = [
        sys.executable,
        "-m",
        "fiducial",
        "run",
        "cases.jsonl",
        "--outputs",
        "outputs.jsonl",
        "--out",
        "run",
        "-q",
    ]
    began = time.monotonic()
    subprocess.run(command, cwd=folder, check=True, capture_output=True, env=environment)
    return folder / "run" / "report.html", time.monotonic() - began


def opened(browser: Browser, page: Path, sought: str) -> dict[str, Any]:
    """Return milliseconds until the page is painted, its items are listed, and a search is done.

    The search goes through all texts.
    """
    began = time.monotonic()
    browser.open(page)
    browser.until("return performance.getEntriesByName('first-contentful-paint').length > 0")
    timing = browser.run("return performance.getEntriesByType('navigation')[0].toJSON()")
    painted = browser.run("return performance.getEntriesByName('first-contentful-paint')[0].startTime")
    browser.until("return !document.querySelector('#browser').hidden")
    listed = time.monotonic() - began
    searched = browser.run_async(SEARCH, sought)
    return {
        "painted": painted,
        "loaded": timing["loadEventEnd"],
        "listed": 1000 * listed,
        "searched": searched,
        "found": browser.run("return document.querySelector('#count').value"),
    }


def first_screen(browser: Browser, page: Path) -> Iterator[str]:
    """Yield the elements of the first screen with their rows of pixels."""
    for width, height in (WIDE, NARROW):
        browser.open(page, size=(width, height))
        yield f"{width} x {height}"
        yield from (f"  {top:>4} to {bottom:>4}  {text}" for top, bottom, text in browser.run(ROWS))


Run = tuple[str, Path, float, str]
"""Title, page, the seconds it took to make, and what is searched."""


def measured(runs: Sequence[Run], times: int) -> Iterator[str]:
    """Open the pages in turns, each in a fresh browser; yield a line for each."""
    openings: dict[str, list[dict[str, Any]]] = {title: [] for title, *_ in runs}
    for _ in range(times):
        for title, page, _, sought in runs:
            with fresh_chromium() as browser:
                openings[title].append(opened(browser, page, sought))
    for title, page, seconds, _ in runs:
        found = openings[title]
        shown = ", ".join(
            f"{median(values):,.0f} ({min(values):,.0f})"
            for literal in ("painted", "loaded", "listed", "searched")
            for values in [[one[literal] for one in found]]
        )
        yield f"{title}; {seconds:.1f}; {page.stat().st_size / 1000:,.0f}; {shown}; {found[0]['found']}"


def main() -> None:
    """Measure the sizes that are asked for."""
    parser = described(__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=[2_000, 50_000, 100_000])
    parser.add_argument("--times", type=int, default=5, help="openings of each page, each in a fresh browser")
    parser.add_argument("--before", type=Path, help="folder of the source of another version")
    arguments = parser.parse_args()
    sizes = arguments.sizes
    load = os.getloadavg()[0]
    print(
        f"{datetime.now(UTC):%Y-%m-%d}, {os.cpu_count()} cores (load {load:.0f}), Python {platform.python_version()}"
    )
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        command = [sys.executable, "-m", "fiducial", "demo", "--out", "demo", "-q"]
        subprocess.run(command, cwd=place, check=True, capture_output=True)
        runs = [("demo", place / "demo" / "report.html", 0.0, "refund")]
        for size in sizes:
            folder = place / str(size)
            folder.mkdir()
            runs.append((f"{size:,}", *reported(folder, size), "customer 77"))
        if arguments.before:
            runs = [(f"{title}, now", page, seconds, sought) for title, page, seconds, sought in runs[1:]]
            for size in sizes:
                folder = place / f"{size}-before"
                folder.mkdir()
                made = reported(folder, size, arguments.before)
                runs.append((f"{size:,}, before", *made, "customer 77"))
        with fresh_chromium() as browser:
            print("\n".join(first_screen(browser, runs[0][1])))
        print(
            f"outputs; seconds to check and report; kB; milliseconds until painted, loaded, listed, of a search: median (least) of {arguments.times}"
        )
        print("\n".join(measured(runs, arguments.times)))


@contextmanager
def fresh_chromium() -> Generator[Browser]:
    """A browser that has seen no page yet."""
    with tempfile.TemporaryDirectory() as profile, chromium(Path(profile)) as browser:
        yield browser


if __name__ == "__main__":
    main()
