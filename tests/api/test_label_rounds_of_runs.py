"""Labels that are added to a run in rounds: counted as looks, and the order of a sequence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
from open_answers import CASES, OUTPUTS

import fiducial as fd
from fiducial.api.labels import join_labels
from fiducial.evaluation.store.run_store import RunStore
from fiducial.records import Verdict, read_records, write_records


def labels_of(cases: range, path: Path) -> Path:
    """Write labels of these cases."""
    given = (
        Verdict(
            case_id=f"c{n}",
            system="me",
            by="ann",
            source="human",
            outcome="graded",
            score=float(n % 3 > 0 or n % 4 == 0),
        )
        for n in cases
    )
    write_records(path, given)
    return path


def lenient(output: str) -> float:
    return float("good" in output)


def evaluated(folder: Path, **options: Any) -> fd.Run:
    return fd.evaluate(CASES, OUTPUTS, judges=[fd.judge_from(lenient)], rules=None, out=folder, **options)


def rounds_in(folder: Path) -> int:
    counts = RunStore(folder).manifest.counts
    assert counts is not None
    return counts.label_rounds


def test_rounds_are_counted_on_the_screen_and_order_the_sequence(tmp_path: Path):
    folder = tmp_path / "run"
    evaluated(folder)
    assert rounds_in(folder) == 0
    first = join_labels(folder, labels_of(range(20), tmp_path / "1"))
    assert (first.rounds, "labels came in" in str(first)) == (1, False)
    second = join_labels(folder, labels_of(range(10, 32), tmp_path / "2"))
    assert (second.rounds, second.unchanged) == (2, 10)
    assert f"`fiducial estimate {folder} --anytime` holds at every look" in str(second)
    added = [label.evidence.get("added_in", 1) for label in read_records(folder / "labels.jsonl", Verdict)]
    assert sorted(added) == [1] * 20 + [2] * 12
    again = evaluated(folder)
    assert rounds_in(folder) == 2
    assert "labels came in 2 rounds" in " ".join(str(again).split())
    part = fd.estimate(folder, anytime=True, labels_chosen_by="random").all
    assert part.anytime is not None
    assert (part.anytime.order, part.anytime.rounds, part.reported) == ("rounds", [20, 12], "anytime")
    fixed = fd.estimate(folder, labels_chosen_by="random").all
    assert any(caution.kind == "looked_at" for caution in fixed.cautions)


def test_one_round_is_no_look_before(tmp_path: Path):
    folder = tmp_path / "run"
    evaluated(folder)
    join_labels(folder, labels_of(range(20), tmp_path / "1"))
    assert "labels came in" not in str(evaluated(folder))
    part = fd.estimate(folder, anytime=True, labels_chosen_by="random").all
    assert part.label_rounds == [20]
    assert part.reported == "anytime"


def test_a_comparison_counts_rounds_of_labels_that_correct_it(tmp_path: Path):
    folder = tmp_path / "run"
    both = [*OUTPUTS, *({**output, "system": "you"} for output in OUTPUTS)]
    options: dict[str, Any] = {"judges": [fd.judge_from(lenient)], "rules": None, "out": folder}
    fd.evaluate(CASES, both, **options)
    for number, cases in enumerate((range(20), range(20, 32))):
        path = labels_of(cases, tmp_path / str(number))
        given = list(read_records(path, Verdict))
        write_records(path, [*given, *(msgspec.structs.replace(verdict, system="you") for verdict in given)])
        join_labels(folder, path)
    found = fd.compare(folder, by="system", labels_chosen_by="random")
    assert [caution.about for caution in found.cautions if caution.kind == "looked_at"] == [{"rounds": 2}]
    assert str(found).count("labels came in 2 rounds") == 1
    assert str(fd.evaluate(CASES, both, **options)).count("labels came in") == 1
    checked = fd.compare(
        [{"item_id": n, "judge": "j", "system": s, "score": 1.0} for n in "ab" for s in "xy"], by="system"
    )
    assert "looked_at" not in {caution.kind for caution in checked.cautions}
