"""Several people and a judge, from files of verdicts to the test."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from command import fiducial

from fiducial.errors import UsageError
from fiducial.evaluation.audit.annotators import alternative_annotators, read_annotations
from fiducial.records import Source, Verdict, write_records


def said(by: str, source: Source, scores: list[float], repeat: int = 0) -> list[Verdict]:
    return [
        Verdict(
            case_id=f"case-{number}",
            system="s",
            by=by,
            source=source,
            outcome="graded",
            score=score,
            repeat=repeat,
        )
        for number, score in enumerate(scores)
    ]


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Three people who err one time in five, and a judge that does not."""
    chance = random.Random(0)
    truth = [float(chance.random() < 0.5) for _ in range(100)]
    paths: list[Path] = []
    for name in ("ana", "ben", "cleo"):
        scores = [right if chance.random() < 0.8 else 1 - right for right in truth]
        paths.append(tmp_path / f"{name}.jsonl")
        write_records(paths[-1], said(name, "human", scores))
    paths.append(tmp_path / "judge.jsonl")
    write_records(paths[-1], [*said("j@m", "judge", truth), *said("j@m", "judge", [0.0] * 100, repeat=1)])
    return paths


def test_a_judge_that_is_right_may_stand_in_for_people_who_err(files: list[Path]):
    (result,) = alternative_annotators(read_annotations(files))
    assert (result.judge, result.people) == ("j@m", ["ana", "ben", "cleo"])
    at_crowd = next(test for test in result.by_epsilon if test.epsilon == 0.1)
    assert (at_crowd.winning_rate, at_crowd.passes) == (1.0, True)


def test_cases_that_a_run_keeps_together_count_together(files: list[Path]):
    alone = alternative_annotators(read_annotations(files))[0].by_epsilon[0].annotators[0]
    (files[0].parent / "clusters.json").write_text(
        json.dumps({f"case-{number}": f"notes-{number // 4}" for number in range(100)})
    )
    together = alternative_annotators(read_annotations(files))[0].by_epsilon[0].annotators[0]
    assert (alone.n_clusters, together.n_clusters) == (100, 25)
    assert alone.p != together.p


def test_the_command_shows_every_handicap(files: list[Path]):
    result = fiducial("audit", "alt-test", *files)
    assert result.code == 0
    assert "j@m: against 3 people" in result.out
    assert len(result.out.splitlines()) == 9


def test_people_with_too_few_shared_outputs_are_told_how_many_are_needed(tmp_path: Path):
    shared = {"ann": 27, "bob": 27, "j@m": 40, "k@m": 40}
    for name, n in shared.items():
        verdicts = said(name, "judge" if "@" in name else "human", [1.0] * n)
        write_records(tmp_path / f"{name}.jsonl", verdicts)
    result = fiducial("audit", "alt-test", *(tmp_path / f"{name}.jsonl" for name in shared))
    assert result.out == "Cannot tell: ann and bob share 27 outputs; 30 are needed.\n"


def test_an_excluded_person_is_named_below_the_test_of_the_others(files: list[Path], tmp_path: Path):
    write_records(tmp_path / "dan.jsonl", said("dan", "human", [1.0] * 12))
    result = fiducial("audit", "alt-test", *files, tmp_path / "dan.jsonl")
    assert result.out.splitlines()[-1] == "  excluded: dan shares 12 outputs; 30 are needed."


def test_judges_that_cannot_be_tested_are_named_beside_one_that_can(files: list[Path], tmp_path: Path):
    write_records(tmp_path / "few.jsonl", said("few@m", "judge", [1.0] * 5))
    result = fiducial("audit", "alt-test", *files, tmp_path / "few.jsonl")
    assert (
        "Cannot tell of few@m: ana, ben and cleo share 5 outputs; 30 are needed." in result.out.splitlines()
    )


def test_one_person_has_nobody_to_be_compared_with(files: list[Path]):
    with pytest.raises(UsageError, match="got people: 1, judges: 1"):
        read_annotations([files[0], files[-1]])
