"""Numbers are equal to the last digit, however the data are divided and merged."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from command import fiducial
from judge_ids import judge_id

import fiducial as fd
from fiducial.errors import RecordError, RunFolderError, UsageError
from fiducial.evaluation.past_runs.merged_runs import _merged_judges  # pyright: ignore[reportPrivateUsage] - one field of many
from fiducial.evaluation.shards import part_of
from fiducial.evaluation.store.manifest import JudgeRecord, Manifest, Roster
from fiducial.plugins import JUDGES
from fiducial.records import Case, Output, Verdict, write_records

SYSTEMS = ("one", "the other")


def some_cases() -> Iterable[Case]:
    """45 cases in clusters of one to three: calls, and questions that a checker leaves open."""
    for number in range(45):
        cluster = f"cluster-{number * number % 31}"
        if number % 3:
            tool = {
                "name": "book",
                "parameters": {"type": "dict", "properties": {"city": {"type": "string"}}},
            }
            yield Case(
                id=f"case-{number}",
                kind="tool_call",
                messages=[{"role": "user", "content": f"Book City{number}"}],
                tools=[{"type": "function", "function": {"description": "", **tool}}],
                reference={"calls": [{"book": {"city": [f"City{number}"]}}]},
                cluster=cluster,
            )
        else:
            answers = {"answers": [f"City{number}"]}
            yield Case(id=f"case-{number}", kind="memory_answer", reference=answers, cluster=cluster)


def some_outputs() -> Iterable[Output]:
    """Of two systems in turn, right and wrong in no order."""
    for case in some_cases():
        number = case.id.removeprefix("case-")
        for place, system in enumerate(SYSTEMS):
            chance = (int(number) * 31 + place * 17) % 7
            if chance == 6 and place:
                continue  # it is missing
            city = f"City{number}" if chance > place else "Atlantis"
            text = (
                f'[book(city="{city}")]'
                if case.kind == "tool_call"
                else f"Maybe {city}, or the town of Oslo."
            )
            yield Output(case_id=case.id, system=system, text=text)


def some_labels() -> Iterable[Verdict]:
    for output in some_outputs():
        number = int(output.case_id.removeprefix("case-"))
        if not number % 3 and number % 2:
            yield Verdict(
                case_id=output.case_id,
                system=output.system,
                by="ada",
                source="human",
                outcome="graded",
                score=float("City" in (output.text or "")),
            )


def word_share(case: Case, output: Output) -> float:
    """A judge whose scores are fractions, of which sums are rounded."""
    del case
    text = output.text or ""
    return len(text) % 10 / 10 + 0.03


def names_it(case: Case, output: Output) -> float:
    del case
    return float("City" in (output.text or ""))


def divided(into: Path, parts: int) -> list[Path]:
    """Divide the data by the hash of the case into folders of cases, outputs and labels."""
    folders = [into / f"in {parts}" / str(part) for part in range(parts)]
    for name, records in (("cases", some_cases), ("outputs", some_outputs), ("labels", some_labels)):
        for part, folder in enumerate(folders):
            inside = [
                record
                for record in records()
                if part_of(getattr(record, "case_id", getattr(record, "id", "")), parts) == part
            ]
            if inside or name == "labels":
                (folder / name).mkdir(parents=True)
                write_records(folder / name / f"{name}.jsonl", inside)
    return folders


def together(folders: Iterable[Path], out: Path) -> Path:
    """The shards of all parts in one folder a sort; labels in one file."""
    for part, folder in enumerate(folders):
        for name in ("cases", "outputs"):
            (out / name).mkdir(parents=True, exist_ok=True)
            (out / name / f"{part}.jsonl").write_bytes((folder / name / f"{name}.jsonl").read_bytes())
        with (out / "labels.jsonl").open("ab") as labels:
            labels.write((folder / "labels" / "labels.jsonl").read_bytes())
    return out


def evaluated(folder: Path, labels: Path | None, out: Path) -> Path:
    fd.evaluate(
        folder / "cases",
        folder / "outputs",
        judges=["names-it", "words"],
        labels=labels if labels is not None and labels.stat().st_size else None,
        judge_on="all",
        out=out,
        progress=False,
    )
    return out


@pytest.fixture(autouse=True, scope="module")
def judges() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(JUDGES, "_registered", {"words": word_share, "names-it": names_it})
        yield


@pytest.fixture(scope="module")
def halves(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The data in two shards."""
    return divided(tmp_path_factory.mktemp("halves"), 2)


def half_run(half: Path, out: Path, **options: Any) -> Path:
    """Run one shard."""
    fd.evaluate(half / "cases", half / "outputs", out=out, progress=False, **options)
    return out


@pytest.fixture(scope="module")
def checked(halves: list[Path], tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two finished runs, of a shard each; copy what is changed."""
    folder = tmp_path_factory.mktemp("checked")
    return [half_run(half, folder / f"run {part}") for part, half in enumerate(halves)]


@pytest.fixture(scope="module")
def judged(halves: list[Path], tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two finished runs with a judge; copy what is changed."""
    folder = tmp_path_factory.mktemp("judged")
    return [half_run(half, folder / f"run {part}", judges="words") for part, half in enumerate(halves)]


def changed(run: Path, into: Path) -> Path:
    """A copy of a run, to be changed."""
    return Path(shutil.copytree(run, into / run.name))


_OF_TIME = ("seconds", "ended", "started")


def numbers(run: Path) -> dict[str, Any]:
    """Everything that is computed of a run, as JSON."""
    manifest = json.loads((run / "run.json").read_text())
    compared = fiducial("compare", run, "--json", run.with_suffix(".compared"))
    assert compared.code == 0, compared.err
    return {
        "results": manifest["results"],
        "counts": manifest["counts"],
        "judges": [
            {key: value for key, value in use.items() if key not in _OF_TIME} for use in manifest["judges"]
        ],
        "judges compared": json.loads(run.with_suffix(".compared").read_text()),
        "systems compared": json.loads((run / "comparison.json").read_text())["comparison"],
        "calibration": json.loads((run / "calibration.json").read_text()),
        "clusters": json.loads((run / "clusters.json").read_text()),
    }


def test_a_run_that_is_named_twice_is_merged_once_and_that_is_said(
    judged: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    run = judged[0]
    monkeypatch.chdir(run.parent)
    merged = fiducial("merge", run.name, run, "--out", tmp_path / "merged")
    assert merged.code == 0
    assert merged.err.startswith(f"note: {run}: the same run as {run.name}; it is merged once\n")
    took = [json.loads((place / "run.json").read_text())["roster"] for place in (run, tmp_path / "merged")]
    assert [judge["seconds"] for judge in took[0]] == [judge["seconds"] for judge in took[1]]
    with pytest.warns(UserWarning, match="it is merged once"):
        fd.merge([fd.load_run(run)] * 2, tmp_path / "again", progress=False)


def test_one_and_three_parts_in_one_run_or_merged_give_the_same_numbers(tmp_path: Path):
    found: list[dict[str, Any]] = []
    for parts in (1, 3):
        whole = together(divided(tmp_path, parts), tmp_path / f"together {parts}")
        found.append(numbers(evaluated(whole, whole / "labels.jsonl", tmp_path / f"run of {parts}")))
    runs = [
        evaluated(folder, folder / "labels" / "labels.jsonl", tmp_path / f"run {part}")
        for part, folder in enumerate(sorted((tmp_path / "in 3").iterdir()))
    ]
    fd.merge(runs[::-1], tmp_path / "merged", progress=False)
    found.append(numbers(tmp_path / "merged"))
    assert found[0]["counts"]["outputs"] == 90
    assert {rate["by"] for rate in found[0]["results"][0]["strata"]} >= {
        "words/function",
        "names-it/function",
    }
    for other in found[1:]:
        assert other == found[0]


def test_merging_again_changes_nothing_and_after_a_kill_goes_on(checked: list[Path], tmp_path: Path):
    out = tmp_path / "merged"
    fd.merge(checked, out, progress=False)
    journal = (out / "verdicts.jsonl").read_bytes()
    fd.merge(checked, out, progress=False)
    assert (out / "verdicts.jsonl").read_bytes() == journal
    (out / "verdicts.jsonl").write_bytes(journal[: len(journal) // 3])  # what a power cut leaves
    assert fd.merge(checked, out, progress=False).systems["one"].decided.n > 0
    assert (out / "verdicts.jsonl").read_bytes() == journal


def test_a_merged_run_is_a_run_like_any_other(checked: list[Path], tmp_path: Path):
    result = fiducial("merge", *checked, "--out", tmp_path / "merged")
    assert (result.code, (tmp_path / "merged" / "report.html").exists()) == (0, True)
    assert "records: " in result.out
    run = fd.load_run(tmp_path / "merged")
    assert set(run.systems) == set(SYSTEMS)
    assert len(run.verdicts) == sum(1 for _ in some_outputs())


@pytest.mark.parametrize(
    ("seconds", "total"), [((1.5, 2.25), 3.75), ((1.5, None), 1.5), ((None, None), None)]
)
def test_a_judge_was_asked_for_as_long_as_in_all_parts_together(
    seconds: tuple[float | None, ...], total: float | None
):
    known = JudgeRecord(by="j", id=judge_id())
    stores: list[Any] = [
        SimpleNamespace(roster=Roster(Manifest(roster=[msgspec.structs.replace(known, seconds=second)])))
        for second in seconds
    ]
    assert [judge.seconds for judge in _merged_judges(stores)] == [total]


def test_in_memory_it_comes_to_the_same(checked: list[Path], tmp_path: Path):
    one, two = fd.merge(checked, progress=False), fd.merge(checked, tmp_path / "merged", progress=False)
    assert {name: rates.decided for name, rates in one.systems.items()} == {
        name: rates.decided for name, rates in two.systems.items()
    }
    with pytest.raises(UsageError, match="only in memory"):
        fd.merge([one, checked[0]], progress=False)
    with pytest.raises(UsageError, match="no run"):
        fd.merge([])


@pytest.mark.parametrize(
    ("first", "options", "message"),
    [
        ("checked", {"rules": "bfcl"}, "differs from .*run 0 in rules"),
        ("checked", {"judges": "words"}, "differs from .*run 0 in judge words/function"),
        (
            "judged",
            {"judges": "words", "pass_at": 0.9},
            "differs from .*run 0 in the threshold of words/function",
        ),
        (
            "judged",
            {"judges": "words", "repeats": 2},
            "differs from .*run 0 in how often words/function was asked",
        ),
    ],
)
def test_runs_that_were_made_in_different_ways_are_refused(
    request: pytest.FixtureRequest, tmp_path: Path, first: str, options: dict[str, Any], message: str
):
    halves: list[Path] = request.getfixturevalue("halves")
    runs = [request.getfixturevalue(first)[0], half_run(halves[1], tmp_path / "run 1", **options)]
    with pytest.raises(RunFolderError, match=message):
        fd.merge(runs, tmp_path / "merged", progress=False)
    assert not (tmp_path / "merged").exists()


def test_a_judge_whose_prompt_was_changed_between_the_parts_is_refused(judged: list[Path], tmp_path: Path):
    other = changed(judged[1], tmp_path)
    kept = (other / "run.json").read_text()
    (other / "run.json").write_text(kept.replace('"fingerprint": "', '"fingerprint": "other'))
    with pytest.raises(RunFolderError, match="judge words/function"):
        fd.merge([judged[0], other], tmp_path / "merged", progress=False)


def put_into_manifest(run: Path, **entries: Any) -> None:
    manifest = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps({**manifest, **entries}))


def test_different_verdicts_on_one_output_are_refused_with_their_line(
    checked: list[Path], halves: list[Path], tmp_path: Path
):
    runs = [checked[0], half_run(halves[0], tmp_path / "run 1")]
    merged = fd.merge(runs, tmp_path / "merged", progress=False)
    # What both say the same of is there once.
    assert len(merged.verdicts) == (runs[0] / "verdicts.jsonl").read_bytes().count(b"\n")
    lines = (runs[1] / "verdicts.jsonl").read_text().splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if '"score":1.0' in line)
    lines[at] = lines[at].replace('"score":1.0', '"score":0.5')
    (runs[1] / "verdicts.jsonl").write_text("".join(lines))
    put_into_manifest(runs[1], journals={})
    with pytest.raises(RecordError, match=rf"run 1/verdicts.jsonl:{at + 1}: .* says something else of"):
        fd.merge(runs, tmp_path / "again", progress=False)


def test_an_output_that_is_in_two_files_is_refused(checked: list[Path], tmp_path: Path):
    inputs = json.loads((checked[0] / "run.json").read_text())["inputs"]
    other = tmp_path / "copy.jsonl"
    other.write_bytes(Path(inputs[1]["path"]).read_bytes())
    fd.evaluate(inputs[0]["path"], other, out=tmp_path / "run of the copy", progress=False)
    with pytest.raises(
        RecordError, match=r"copy\.jsonl:1: repeats .*:1 \(case case-1, system one, trial 0\)"
    ):
        # Files are read by name, whatever the order of the runs.
        fd.merge([tmp_path / "run of the copy", *checked], tmp_path / "merged", progress=False)


def test_a_run_that_is_not_finished_is_refused(checked: list[Path], tmp_path: Path):
    other = changed(checked[1], tmp_path)
    put_into_manifest(other, status="running")
    with pytest.raises(RunFolderError, match="not finished"):
        fd.merge([checked[0], other], tmp_path / "merged", progress=False)
