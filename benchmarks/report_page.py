"""Size of reports and time to write them: the demo, and up to 100,000 made-up outputs.

python benchmarks/report_page.py
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fiducial as fd
from fiducial.cli.main import main

WORDS = [
    "refund",
    "order",
    "ticket",
    "flight",
    "hotel",
    "invoice",
    "customer",
    "address",
    "delivery",
    "status",
    "payment",
    "region",
    "report",
    "account",
    "seat",
]


def _cases(number: int, draw: random.Random) -> Iterator[fd.Case]:
    """Two of three ask for a call of one of three functions, the third for an answer."""
    for n in range(number):
        asked = [{"role": "user", "content": " ".join(draw.choices(WORDS, k=25))}]
        tags: dict[str, Any] = {"category": draw.choice("abcdefgh")}
        if n % 3:
            tools = [_tool(name, draw) for name in draw.sample(WORDS, 3)]
            reference = {
                "calls": [{"name": tools[0]["function"]["name"], "arguments": {"city": "Rome", "n": 3}}]
            }
            yield fd.Case(id=f"case-{n:06}", kind="tool_call", messages=[*asked], tools=tools, reference=reference, tags=tags)  # fmt: skip
        else:
            criterion = {"criterion": "It says what was asked."}
            yield fd.Case(
                id=f"case-{n:06}", kind="open_answer", messages=[*asked], reference=criterion, tags=tags
            )


def _tool(name: str, draw: random.Random) -> dict[str, dict[str, object]]:
    properties = {"city": {"type": "string", "description": "where"}, "n": {"type": "integer"}}
    about = f"Does {name} for the {draw.choice(WORDS)}."
    parameters = {"type": "object", "properties": properties, "required": ["city"]}
    return {"function": {"name": f"do_{name}", "description": about, "parameters": parameters}}


def _outputs(case: fd.Case, draw: random.Random) -> Iterator[fd.Output]:
    for system, right in (("alpha", 0.8), ("beta", 0.6)):
        if case.kind == "tool_call":
            city = "Rome" if draw.random() < right else draw.choice(WORDS)
            made = fd.ToolCall(name=str(case.tools[0]["function"]["name"]), arguments={"city": city, "n": 3})
            yield fd.Output(case_id=case.id, system=system, tool_calls=[made])
        else:
            yield fd.Output(case_id=case.id, system=system, text=" ".join(draw.choices(WORDS, k=60)))


def _told(name: str, run: fd.Run, page: Path) -> None:
    started, clock = time.process_time(), time.perf_counter()
    run.report(page)
    spent, waited = time.process_time() - started, time.perf_counter() - clock
    print(f"{name:>16}  {page.stat().st_size:>10,} bytes  {spent:6.2f} s of processor  {waited:6.2f} s")


def measure() -> None:
    """Print a line a run."""
    with tempfile.TemporaryDirectory() as folder:
        demo = Path(folder) / "demo"
        sys.argv = ["fiducial", "demo", "--out", str(demo), "-q"]
        try:
            main()
        except SystemExit:
            _told("demo", fd.load_run(demo), demo / "again.html")
        for number in (2_000, 100_000):
            draw = random.Random(1)  # noqa: S311 - made-up data
            cases = list(_cases(number // 2, draw))
            outputs = [output for case in cases for output in _outputs(case, draw)]
            run = fd.evaluate(cases, outputs, out=Path(folder) / str(number), progress=False)
            _told(f"{number:,} outputs", run, Path(folder) / str(number) / "report.html")


if __name__ == "__main__":
    measure()
