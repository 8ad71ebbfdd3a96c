"""Recorded replies of two real models, given by a provider on loopback, must lead `fiducial bfcl generate` to the same results.

    FIDUCIAL_REFERENCE=... python benchmarks/generation_replay.py

The provider answers with exactly the recorded replies, in order: it knows a new entry by a request without an assistant's message,
and checks that it is the entry whose turn it is. What is generated is compared with the record reply by reply, what the
worlds are at the end with the recorded calls executed in fresh ones, and what `fiducial bfcl score` says with the official verdicts.
An entry whose recorded call failed (HTTP 500 after retries) is answered by the same failure.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from provider_server import Answer, ProviderServer, Response, Seen, Status

from fiducial.deterministic.multi_turn.call_execution import original_executor
from fiducial.deterministic.multi_turn.reference import scenario_of
from fiducial.deterministic.multi_turn.worlds import state_of
from fiducial.evaluation.bfcl import ScoringOptions, score_tree
from fiducial.evaluation.bfcl.generation import generate_tree
from fiducial.evaluation.generation.model_agent import ModelSettings
from fiducial.evaluation.generation.scene import Converse, Scene, SimulatedWorlds, WorldScene
from fiducial.evaluation.generation.sources import model_source
from fiducial.evaluation.judging.access import ModelAccess
from fiducial.evaluation.progress import Silent
from fiducial.formats.bfcl import CATEGORIES, Category, assemble_prompt, find_results, open_source, read_cases
from fiducial.judges import Endpoint
from fiducial.records import Case

_ERROR = "Error during inference: "

SYSTEMS = {
    "gpt-oss-20b-harmony-fixes": ("v4_gpt_oss", "tools"),
    "meta-llama_Llama-3.1-8B-Instruct": ("v3_open_8b", "prompt"),
}
"""Each system with its folder, and the way in which it was asked."""


@dataclass
class Compared:
    """What a comparison came to, for one category."""

    entries: int = 0
    results: int = 0
    worlds: int = 0
    verdicts: int = 0
    differences: list[str] = field(default_factory=list[str])


class Recorded:
    """A script that answers with recorded replies, entry by entry."""

    def __init__(self, entries: list[tuple[Case, dict[str, Any]]], mode: str) -> None:
        self._left = deque(entries)
        self._mode = mode
        self._steps: Iterator[Any] = iter(())

    def __call__(self, seen: Seen) -> Response:
        """The next reply; an error that fails everything where something else is asked than was."""
        if self._left and seen.messages == _opening(self._left[0][0], self._mode):
            self._steps = _steps(self._left.popleft()[1]["raw"])
        step = next(self._steps, None)
        if step is None:
            return Status(418)
        if isinstance(step, str):
            return _FAILURE if step.startswith(_ERROR) else Answer(step)
        return Answer(None, calls=[(name, arguments) for call in step for name, arguments in call.items()])


_FAILURE = Status(500, {"x-should-retry": "false"})


def _opening(case: Case, mode: str) -> list[Any]:
    """The messages of an entry's first request."""
    return assemble_prompt(case) if mode == "prompt" else case.turns[0]


def _steps(raw: Any) -> Iterator[Any]:
    if isinstance(raw, str) or all(isinstance(call, dict) for call in raw):
        yield raw
    else:
        for turn in raw:
            yield from turn


def compare(reference: Path, system: str, folder: Path) -> dict[str, Compared]:
    """Generate and score one system, and compare.

    Args:
        reference: Folder of reference data.
        system: One of `SYSTEMS`.
        folder: Where result and score trees go.

    Returns:
        What it came to, by category.
    """
    family, mode = SYSTEMS[system]
    source = open_source(reference / "bfcl" / "data")
    records = {
        CATEGORIES[path.stem]: _records(path)
        for path in sorted((reference / "bfcl_real" / family / system).glob("*.jsonl"))
    }
    worlds: dict[str, Mapping[str, Any]] = {}
    cases: dict[Category, list[Case]] = {}
    for category, known in records.items():
        cases[category] = list(read_cases(source, category))
        entries = [(case, known.get(case.id, _NOT_RECORDED)) for case in cases[category]]
        with ProviderServer(Recorded(entries, mode)) as server:
            by = model_source(
                ModelSettings(
                    model=system, mode="prompt" if mode == "prompt" else "tools", any_type="string"
                ),
                ModelAccess(
                    endpoint=Endpoint(server.base_url, "none"), concurrency=1, cache=None, patience=0
                ),
                _Kept(worlds),
            )
            in_order = msgspec.structs.replace(by, tasks=1)
            generate_tree(source, [category], in_order, folder / "result", Silent(), count_failures=True)
    found = find_results(folder / "result").files
    score_tree(source, found, folder / "score", options=ScoringOptions(partial=True), progress=Silent())
    return {
        file.category.name: _compare(
            records[file.category],
            file.path,
            folder / "score" / system / file.category.folder / file.path.name.replace("result", "score"),
            {case.id: case for case in cases[file.category]},
            worlds,
        )
        for file in found
    }


_NOT_RECORDED = {"raw": f"{_ERROR}not recorded"}


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def _records(path: Path) -> dict[str, dict[str, Any]]:
    return {record["id"]: record for record in _lines(path)}


class _Kept(SimulatedWorlds):
    """The worlds of every entry, to be looked at when its conversation is over."""

    def __init__(self, worlds: dict[str, Mapping[str, Any]]) -> None:
        super().__init__({}, "bfcl")
        self._worlds = worlds

    async def scene(self, case: Case, trial: int, converse: Converse) -> Scene | None:
        scene = await super().scene(case, trial, converse)
        if isinstance(scene, WorldScene):
            self._worlds[case.id] = scene.worlds
        return scene


def _compare(
    records: Mapping[str, dict[str, Any]],
    results: Path,
    scores: Path,
    cases: Mapping[str, Case],
    worlds: Mapping[str, Mapping[str, Any]],
) -> Compared:
    compared = Compared(entries=len(records))
    made = {line["id"]: line["result"] for line in _lines(results)}
    invalid = {line["id"]: line for line in _lines(scores) if "id" in line}
    for entry_id, record in records.items():
        expected, result = record["raw"], made.get(entry_id)
        failed = isinstance(expected, str) and expected.startswith(_ERROR)
        same = str(result).startswith(_ERROR) if failed else result == expected
        compared.results += same
        if not same:
            compared.differences.append(
                f"{entry_id}: {json.dumps(expected)[:150]} became {json.dumps(result)[:150]}"
            )
        if not failed and entry_id in worlds:
            ended = _ended(cases[entry_id], record["turns"])
            compared.worlds += {name: state_of(world) for name, world in worlds[entry_id].items()} == ended
        verdict = invalid.get(entry_id)
        right = (verdict is None) == record["valid"]
        compared.verdicts += right
        if not right:
            compared.differences.append(f"{entry_id}: officially {record['valid']}: {str(verdict)[:200]}")
    return compared


def _ended(case: Case, turns: list[list[list[str]]]) -> dict[str, Any]:
    """The states of fresh worlds in which recorded calls were executed."""
    worlds = scenario_of(case, {}).worlds()
    run = original_executor(worlds, "model")
    for turn in turns:
        for step in turn:
            for call in step:
                run(call)
    return {name: state_of(world) for name, world in worlds.items()}


def main() -> None:
    """Print a table, and fail where anything differs."""
    reference = Path(os.environ["FIDUCIAL_REFERENCE"])
    different = 0
    for system in SYSTEMS:
        with tempfile.TemporaryDirectory() as folder:
            found = compare(reference, system, Path(folder))
        print(f"{system} (--mode {SYSTEMS[system][1]})")
        print(f"{'category':24} {'entries':>8} {'same result':>12} {'same verdict':>13} {'same worlds':>12}")
        for name, each in found.items():
            worlds = each.worlds or ""
            print(f"{name:24} {each.entries:8,} {each.results:12,} {each.verdicts:13,} {worlds:>12}")
            different += len(each.differences)
            for difference in each.differences[:5]:
                print(f"  {difference}")
        total = [
            sum(getattr(each, name) for each in found.values())
            for name in ("entries", "results", "verdicts", "worlds")
        ]
        print(f"{'all':24} {total[0]:8,} {total[1]:12,} {total[2]:13,} {total[3] or '':>12}\n")
    sys.exit(different > 0)


if __name__ == "__main__":
    main()
