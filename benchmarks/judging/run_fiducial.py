"""A runner of the peers' benchmark kit: fiducial, by its library or by its command.

Arguments are those that every runner takes (``--base-url --items --concurrency --out --work --cache``); ``FIDUCIAL_RUN=command`` runs
``fiducial judge`` with its run folder, statistics and report instead of the library. The last line is the result, in the kit's form.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(os.environ["FIDUCIAL_REFERENCE"]) / "perf" / "runners"))

import common  # pyright: ignore[reportMissingImports] - the kit's

PROMPT = str(Path(__file__).with_name("correct.prompty"))
MODEL = "judge-s2"


async def by_library(arguments: Any, counts: Counter[str]) -> dict[str, float | None]:
    """Judge a stream of items."""
    from fiducial.judges import Endpoint, connect, judge_work, load_judge  # noqa: PLC0415 - is measured

    judge = load_judge(PROMPT, model=MODEL)
    scores: dict[str, float | None] = {}
    async with connect(
        Endpoint(arguments.base_url, "none"),
        concurrency=arguments.concurrency,
        cache=Path(arguments.work) / "replies.sqlite" if arguments.cache else None,
    ) as provider:
        work = ((case, output, 0) for case, output in pairs(arguments.data))
        stream = judge_work(work, judge, provider, concurrency=arguments.concurrency)
        async for verdict in stream:
            scores[verdict.case_id] = verdict.score
            counts[verdict.outcome] += 1
            counts["reasked"] += verdict.usage.reasked if verdict.usage else 0
    return scores


def pairs(items: list[dict[str, Any]]) -> Iterator[tuple[Any, Any]]:
    """Items as cases with outputs."""
    from fiducial.records import Case, Output  # noqa: PLC0415 - is measured

    for item in items:
        case = Case(
            id=item["id"],
            kind="open_answer",
            messages=[{"role": "user", "content": item["input"]}],
            reference={"criterion": item["reference"]},
        )
        yield case, Output(case_id=case.id, system="agent", text=item["output"])


def by_command(arguments: Any, counts: Counter[str]) -> dict[str, float | None]:
    """Write the items as the files that the command reads, and run it."""
    from fiducial.cli.main import main  # noqa: PLC0415 - is measured
    from fiducial.records import Verdict, read_records, write_records  # noqa: PLC0415 - likewise

    work = Path(arguments.work).resolve()
    run = work / f"run-{os.getpid()}"
    write_records(work / "cases.jsonl", (case for case, _ in pairs(arguments.data)))
    write_records(work / "outputs.jsonl", (output for _, output in pairs(arguments.data)))
    cache = ["--cache", str(work / "replies.sqlite")] if arguments.cache else ["--no-cache"]
    sys.argv = ["fiducial", "judge", str(work / "cases.jsonl"), "--outputs", str(work / "outputs.jsonl")]
    sys.argv += ["--judge", PROMPT, "--model", MODEL, "--base-url", arguments.base_url, "--out", str(run)]
    sys.argv += ["--concurrency", str(arguments.concurrency), *cache]
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        try:
            main()
        except SystemExit as leave:
            counts[f"exit code {leave.code}"] += 1
    scores: dict[str, float | None] = {}
    for verdict in read_records(run / "verdicts.jsonl", Verdict):
        scores[verdict.case_id] = verdict.score
        counts[verdict.outcome] += 1
        counts["reasked"] += verdict.usage.reasked if verdict.usage else 0
    return scores


if __name__ == "__main__":
    kit: Any = common
    given = kit.args()
    begun = time.perf_counter()
    counted = Counter[str]()
    if os.environ.get("FIDUCIAL_RUN") == "command":
        found = by_command(given, counted)
    else:
        found = asyncio.run(by_library(given, counted))
    kit.done(given, "fiducial", found, begun, outcomes=json.loads(json.dumps(counted)))
