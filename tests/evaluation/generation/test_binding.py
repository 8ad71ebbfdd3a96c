"""Outputs files tied to their source: what ``--again`` drops."""

from __future__ import annotations

from pathlib import Path

from fiducial.evaluation.generation.attempt import Attempt, MadeOutput
from fiducial.evaluation.generation.attempt_store import OutputsFile
from fiducial.records import Case, ItemKey, Output


def test_again_drops_the_outputs_of_a_system_though_a_kill_tore_the_last_line(tmp_path: Path):
    path = tmp_path / "outputs.jsonl"
    case = Case(id="a", kind="no_call")
    for system in ("mine", "other"):
        with OutputsFile(path, system, {}) as file:
            file.add(MadeOutput(Output(case_id="a", system=system, text="x"), Attempt(case=case)))
    with path.open("ab") as torn:
        torn.write(b'{"case_id": "b", "sys')
    with OutputsFile(path, "mine", {}, again=True) as file:
        assert not file.has(ItemKey("a", "mine", 0), case)
        assert file.has(ItemKey("a", "other", 0), case)
