"""Replay of two real models: their recorded replies must give their recorded results.

A provider on loopback gives the replies to `fiducial bfcl generate`.

    FIDUCIAL_REFERENCE=... python benchmarks/generation_replay.py

The provider answers with exactly the recorded replies, in order: it knows a new entry by a request without an assistant's message,
and checks that it is the entry whose turn it is. What is generated is compared with the record reply by reply, what the
worlds are at the end with the recorded calls executed in fresh ones, and what `fiducial bfcl score` says with the official verdicts.
An entry whose recorded call failed (HTTP 500 after retries) is answered by the same failure.

The recordings have no long context. So a model that makes the reference calls is led through all conversations, too: every one must
be officially right at its end.
"""

from __future__ import annotations

import ast
import json
import sys
import tempfile
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from commands import reference_folder
from provider_server import Answer, ProviderServer, Response, Seen, Status

from fiducial.deterministic.multi_turn.call_execution import bfcl_executor
from fiducial.deterministic.multi_turn.reference import scenario_of
from fiducial.deterministic.multi_turn.worlds import state_of
from fiducial.evaluation.bfcl.generate_results import generate_tree
from fiducial.evaluation.bfcl.scoring import ScoringOptions, score_tree
from fiducial.evaluation.generation.model_agent import ModelSettings
from fiducial.evaluation.generation.output_sources import OutputSource, model_source
from fiducial.evaluation.generation.scene import Converse, Scene, SimulatedWorlds, WorldScene
from fiducial.evaluation.judging.access import ModelAccess
from fiducial.evaluation.progress import Silent
from fiducial.formats.bfcl import (
    CATEGORIES,
    Category,
    assemble_prompt,
    expand,
    find_results,
    open_source,
    read_cases,
)
from fiducial.formats.bfcl.result_trees import ResultFile
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
    """Comparison of results in one category."""

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
        """Return the next reply, or an error that fails the run if the request was not recorded."""
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
    """Return the messages of an entry's first request."""
    return assemble_prompt(case) if mode == "prompt" else case.turns[0]


def compare_truth(reference: Path, folder: Path) -> dict[str, Compared]:
    """Lead a model that makes the reference calls through every conversation, and score it."""
    source = open_source(reference / "bfcl" / "data")
    found: dict[str, Compared] = {}
    for category in expand(["multi_turn"]):
        cases = list(read_cases(source, category))
        entries = [(case, {"raw": _truth(case)}) for case in cases]
        with ProviderServer(Recorded(entries, "tools")) as server:
            by = _source(TRUTH, "tools", server.base_url, {})
            generate_tree(source, [category], by, folder / "result", Silent())
        made = find_results(folder / "result", [category]).files
        score_tree(source, made, folder / "score", options=ScoringOptions(partial=True), progress=Silent())
        (file,) = made
        results = {line["id"]: line["result"] for line in _lines(file.path)}
        wrong = [line["id"] for line in _lines(_scores(folder, file)) if "id" in line]
        found[category.name] = Compared(
            entries=len(cases),
            results=sum(results.get(case.id) == record["raw"] for case, record in entries),
            verdicts=len(cases) - len(wrong),
            differences=[f"{name}: wrong" for name in wrong],
        )
    return found


TRUTH = "reference calls"


def _truth(case: Case) -> list[list[Any]]:
    """Return a conversation's reference calls as native calls, with all of a turn in one step.

    Some turns have more than 21 calls. A step without calls ends each turn that has any.
    """
    tools = [*case.tools, *case.reference.get("withheld_tools", [])]
    names = {tool["function"]["name"]: [*tool["function"]["parameters"]["properties"]] for tool in tools}
    made = [[_native(text, names) for text in turn] for turn in case.reference["calls"]]
    return [[calls, []] if calls else [[]] for calls in made]


def _native(text: str, names: Mapping[str, list[str]]) -> dict[str, str]:
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call)
    assert isinstance(call.func, ast.Name)
    given = dict(zip(names[call.func.id], call.args, strict=False))
    given |= {keyword.arg or "": keyword.value for keyword in call.keywords}
    return {call.func.id: json.dumps({name: ast.literal_eval(value) for name, value in given.items()})}


def _source(system: str, mode: str, url: str, worlds: dict[str, Mapping[str, Any]]) -> OutputSource:
    by = model_source(
        ModelSettings(model=system, mode="prompt" if mode == "prompt" else "tools", any_type="string"),
        ModelAccess(endpoint=Endpoint(url, "none"), concurrency=1, cache=None, patience=0),
        _Kept(worlds),
    )
    return msgspec.structs.replace(by, tasks=1)


def _scores(folder: Path, file: ResultFile) -> Path:
    name = file.path.name.replace("result", "score")
    return folder / "score" / file.system / file.category.folder / name


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
            by = _source(system, mode, server.base_url, worlds)
            generate_tree(source, [category], by, folder / "result", Silent(), count_failures=True)
    found = find_results(folder / "result").files
    score_tree(source, found, folder / "score", options=ScoringOptions(partial=True), progress=Silent())
    return {
        file.category.name: _compare(
            records[file.category],
            file.path,
            _scores(folder, file),
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
    run = bfcl_executor(worlds, "model")
    for turn in turns:
        for step in turn:
            for call in step:
                run(call)
    return {name: state_of(world) for name, world in worlds.items()}


def show(title: str, found: Mapping[str, Compared]) -> int:
    """Print a table; how much differs."""
    print(title)
    print(f"{'category':24} {'entries':>8} {'same result':>12} {'same verdict':>13} {'same worlds':>12}")
    for name, each in found.items():
        print(f"{name:24} {each.entries:8,} {each.results:12,} {each.verdicts:13,} {each.worlds or '':>12}")
        for difference in each.differences[:5]:
            print(f"  {difference}")
    total = [
        sum(getattr(compared, name) for compared in found.values())
        for name in ("entries", "results", "verdicts", "worlds")
    ]
    print(f"{'all':24} {total[0]:8,} {total[1]:12,} {total[2]:13,} {total[3] or '':>12}\n", flush=True)
    return sum(len(compared.differences) for compared in found.values())


def main() -> None:
    """Print a table, and fail where anything differs."""
    reference = reference_folder()
    different = 0
    for system, (_, mode) in SYSTEMS.items():
        with tempfile.TemporaryDirectory() as folder:
            different += show(f"{system} (--mode {mode})", compare(reference, system, Path(folder)))
    with tempfile.TemporaryDirectory() as folder:
        different += show(f"{TRUTH} (--mode tools)", compare_truth(reference, Path(folder)))
    sys.exit(different > 0)


if __name__ == "__main__":
    main()
