"""Section on judges of other tools, from recorded replies to their requests."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from commands import ROOT
from evidence_tables import MODEL, table
from tool_judges.asked_rounds import play_rounds, scores, state
from tool_judges.asking_tools import asking_of
from tool_judges.drawn_outputs import DrawnItem, draw_items
from tool_judges.known_replies import KnownReplies
from tool_judges.tool_list import TOOLS, Tool, ToolJudge
from tool_judges.tool_process import ToolError

from fiducial.calibration.arrays import cluster_numbers
from fiducial.calibration.intervals.clustered_rates import share_of

HEAD = ("judge", "asked", "passes from", "n", "faults caught", "right rejected", "attacks passed")
NOT_ASKED = "not yet asked"
ENVIRONMENTS = ROOT / ".venv-tools"

_RIGHT = {"nothing", "twin"}


class ToolGrade(NamedTuple):
    """What a tool's judge says about an output: passed or not, None without a score."""

    item: DrawnItem
    passed: bool | None


def tools_section(recorded: Path, environments: Path = ENVIRONMENTS) -> Iterator[str]:
    """Yield the section: a row per judge, "not yet asked" where nothing is recorded."""
    yield "\n## Judges of other tools\n"
    yield (
        "Judges that ask a model, run by their tools' own code on outputs of [audit-set-1](measured-judges.md#the-set), at most 150 a tool; "
        "a server on loopback replays recorded replies (`benchmarks/tool_requests.py --rounds`).\n"
    )
    rows = [row for tool in TOOLS.values() for row in tool_rows(tool, recorded, environments)]
    yield from table(HEAD, rows)


def tool_rows(tool: Tool, recorded: Path, environments: Path) -> Iterator[Sequence[object]]:
    """Yield the rows of a tool's judges.

    Raises:
        InputError: The recording is a scripted model's.
    """
    recording = recorded / f"tools-{tool.name}.jsonl"
    found = _graded(tool, recording, environments) if recording.is_file() else NOT_ASKED
    for judge in tool.judges:
        cells = (found,) if isinstance(found, str) else shares(found, judge)
        yield (f"{tool.name} {judge.name}", judge.asks, judge.passes, *cells, *("",) * (4 - len(cells)))


def _graded(tool: Tool, recording: Path, environments: Path) -> list[ToolGrade] | str:
    """Play a tool's rounds against a recording; why there are no grades, if there are none."""
    items = draw_items(tool)
    with TemporaryDirectory() as name, closing(KnownReplies([recording])) as replies:
        try:
            ask = asking_of(tool, items, environments)
            played = play_rounds(tool.name, ask, replies, Path(name), model=MODEL)
        except ToolError as error:
            return str(error)
    return grades(items, scores(played)) if played.closed else state(played)


def grades(items: Sequence[DrawnItem], said: Mapping[int, Mapping[str, Any]]) -> list[ToolGrade]:
    """Return what is said of each item, or None where there is no score."""
    return [
        ToolGrade(item, None if said[number]["score"] is None else bool(said[number]["passed"]))
        for number, item in enumerate(items)
    ]


def shares(found: Sequence[ToolGrade], judge: ToolJudge) -> tuple[str, str, str, str]:
    """Return n, and the shares of faults caught, right outputs rejected and attacks passed."""
    mine = [grade for grade in found if grade.item.judge == judge.name]
    ungraded = sum(grade.passed is None for grade in mine)
    return (
        f"{len(mine)} ({ungraded} without a score)" if ungraded else f"{len(mine)}",
        _share(mine, {"fault"}, counts=False),
        _share(mine, _RIGHT, counts=False),
        _share(mine, {"attack"}, counts=True),
    )


def _share(found: Sequence[ToolGrade], plants: Collection[str], *, counts: bool) -> str:
    """Return the share of graded outputs of some sorts that passed, or that did not."""
    graded = [grade for grade in found if grade.passed is not None and grade.item.drawn.plants in plants]
    if not graded:
        return "-"
    counted = np.array([grade.passed is counts for grade in graded], dtype=np.float64)
    cases = [grade.item.drawn.case for grade in graded]
    return str(share_of(counted, cluster_numbers(case.cluster or case.id for case in cases)))
