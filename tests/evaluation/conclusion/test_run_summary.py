from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import demo_suite
import msgspec
import pytest
from msgspec.structs import replace

import fiducial as fd
from fiducial.api.run_files import plan_of
from fiducial.api.run_files import run as run_plan
from fiducial.calibration.comparison.compare import compare
from fiducial.calibration.comparison.comparison_results import By, Comparison
from fiducial.calibration.pass_threshold import PassThreshold
from fiducial.calibration.tables.calibration_table import Table
from fiducial.errors import ConfigurationError, RunFolderError
from fiducial.evaluation.conclusion import run_summary
from fiducial.evaluation.conclusion.run_summary import (
    keep_comparison,
    signature,
    summary_of,
    systems_compared,
)
from fiducial.evaluation.judging.access import ModelAccess
from fiducial.evaluation.run_plan import Plan
from fiducial.evaluation.store.file_names import CLUSTERS, COMPARISON, LABELS, MANIFEST, VERDICTS
from fiducial.evaluation.store.run_store import RunStore
from fiducial.evaluation.store.run_writer import RunWriter
from fiducial.records import Verdict, decode_record, encode_record, write_records
from fiducial.settings.verbs.run import RunSettings

CASES = [
    {"id": f"c{n}", "kind": "memory_answer", "reference": {"answers": ["Rome"]}, "cluster": f"k{n // 2}"}
    for n in range(12)
]
OUTPUTS = [
    {"case_id": f"c{n}", "system": system, "text": text}
    for n in range(12)
    for system, text in (("a", "Rome"), ("b", "Rome" if n % 3 else "I cannot say."))
]


def evaluated(out: Path | None) -> fd.Run:
    judges = [fd.judge("memory_answer", model="baseline")]
    return fd.evaluate(CASES, OUTPUTS, judges=judges, judge_on="all", out=out, progress=False)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "run"
    evaluated(folder)
    return folder


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "run"))


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[Comparison | None]:
    """Return the list of comparisons, which grows with each computation."""
    found: list[Comparison | None] = []

    def noted(table: Table, *, by: By) -> Comparison:
        made = compare(table, by=by)
        found.append(made)
        return made

    monkeypatch.setattr("fiducial.calibration.comparison.compare.compare", noted)
    return found


def shown(run: Path) -> Comparison | None:
    with RunStore(run) as store:
        return systems_compared(store)


def test_what_is_kept_is_what_was_computed_and_is_not_computed_again(
    run: Path, computed: list[Comparison | None]
):
    kept = shown(run)
    fd.load_run(run).report()
    assert fd.load_run(run).answers == evaluated(run).answers
    assert computed == []
    (run / COMPARISON).unlink()
    assert (shown(run), computed) == (kept, [kept])
    assert kept is not None
    assert [(pair.a, pair.b) for pair in kept.pairs] == [("a", "b")]


def test_a_run_in_memory_keeps_none_and_comes_to_the_same(run: Path, computed: list[Comparison | None]):
    in_memory = evaluated(None)
    assert computed == []
    assert systems_compared(RunStore(in_memory.kept)) == shown(run)


def relabelled(run: Path) -> None:
    label = Verdict(case_id="c0", system="b", by="ada", source="human", outcome="graded", score=1.0)
    with RunWriter(run) as folder:
        folder.put_labels([label])


def reclustered(run: Path) -> None:
    with RunWriter(run) as folder:
        folder.put_clusters({f"c{n}": f"k{n // 3}" for n in range(12)})


def recut(run: Path) -> None:
    with RunWriter(run) as folder:
        folder.enlist(
            [msgspec.structs.replace(judge, threshold=PassThreshold(0.9, "told")) for judge in folder.roster]
        )


def rejudged(run: Path) -> None:
    with RunWriter(run) as folder:
        verdicts = [decode_record(line, Verdict) for line in (run / VERDICTS).read_bytes().splitlines(keepends=True)]  # fmt: skip
        folder.rewrite(
            msgspec.structs.replace(verdict, score=0.0) if verdict.score else verdict for verdict in verdicts
        )


def edited(run: Path) -> None:
    lines = (run / VERDICTS).read_text()
    (run / VERDICTS).write_text(lines.replace('"score":1.0', '"score":0.0'))


def unsealed_labels(run: Path) -> None:
    label = Verdict(case_id="c0", system="b", by="ada", source="human", outcome="graded", score=1.0)
    (run / LABELS).write_bytes(encode_record(label))


def edited_clusters(run: Path) -> None:
    (run / CLUSTERS).write_text("{}")


@pytest.mark.parametrize(
    "change", [relabelled, reclustered, recut, rejudged, edited, unsealed_labels, edited_clusters]
)
def test_of_other_verdicts_labels_clusters_or_thresholds_it_is_computed_again(
    run: Path, computed: list[Comparison | None], change: Callable[[Path], None]
):
    change(run)
    now = shown(run)
    assert computed == [now]
    (run / COMPARISON).unlink()
    assert shown(run) == now


def test_of_another_version_it_is_computed_again(
    run: Path, computed: list[Comparison | None], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(run_summary, "VERSION", "0.0.0")
    shown(run)
    assert len(computed) == 1


def test_what_is_no_comparison_of_this_run_is_passed_over(run: Path, computed: list[Comparison | None]):
    kept = shown(run)
    contents = ("", "{}", "not JSON", '{"of": "somebody else\'s", "comparison": null}')
    for content in contents:
        (run / COMPARISON).write_text(content)
        assert shown(run) == kept, content
    assert computed == [kept] * len(contents)


def test_one_that_was_changed_by_hand_is_not_believed(run: Path, computed: list[Comparison | None]):
    kept, told = shown(run), json.loads((run / COMPARISON).read_text())
    told["comparison"]["pairs"][0]["better"] = "b"
    (run / COMPARISON).write_text(json.dumps(told))
    assert shown(run) == kept
    assert computed == [kept]
    evaluated(run)  # where it is not what the manifest says, something is left to do
    assert shown(run) == kept
    assert computed == [kept, kept]


def test_a_kill_between_the_file_and_the_manifest_loses_nothing(run: Path, computed: list[Comparison | None]):
    kept = shown(run)
    manifest = json.loads((run / MANIFEST).read_text())
    del manifest["journals"][COMPARISON], manifest["done"], manifest["ended"]
    manifest["status"] = "running"
    (run / MANIFEST).write_text(json.dumps(manifest))
    assert shown(run) == kept
    evaluated(run)
    assert computed == []
    assert COMPARISON in json.loads((run / MANIFEST).read_text())["journals"]


def test_of_one_system_nothing_is_kept(tmp_path: Path):
    alone = [output for output in OUTPUTS if output["system"] == "a"]
    fd.evaluate(CASES, alone, out=tmp_path / "run", progress=False)
    with RunWriter(tmp_path / "run") as folder:
        assert keep_comparison(folder) is None
    assert not (tmp_path / "run" / COMPARISON).exists()


def no_model() -> ModelAccess:
    raise ConfigurationError("no model")


def test_a_run_its_folder_and_its_repetition_say_the_same(tmp_path: Path):
    calls = demo_suite.cases_of("tool_call")[::4]
    chosen = {case.id for case in calls}
    write_records(tmp_path / "cases.jsonl", calls)
    write_records(
        tmp_path / "outputs.jsonl",
        (output for output in demo_suite.outputs().values() if output.case_id in chosen),
    )
    options = RunSettings(
        cases=(tmp_path / "cases.jsonl",),
        outputs=(tmp_path / "outputs.jsonl",),
        out=tmp_path / "run",
        judges=("tool_call_accuracy@baseline",),
    )
    plan = plan_of(options, command="fiducial run")
    first = run_plan(plan, no_model, progress=False)
    assert first.counts.graded > 0
    assert first.calibration is not None
    assert first.compared is not None
    with RunStore(tmp_path / "run") as store:
        assert summary_of(store) == first
    assert run_plan(plan, no_model, progress=False) == replace(first, unchanged=True)


class _Wider(Plan, frozen=True, kw_only=True):
    """Plan with a new field, as an option adds one."""

    purpose: str = ""


def test_a_new_field_of_a_plan_counts_once_it_is_set(tmp_path: Path):
    (tmp_path / "cases.jsonl").write_text("")
    given: dict[str, Any] = {
        "cases": (tmp_path / "cases.jsonl",),
        "outputs": (),
        "out": tmp_path,
        "command": "fiducial run",
    }
    plain = signature(Plan(**given), (), {})
    assert signature(Plan(**given, workers=2), (), {}) == plain
    assert signature(_Wider(**given), (), {}) == plain
    assert signature(_Wider(**given, purpose="a"), (), {}) not in {
        plain,
        signature(_Wider(**given, purpose="b"), (), {}),
    }


@pytest.mark.parametrize(
    ("pass_at", "expected"),
    [
        ({}, "919c8d2812a2b820258b489524fcb33dc5e4c31e47e6d7afed67664bd767ee92"),
        ({"": 0.7, "rubric": 0.9}, "e56eebee0be66253cccf660965305f2760fd2cb039aa1e08150c8da7aacc68e8"),
    ],
)
def test_a_run_that_an_earlier_version_finished_is_not_asked_again(
    pass_at: dict[str, float], expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(run_summary, "VERSION", "0.1.0")  # only runs of another release are asked again
    (tmp_path / "cases.jsonl").write_text("")
    plan = Plan(
        cases=(tmp_path / "cases.jsonl",), outputs=(), out=tmp_path, command="fiducial run", pass_at=pass_at
    )
    assert signature(plan, (), {}) == expected


def test_an_unfinished_run_has_no_summary(tmp_path: Path):
    with pytest.raises(RunFolderError):
        summary_of(RunStore(tmp_path / "nothing"))
