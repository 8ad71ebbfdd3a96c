"""Numbers are equal to the last digit, however the data are divided and merged."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from command import fiducial

import fiducial as fd
from fiducial.errors import RecordError, RunFolderError, UsageError
from fiducial.evaluation.shards import part_of
from fiducial.plugins import JUDGES
from fiducial.records import Case, Output, Verdict, write_records

SYSTEMS = ("one", "two", "the third")


def some_cases() -> Iterable[Case]:
    """120 cases in clusters of one to three: calls, and questions that a checker leaves open."""
    for number in range(120):
        cluster = f"cluster-{number * number % 71}"
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
    """Of three systems in turn, right and wrong in no order."""
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


@pytest.fixture
def divided(tmp_path: Path) -> Callable[[int], list[Path]]:
    """Return a function that divides the data into shards by the hash of the case.

    It writes a folder of cases, one of outputs, and one of labels in each shard.
    """

    def divide(parts: int) -> list[Path]:
        folders = [tmp_path / f"in {parts}" / str(part) for part in range(parts)]
        for name, records in (("cases", some_cases), ("outputs", some_outputs), ("labels", some_labels)):
            for part, folder in enumerate(folders):
                inside = [
                    each
                    for each in records()
                    if part_of(getattr(each, "case_id", getattr(each, "id", "")), parts) == part
                ]
                if inside or name == "labels":
                    (folder / name).mkdir(parents=True)
                    write_records(folder / name / f"{name}.jsonl", inside)
        return folders

    return divide


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


@pytest.fixture(autouse=True)
def judges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(JUDGES, "_registered", {"words": word_share, "names-it": names_it})


_OF_TIME = ("seconds", "ended", "started")


def numbers(run: Path, *, scratch: Path) -> dict[str, Any]:
    """Everything that is computed of a run, as JSON."""
    found: dict[str, Any] = {}
    manifest = json.loads((run / "run.json").read_text())
    found["results"] = manifest["results"]
    found["counts"] = manifest["counts"]
    found["judges"] = [
        {key: value for key, value in use.items() if key not in _OF_TIME} for use in manifest["judges"]
    ]
    found["calibration.json"] = json.loads((run / "calibration.json").read_text())
    found["clusters"] = json.loads((run / "clusters.json").read_text())
    for command in (["calibrate"], ["compare"], ["compare", "--by", "system"]):
        result = fiducial(*command, run, "--json", scratch / "found.json")
        assert result.code == 0, result.err
        found[" ".join(command)] = json.loads((scratch / "found.json").read_text())
    return found


def test_a_run_that_is_named_twice_is_merged_once_and_that_is_said(
    divided: Callable[[int], list[Path]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (folder,) = divided(1)
    run = evaluated(folder, None, tmp_path / "part")
    monkeypatch.chdir(tmp_path)
    merged = fiducial("merge", "part", run, "--out", "merged")
    assert merged.code == 0
    assert merged.err.startswith(f"note: {run}: the same run as part; it is merged once\n")
    took = [json.loads((place / "run.json").read_text())["roster"] for place in (run, tmp_path / "merged")]
    assert [judge["seconds"] for judge in took[0]] == [judge["seconds"] for judge in took[1]]
    with pytest.warns(UserWarning, match="it is merged once"):
        fd.merge([fd.load_run(run)] * 2, tmp_path / "again", progress=False)


def test_one_two_and_seventeen_parts_in_one_run_or_merged_give_the_same_numbers(
    divided: Callable[[int], list[Path]], tmp_path: Path
):
    found: list[dict[str, Any]] = []
    for parts in (1, 2, 17):
        folders = divided(parts)
        whole = together(folders, tmp_path / f"together {parts}")
        found.append(
            numbers(evaluated(whole, whole / "labels.jsonl", tmp_path / f"run of {parts}"), scratch=tmp_path)
        )
        runs = [
            evaluated(folder, folder / "labels" / "labels.jsonl", tmp_path / f"run {part} of {parts}")
            for part, folder in enumerate(folders)
        ]
        merged = tmp_path / f"merged of {parts}"
        fd.merge(runs[::-1], merged, progress=False)
        found.append(numbers(merged, scratch=tmp_path))
    assert found[0]["counts"]["outputs"] == 360
    assert {rate["by"] for rate in found[0]["results"][0]["strata"]} >= {
        "words/function",
        "names-it/function",
    }
    for other in found[1:]:
        assert other == found[0]


@pytest.fixture
def parts(divided: Callable[[int], list[Path]], tmp_path: Path) -> Callable[..., list[Path]]:
    """Two finished runs, of a part each."""

    def run(*options: dict[str, Any]) -> list[Path]:
        outs = [tmp_path / "run 0", tmp_path / "run 1"]
        for folder, out, given in zip(divided(2), outs, [*options, {}, {}], strict=False):
            fd.evaluate(folder / "cases", folder / "outputs", out=out, progress=False, **given)
        return outs

    return run


def test_merging_again_changes_nothing_and_after_a_kill_goes_on(
    parts: Callable[..., list[Path]], tmp_path: Path
):
    runs, out = parts(), tmp_path / "merged"
    fd.merge(runs, out, progress=False)
    journal = (out / "verdicts.jsonl").read_bytes()
    fd.merge(runs, out, progress=False)
    assert (out / "verdicts.jsonl").read_bytes() == journal
    (out / "verdicts.jsonl").write_bytes(journal[: len(journal) // 3])  # what a power cut leaves
    assert fd.merge(runs, out, progress=False).systems["one"].decided.n > 0
    assert (out / "verdicts.jsonl").read_bytes() == journal


def test_a_merged_run_is_a_run_like_any_other(parts: Callable[..., list[Path]], tmp_path: Path):
    result = fiducial("merge", *parts(), "--out", tmp_path / "merged")
    assert (result.code, (tmp_path / "merged" / "report.html").exists()) == (0, True)
    assert "records: " in result.out
    run = fd.load_run(tmp_path / "merged")
    assert set(run.systems) == set(SYSTEMS)
    assert len(run.verdicts) == sum(1 for _ in some_outputs())


def test_in_memory_it_comes_to_the_same(parts: Callable[..., list[Path]], tmp_path: Path):
    runs = parts()
    one, two = fd.merge(runs, progress=False), fd.merge(runs, tmp_path / "merged", progress=False)
    assert {name: rates.decided for name, rates in one.systems.items()} == {
        name: rates.decided for name, rates in two.systems.items()
    }
    with pytest.raises(UsageError, match="only in memory"):
        fd.merge([one, runs[0]], progress=False)
    with pytest.raises(UsageError, match="no run"):
        fd.merge([])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([{}, {"rules": "bfcl"}], "differs from .*run 0 in rules"),
        ([{}, {"judges": "words"}], "differs from .*run 0 in judge words/function"),
        (
            [{"judges": "words"}, {"judges": "words", "pass_at": 0.9}],
            "differs from .*run 0 in the threshold of words/function",
        ),
        (
            [{"judges": "words"}, {"judges": "words", "repeats": 2}],
            "differs from .*run 0 in how often words/function was asked",
        ),
    ],
)
def test_runs_that_were_made_in_different_ways_are_refused(
    parts: Callable[..., list[Path]], tmp_path: Path, options: list[dict[str, Any]], message: str
):
    with pytest.raises(RunFolderError, match=message):
        fd.merge(parts(*options), tmp_path / "merged", progress=False)
    assert not (tmp_path / "merged").exists()


def test_a_judge_whose_prompt_was_changed_between_the_parts_is_refused(
    parts: Callable[..., list[Path]], tmp_path: Path
):
    runs = parts({"judges": "words"}, {"judges": "words"})
    kept = (runs[1] / "run.json").read_text()
    (runs[1] / "run.json").write_text(kept.replace('"fingerprint": "', '"fingerprint": "other'))
    with pytest.raises(RunFolderError, match="judge words/function"):
        fd.merge(runs, tmp_path / "merged", progress=False)


def put_into_manifest(run: Path, **entries: Any) -> None:
    manifest = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps({**manifest, **entries}))


def test_different_verdicts_on_one_output_are_refused_with_their_line(tmp_path: Path):
    write_records(tmp_path / "cases.jsonl", some_cases())
    write_records(tmp_path / "outputs.jsonl", some_outputs())
    runs = [tmp_path / "run 0", tmp_path / "run 1"]
    for run in runs:
        fd.evaluate(tmp_path / "cases.jsonl", tmp_path / "outputs.jsonl", out=run, progress=False)
    merged = fd.merge(runs, tmp_path / "merged", progress=False)
    assert len(merged.verdicts) == sum(1 for _ in some_outputs())  # what both say the same of is there once
    lines = (runs[1] / "verdicts.jsonl").read_text().splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if '"score":1.0' in line)
    lines[at] = lines[at].replace('"score":1.0', '"score":0.5')
    (runs[1] / "verdicts.jsonl").write_text("".join(lines))
    put_into_manifest(runs[1], journals={})
    with pytest.raises(RecordError, match=rf"run 1/verdicts.jsonl:{at + 1}: .* says something else of"):
        fd.merge(runs, tmp_path / "again", progress=False)


def test_an_output_that_is_in_two_files_is_refused(parts: Callable[..., list[Path]], tmp_path: Path):
    runs = parts()
    inputs = json.loads((runs[0] / "run.json").read_text())["inputs"]
    other = tmp_path / "copy.jsonl"
    other.write_bytes(Path(inputs[1]["path"]).read_bytes())
    fd.evaluate(inputs[0]["path"], other, out=tmp_path / "run of the copy", progress=False)
    with pytest.raises(RecordError, match=r"repeats .*copy\.jsonl:1 \(case case-1, system one, trial 0\)"):
        fd.merge([*runs, tmp_path / "run of the copy"], tmp_path / "merged", progress=False)


def test_a_run_that_is_not_finished_is_refused(parts: Callable[..., list[Path]], tmp_path: Path):
    runs = parts()
    put_into_manifest(runs[1], status="running")
    with pytest.raises(RunFolderError, match="not finished"):
        fd.merge(runs, tmp_path / "merged", progress=False)
