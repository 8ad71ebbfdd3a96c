from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from each_row import each_row

from fiducial.deterministic.artifacts.copying import copy_plain_files
from fiducial.errors import InputError
from fiducial.evaluation.artifacts.workspaces import lay_out_workspaces, workspace_of
from fiducial.records import Case

pytestmark = pytest.mark.attack("workspace files")

IDS = (
    *("a/b", "a__b", "a/./b", "a//b", "a/b/", "./a/b", "a_/b", "a/_b", "a___b", "a_b", "a.b", "A/b", "a/B"),
    *(
        "a b",
        "a?b",
        "a:b",
        "a*b",
        "a\\b",
        "a\nb",
        "a\tb",
        "ä/b",
        "a\u0308/b",
        "a~b",
        "~",
        "-rf",
        ".a",
        "a/.b",
    ),
    *("x" * 100, "x" * 101, "x" * 101 + "/", "x" * 5_000, "é" * 200, "con", "_", "a/b~0"),
)


def case(case_id: str, folder: str = "/") -> Case:
    reference = {"ground": {"files": [".txt"]}, "folder": folder}
    return Case(id=case_id, kind="artifact", reference=reference)


def test_no_two_ids_share_a_folder_even_where_capitals_are_not_told_apart(tmp_path: Path):
    places = {case_id: str(workspace_of(case(case_id), tmp_path)).casefold() for case_id in IDS}
    assert [pair for pair in combinations(IDS, 2) if places[pair[0]] == places[pair[1]]] == []


def test_every_folder_can_be_made_beside_the_others(tmp_path: Path):
    for case_id in IDS:
        place = workspace_of(case(case_id), tmp_path)
        assert place.parent == tmp_path / "workspaces"
        place.mkdir(parents=True)
    assert len(list((tmp_path / "workspaces").iterdir())) == len(IDS)


def test_a_plain_id_can_be_read_off_its_folder(tmp_path: Path):
    assert workspace_of(case("code/2_two_sum"), tmp_path).name == "code__2_two_sum"


def test_workspaces_of_ids_that_look_alike_do_not_erase_each_other(tmp_path: Path):
    (tmp_path / "challenge").mkdir()
    cases = [case(case_id, str(tmp_path / "challenge")) for case_id in ("a/b", "a__b", "a/./b")]
    assert lay_out_workspaces(cases, tmp_path / "work", system="s") == 3
    assert len(list((tmp_path / "work" / "workspaces").iterdir())) == 3


@each_row("case_id", ["/a", "..", "a/../b", "a\0b", "."])
def test_an_id_that_leads_elsewhere_is_refused(tmp_path: Path, case_id: str):
    with pytest.raises(InputError, match="relative path"):
        workspace_of(case(case_id), tmp_path)


def test_a_preparation_that_was_interrupted_goes_on_and_keeps_what_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "challenge" / "artifacts_in").mkdir(parents=True)
    (tmp_path / "challenge" / "artifacts_in" / "hint.md").write_text("Say yes.")
    cases = [case(case_id, str(tmp_path / "challenge")) for case_id in ("a", "b", "c")]
    copied = list[Path]()

    def interrupted(source: Path, workspace: Path) -> None:
        if copied:
            raise KeyboardInterrupt
        copied.append(workspace)
        copy_plain_files(source, workspace)

    with monkeypatch.context() as patch:
        patch.setattr("fiducial.evaluation.artifacts.workspaces.copy_plain_files", interrupted)
        with pytest.raises(KeyboardInterrupt):
            lay_out_workspaces(cases, tmp_path / "work", system="me")
    kept = tmp_path / "work" / "workspaces" / "a" / "hint.md"
    kept.write_text("Say yes, please.")
    assert lay_out_workspaces(cases, tmp_path / "work", system="me") == 3
    assert kept.read_text() == "Say yes, please."
    assert (tmp_path / "work" / "workspaces" / "c" / "hint.md").read_text() == "Say yes."
    assert sorted(path.name for path in (tmp_path / "work").iterdir()) == ["outputs.jsonl", "workspaces"]
    with pytest.raises(InputError, match="there already"):
        lay_out_workspaces(cases, tmp_path / "work", system="me")


def test_an_interrupted_preparation_keeps_no_workspace_but_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "challenge" / "artifacts_in").mkdir(parents=True)
    first, second = (case(case_id, str(tmp_path / "challenge")) for case_id in ("a", "b"))
    lay_out_workspaces([first], tmp_path / "work", system="me")

    def interrupted(source: Path, workspace: Path) -> None:
        raise KeyboardInterrupt(source, workspace)

    with monkeypatch.context() as patch:
        patch.setattr("fiducial.evaluation.artifacts.workspaces.copy_plain_files", interrupted)
        with pytest.raises(KeyboardInterrupt):
            lay_out_workspaces([second], tmp_path / "work", system="me")
    with pytest.raises(InputError, match="there already"):
        lay_out_workspaces([first, second], tmp_path / "work", system="me")


def test_a_case_that_stands_twice_has_no_workspace(tmp_path: Path):
    (tmp_path / "challenge").mkdir()
    twice = [case("a", str(tmp_path / "challenge"))] * 2
    with pytest.raises(InputError, match="there already"):
        lay_out_workspaces(twice, tmp_path / "work", system="me")
    assert not (tmp_path / "work").exists()
