"""Requests of other tools' judges, each as the tool's own code sends it, round by round.

    python benchmarks/tool_requests.py --rounds [NAME...] [--model claude] [--replies FILE...] [--results FILE...] [--out requests/tools]

Each tool runs in an environment of its own (``.venv-tools/NAME``), installed when it is not there, and reaches nothing but a server on loopback. The server replays what is recorded; requests
without a reply are written as batch files (``requests/tools/ROUND/NAME.jsonl``). Have them answered, and run the same command with the replies (``--replies`` in the form of
``--record``, ``--results`` of a batch endpoint), until no request is open. Ids are hashes of what is asked of the model that ``--model`` names. A tool is asked about 150 outputs of the fixed audit
set at most, and sees no label. ``--scripted`` answers every round with a model that only keeps to the form: this shows that rounds close, and its replies are no evidence.
Without ``--rounds``, the tools and their judges are listed.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from commands import described
from tool_judges.asked_rounds import Played, play_rounds, scores, state
from tool_judges.asking_tools import asking_of
from tool_judges.drawn_outputs import ITEMS, DrawnItem, draw_items
from tool_judges.known_replies import KnownReplies
from tool_judges.scripted_replies import scripted_reply
from tool_judges.tool_list import TOOLS, Tool
from tool_judges.tool_process import ToolError

from fiducial.errors import FiducialError

MODEL = "claude"


def main() -> int:
    """Play the rounds of the tools that are named, or of all; returns the exit code."""
    parser = described(__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(TOOLS))
    parser.add_argument("--rounds", action="store_true")
    parser.add_argument("--scripted", action="store_true")
    parser.add_argument("--model", default=MODEL, help="model that the requests are for")
    parser.add_argument("--replies", type=Path, nargs="*", default=[], metavar="FILE")
    parser.add_argument("--results", type=Path, nargs="*", default=[], metavar="FILE")
    parser.add_argument("--out", type=Path, default=Path("requests/tools"))
    parser.add_argument("--environments", type=Path, default=Path(".venv-tools"))
    parser.add_argument(
        "--items", type=int, default=ITEMS, help="outputs that a tool is asked about, at most"
    )
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - TOOLS.keys():
        parser.error(f"no such tool: {', '.join(sorted(unknown))}")
    tools = [TOOLS[name] for name in arguments.names or TOOLS]
    print("\n".join(tool_lines(tools)) if not arguments.rounds else heading(arguments))
    try:
        failed = [not played(tool, arguments) for tool in tools] if arguments.rounds else []
    except FiducialError as error:
        print(error, file=sys.stderr)
        return 2
    return int(any(failed))


def tool_lines(tools: Sequence[Tool]) -> Iterator[str]:
    """Yield one row per judge."""
    for tool in tools:
        for judge in tool.judges:
            yield f"{tool.name} {judge.name}: {judge.asks} ({', '.join(judge.kinds)})"


def heading(arguments: Namespace) -> str:
    """Return the head of the table, with the date and the machine."""
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    model = "a scripted model" if arguments.scripted else f"the recorded replies of {arguments.model}"
    return (
        f"{datetime.now(tz=UTC):%d %B %Y} ({machine}), {model}\n\n"
        "| tool | items | requests by round | answered in the last | items with a verdict | seconds | state |\n"
        "|---|---|---|---|---|---|---|"
    )


def played(tool: Tool, arguments: Namespace) -> bool:
    """Play the rounds of a tool and print its row; returns whether its requests could be asked."""
    items = draw_items(tool, arguments.items)
    begun = time.monotonic()
    try:
        ask = asking_of(tool, items, arguments.environments)
        with closing(KnownReplies(arguments.replies, arguments.results)) as replies:
            scripted = scripted_reply if arguments.scripted else None
            found = play_rounds(
                tool.name, ask, replies, arguments.out, model=arguments.model, scripted=scripted
            )
    except ToolError as error:
        print(f"| {tool.name} | {len(items)} | - | - | - | - | {error} |", flush=True)
        return False
    print(row(tool, items, found, time.monotonic() - begun), flush=True)
    return True


def row(tool: Tool, items: Sequence[DrawnItem], found: Played, seconds: float) -> str:
    """Return a tool's row, followed by what it left ungraded and what was refused."""
    asked = ", ".join(f"{len(round_.requests):,}" for round_ in found.rounds) or "-"
    graded = sum(score["score"] is not None for score in scores(found).values())
    cells = (
        tool.name,
        len(items),
        asked,
        f"{found.answered:,}",
        f"{graded:,}",
        f"{seconds:.0f}",
        state(found),
    )
    lines = [f"| {' | '.join(map(str, cells))} |"]
    errors = Counter(
        " ".join(str(score["error"]).split()) for score in scores(found).values() if score["score"] is None
    )
    lines += [f"  {count} without a score: {error}" for error, count in errors.most_common(3)]
    lines += [f"  refused: {each}" for each in found.refused]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
