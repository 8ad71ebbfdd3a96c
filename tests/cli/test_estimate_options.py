"""`fiducial estimate` with several judges, weights, and a declared bound."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from command import fiducial


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Two judges' scores of 300 items, of which hard ones more often have a label."""
    r = random.Random(1)
    path = tmp_path / "judged.jsonl"
    with path.open("w") as file:
        for n in range(300):
            right, hard = r.random() < 0.7, r.random() < 0.4
            labelled = r.random() < (0.5 if hard else 0.2)
            for judge in ("a", "b"):
                row = {
                    "item_id": f"q{n}",
                    "judge": judge,
                    "score": float(right if r.random() < 0.85 else not right),
                    "label": float(right) if labelled else None,
                    "category": "hard" if hard else "easy",
                    "words": r.randint(10, 400),
                }
                file.write(json.dumps(row) + "\n")
    return path


def estimated(table: Path, tmp_path: Path, *options: str) -> dict[str, Any]:
    result = fiducial("estimate", table, *options, "--json", tmp_path / "e.json")
    assert result.code == 0, result.err
    found: dict[str, Any] = json.loads((tmp_path / "e.json").read_text())["all"]["estimates"]
    return found


@pytest.mark.parametrize(
    ("options", "name"),
    [
        (("--judges", "a,b"), "several_judges"),
        (("--judge", "a", "--reweight-by", "category"), "reweighted"),
        (
            ("--judge", "a", "--reweight-by", "category,length", "--map", "covariate:length=words"),
            "reweighted",
        ),
        (("--judge", "a", "--open-worse-by", "0.1"), "open_worse_by"),
    ],
)
def test_each_option_adds_its_estimate(table: Path, tmp_path: Path, options: tuple[str, ...], name: str):
    found = estimated(table, tmp_path, *options)[name]
    assert found["low"] < found["value"] < found["high"]
    assert found["low"] < 0.7 < found["high"]


def test_the_rate_of_the_first_of_several_judges_has_its_name(table: Path):
    random_sample = ("--labels-chosen-by", "random")
    several, one = (
        fiducial("estimate", table, *of, *random_sample).out for of in (("--judges", "a,b"), ("--judge", "a"))
    )
    assert "by a alone" in " ".join(several.split())
    assert ("first judge" in several, "judge alone" in several) == (True, False)
    assert "by a alone" not in " ".join(one.split())
    assert ("first judge" in one, "judge alone" in one) == (False, True)


def test_a_mean_of_fractions_is_not_called_what_the_judge_says_passes(tmp_path: Path):
    rows = [f"{n},{0.6 + n % 4 / 10},{n % 2 if n < 12 else ''}" for n in range(20)]
    (tmp_path / "t.csv").write_text("\n".join(["item_id,score,label", *rows]))
    screen, full = (
        fiducial("estimate", tmp_path / "t.csv", "--labels-chosen-by", "random", *more).out
        for more in ((), ("-v",))
    )
    assert "; the judge's mean score is 0.75" in " ".join(screen.split())
    assert "judge's mean score, uncorrected: 0.750" in full


def test_without_them_nothing_is_added(table: Path, tmp_path: Path):
    names = estimated(table, tmp_path, "--judge", "a")
    assert not {"several_judges", "reweighted", "open_worse_by"} & names.keys()


def test_a_judge_that_is_not_there_is_named(table: Path):
    result = fiducial("estimate", table, "--judges", "a,c")
    assert (result.code, "there is no judge 'c'; there are a, b" in result.err) == (2, True)


def two_halves(folder: Path) -> tuple[Path, Path, Path]:
    """A table of 40 judged items, and the labels of 20 in two files."""
    r = random.Random(2)
    judged, first, second = folder / "judged.csv", folder / "first.csv", folder / "second.csv"
    judged.write_text("item_id,judge,score\n" + "".join(f"q{n},a,{r.randint(0, 1)}\n" for n in range(40)))
    for file, items in ((first, range(10)), (second, range(10, 20))):
        file.write_text("item_id,label\n" + "".join(f"q{n},{n % 2}\n" for n in items))
    return judged, first, second


@pytest.mark.parametrize(
    ("command", "printed"),
    [
        (("estimate", "--labels-chosen-by", "random"), "40 judged, 20 labelled"),
        (("plan", "--half-width", "0.05"), "Planned from 20 labels"),
        (("calibrate", "-v"), "20"),
    ],
)
def test_labels_may_be_in_several_files(tmp_path: Path, command: tuple[str, ...], printed: str):
    judged, first, second = two_halves(tmp_path)
    result = fiducial(command[0], judged, "--labels", first, "--labels", second, *command[1:])
    assert printed in " ".join(result.out.split()), result.err


def test_a_command_that_reads_one_file_of_labels_refuses_a_second(tmp_path: Path):
    _, first, second = two_halves(tmp_path)
    refused = fiducial("rubrics", tmp_path, "--labels", first, "--labels", second)
    assert (refused.code, refused.err) == (2, "fiducial: --labels was given twice; join the files\n")
