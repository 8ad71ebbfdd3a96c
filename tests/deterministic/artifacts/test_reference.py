"""Verdicts compared with the original's scores of the same workspaces."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from workspaces import lay_out

from fiducial.deterministic import CheckOptions, check
from fiducial.deterministic.options import ArtifactOptions
from fiducial.formats.agbenchmark import read_challenges
from fiducial.records import Case, Output, Verdict

pytestmark = pytest.mark.reference

MOCKS_THAT_CANNOT_PASS = ("1_list_animals", "check_price")
OPTIONS = CheckOptions(rules="bfcl", artifacts=ArtifactOptions(allow_code=True))


@pytest.fixture(scope="module")
def cases(reference: Path) -> dict[str, Case]:
    return {case.id: case for case in read_challenges(reference / "agbenchmark" / "challenges")}


def checked(case: Case, workspace: Path) -> Verdict:
    return check(case, Output(case_id=case.id, system="original", workspace=str(workspace)), OPTIONS)


def scored_workspaces(reference: Path) -> Iterator[dict[str, Any]]:
    with (reference / "agbenchmark" / "scored_workspaces.jsonl").open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def test_every_workspace_the_original_scored_gets_the_same_scores(
    reference: Path, cases: dict[str, Case], tmp_path: Path
):
    def compare(number: int, row: dict[str, Any]) -> str | None:
        workspace = tmp_path / str(number)
        workspace.mkdir()
        verdict = checked(cases[row["challenge"]], lay_out(workspace, row["workspace"]))
        ours: tuple[Counter[float], str, float | None] = (
            Counter(verdict.evidence["scores"]),
            verdict.outcome,
            verdict.score,
        )
        original: tuple[Counter[float], str, float | None] = (
            Counter(row["scores"]),
            "graded",
            float(row["success"]),
        )
        return None if ours == original else f"{row['challenge']} {row['variant']}: {ours} {original}"

    rows = list(scored_workspaces(reference))
    with ThreadPoolExecutor(2) as threads:
        differing = [text for text in threads.map(compare, range(len(rows)), rows) if text]
    print(f"{len(rows) - len(differing)} of {len(rows)} scored workspaces agree")
    assert differing == []


def test_every_mock_passes_but_those_that_need_a_browser_or_the_network(
    cases: dict[str, Case], tmp_path: Path
):
    def passes(case: Case) -> bool:
        workspace = tmp_path / case.id.replace("/", "__")
        workspace.mkdir()
        for part in ("artifacts_in", "artifacts_out"):
            for path in sorted(Path(case.reference["folder"], part).glob("*")):
                (workspace / path.name).write_bytes(path.read_bytes())
        return checked(case, workspace).score == 1.0

    with ThreadPoolExecutor(2) as threads:
        failing = [
            case.id
            for case, passed in zip(cases.values(), threads.map(passes, cases.values()), strict=True)
            if not passed
        ]
    print(f"{len(cases) - len(failing)} of {len(cases)} mocks pass")
    assert [case_id for case_id in failing if not case_id.endswith(MOCKS_THAT_CANNOT_PASS)] == []
