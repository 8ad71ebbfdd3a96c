from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from fiducial.errors import InputError, RunFolderError, UsageError
from fiducial.evaluation.labelling.review_sample import (
    OutputsByGrader,
    ReviewSample,
    SampleKind,
    draw_rows,
    draw_sample,
    outputs_by_grader,
)
from fiducial.evaluation.store.run_store import RunStore
from fiducial.records import Outcome, Source, Verdict, write_json, write_records

MANIFEST: dict[str, Any] = {"results": [], "status": "complete", "pass_at": 0.5}


def verdict(number: int, score: float | None, *, by: str = "rubric/a@m", source: Source = "judge") -> Verdict:
    outcome: Outcome = "graded" if score is not None else "undecided" if source == "checker" else "failed"
    return Verdict(case_id=f"c|{number}", system="s", by=by, source=source, outcome=outcome, score=score)


def run_of(folder: Path, verdicts: Iterable[Verdict], labels: Iterable[Verdict] = ()) -> Path:
    folder.mkdir()
    write_json(folder / "run.json", MANIFEST)
    write_records(folder / "verdicts.jsonl", verdicts)
    if labels := list(labels):
        write_records(folder / "labels.jsonl", labels)
    return folder


def draw(folder: Path, kind: SampleKind, count: int, **options: Any) -> ReviewSample:
    with RunStore(folder) as store:
        return draw_sample(store, kind, count, **options)


def parts(folder: Path) -> OutputsByGrader:
    with RunStore(folder) as store:
        return outputs_by_grader(store)


def rows_of(folder: Path, sample: ReviewSample) -> list[dict[str, Any]]:
    with RunStore(folder) as store:
        return list(draw_rows(store, sample))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Write a run of 100 open outputs and 40 decided ones, judged in part.

    The judge passes or fails the open ones in turn, and was asked about 20 decided ones.
    """
    checked = [verdict(n, None if n < 100 else 1.0, by="ast/bfcl", source="checker") for n in range(140)]
    return run_of(tmp_path / "run", [*checked, *(verdict(n, float(n % 2)) for n in range(120))])


def numbers(keys: Iterable[Any]) -> list[int]:
    return [int(key.case_id.partition("|")[2]) for key in keys]


def test_an_open_sample_is_of_the_open_part_alone(run: Path):
    sample = draw(run, "open", 30)
    assert (len(sample.keys), len(set(sample.keys)), sample.of) == (30, 30, 100)
    assert max(numbers(sample.keys)) < 100
    assert sample.provenance == {"sample": "open", "seed": 0, "of": 100}


def test_the_same_seed_draws_the_same_and_more_keeps_what_was_drawn(run: Path):
    first = draw(run, "open", 10, seed=5)
    assert draw(run, "open", 30, seed=5).keys[:10] == first.keys
    assert draw(run, "open", 10, seed=6).keys != first.keys


def test_every_output_is_as_likely_to_be_drawn(run: Path):
    """Over 100 draws of 10 of 100, each output's count is 10 with a standard deviation of 3.

    Four of those hardly ever occur in a fair draw.
    """
    drawn = [number for seed in range(100) for number in numbers(draw(run, "open", 10, seed=seed).keys)]
    counts = [drawn.count(number) for number in range(100)]
    assert sum(counts) == 1000
    assert 0 < min(counts) <= 10 <= max(counts) < 22


def test_an_audit_of_the_checker_is_of_decided_outputs_that_a_judge_graded(run: Path):
    sample = draw(run, "decided", 50)
    assert sorted(numbers(sample.keys)) == list(range(100, 120))


def test_without_judges_an_audit_is_of_all_decided_outputs(tmp_path: Path):
    checked = [verdict(n, 1.0, by="ast/bfcl", source="checker") for n in range(7)]
    assert draw(run_of(tmp_path / "r", checked), "decided", 50).of == 7


def test_without_checkers_everything_is_open(tmp_path: Path):
    folder = run_of(tmp_path / "r", [verdict(0, 1.0), verdict(1, None)])
    assert sorted(numbers(parts(folder).open)) == [0, 1]


def test_what_no_checker_could_apply_to_is_in_no_part(tmp_path: Path):
    held = Verdict(case_id="x", system="s", by="artifact", source="checker", outcome="not_applicable")
    found = parts(run_of(tmp_path / "r", [held, verdict(1, 1.0, by="ast", source="checker")]))
    assert (found.open, numbers(found.decided)) == (set(), [1])


def test_a_judge_narrows_the_sample_to_what_it_graded(run: Path):
    assert draw(run, "open", 200, judge="rubric/a@m").of == 100
    with pytest.raises(UsageError, match=r"no such judge in .*; there are: rubric/a@m"):
        draw(run, "open", 5, judge="rubric/b@m")


def test_a_draw_by_doubt_is_of_open_outputs_without_a_label_and_keeps_its_chances(tmp_path: Path):
    checked = [verdict(n, None if n < 200 else 1.0, by="ast/bfcl", source="checker") for n in range(240)]
    judged = [verdict(n, 0.5 if n % 2 else 1.0) for n in range(240)]
    person = [verdict(n, 1.0, by="ann", source="human") for n in range(20)]
    folder = run_of(tmp_path / "r", [*checked, *judged], person)
    sample = draw(folder, "doubt", 60)
    drawn = numbers(sample.keys)
    assert 20 <= min(drawn) <= max(drawn) < 200
    assert (sample.of, sample.judge, set(sample.chances)) == (200, "rubric/a@m", set(sample.keys))
    chances = [sample.chances[key] for key in sample.keys]
    doubtful = {chance for chance, number in zip(chances, drawn, strict=True) if number % 2}
    sure = {chance for chance, number in zip(chances, drawn, strict=True) if not number % 2}
    assert min(doubtful) > max(sure)
    rows = rows_of(folder, sample)
    assert len(rows) == 200
    assert {row["item_id"] for row in rows if "label_probability" in row} == {str(key) for key in sample.keys}
    assert sum(row["label"] is not None for row in rows) == 20


def test_doubt_needs_one_judge(tmp_path: Path):
    checked = [verdict(n, None, by="ast/bfcl", source="checker") for n in range(4)]
    judged = [verdict(n, 0.5, by=by) for by in ("j", "k") for n in range(4)]
    folder = run_of(tmp_path / "r", [*checked, *judged])
    with pytest.raises(InputError, match=r"2 judges .*name one with judge="):
        draw(folder, "doubt", 2)
    assert draw(folder, "doubt", 4, judge="k").judge == "k"


def test_the_suspected_are_labels_that_judges_contradict(tmp_path: Path):
    checked = [verdict(n, float(n % 2), by="ast/bfcl", source="checker") for n in range(40)]
    judged = [verdict(n, 1.0 if n == 6 else float(n % 2)) for n in range(40)]
    sample = draw(run_of(tmp_path / "r", [*checked, *judged]), "suspected", 5)
    assert (numbers(sample.keys), sample.of) == ([6], 1)


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("open", "no undecided outputs are left"),
        ("doubt", "none can be drawn by doubt"),
        ("suspected", "no label is contradicted"),
    ],
)
def test_an_empty_choice_says_why(tmp_path: Path, kind: Any, message: str):
    checked = [verdict(n, 1.0, by="ast/bfcl", source="checker") for n in range(4)]
    folder = run_of(tmp_path / "r", [*checked, *(verdict(n, 1.0) for n in range(4))])
    with pytest.raises(UsageError, match=message):
        draw(folder, kind, 5)


def test_a_run_that_was_not_finished_is_refused(tmp_path: Path):
    folder = run_of(tmp_path / "r", [verdict(1, 1.0)])
    assert RunStore(folder).finished().status == "complete"
    unfinished: list[dict[str, Any]] = [{"identity": {}}, MANIFEST | {"status": "running"}]
    for manifest in unfinished:
        write_json(folder / "run.json", manifest)
        with pytest.raises(RunFolderError, match="is not finished; rerun its command"):
            RunStore(folder).finished()
