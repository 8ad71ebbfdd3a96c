from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import fiducial

from fiducial.errors import InputError
from fiducial.evaluation.shards import part_of
from fiducial.records import Case, CaseIndex, Output, write_records


def case(number: int) -> Case:
    return Case(id=f"case-{number}", kind="memory_answer", reference={"answers": [f"City{number}"]})


def output(number: int, system: str = "s") -> Output:
    return Output(
        case_id=f"case-{number}", system=system, text=f"City{number}" if number % 3 else "I do not know."
    )


def test_parts_are_the_same_everywhere_and_of_about_one_size():
    assert [part_of(name, 17) for name in ("case-1", "case-2", "ü\ud800")] == [6, 1, 3]
    sizes = [sum(part_of(f"case-{number}", 4) == part for number in range(4_000)) for part in range(4)]
    assert sum(sizes) == 4_000
    assert all(900 < size < 1_100 for size in sizes)


def test_cases_of_several_files_are_one_index(tmp_path: Path):
    write_records(tmp_path / "a.jsonl", map(case, range(3)))
    write_records(tmp_path / "b.jsonl", map(case, range(3, 5)))
    with CaseIndex([tmp_path / "a.jsonl", tmp_path / "b.jsonl"]) as cases:
        assert [cases[each].id for each in reversed(list(cases))] == [f"case-{n}" for n in (4, 3, 2, 1, 0)]
        assert str(cases.path) == f"{tmp_path / 'a.jsonl'} and 1 more"


def test_a_case_that_two_files_have_is_refused_with_both_places(tmp_path: Path):
    write_records(tmp_path / "a.jsonl", map(case, range(3)))
    write_records(tmp_path / "b.jsonl", map(case, range(5, 1, -1)))
    with pytest.raises(InputError) as refused:
        CaseIndex([tmp_path / "a.jsonl", tmp_path / "b.jsonl"])
    assert str(refused.value) == (
        f"{tmp_path / 'b.jsonl'}:4: id: the id 'case-2' is already on line 3 of {tmp_path / 'a.jsonl'}; ids are unique"
    )


def test_more_files_than_are_held_open_at_a_time_are_read(tmp_path: Path):
    files = [tmp_path / f"{number}.jsonl" for number in range(100)]
    for number, path in enumerate(files):
        write_records(path, [case(number)])
    with CaseIndex(files) as cases:
        assert [cases[f"case-{number}"].id for number in range(100)] == [
            f"case-{number}" for number in range(100)
        ]


@pytest.mark.parametrize("parts", [1, 2, 17])
def test_checking_shards_says_the_same_however_many_there_are(tmp_path: Path, parts: int):
    cases, outputs = list(map(case, range(90))), [output(n, s) for n in range(90) for s in ("z", "b")]
    for part in range(parts):
        for name, records in (("cases", cases), ("outputs", outputs)):
            inside = [
                record
                for record in records
                if part_of(getattr(record, "case_id", getattr(record, "id", "")), parts) == part
            ]
            (tmp_path / name).mkdir(exist_ok=True)
            write_records(tmp_path / name / f"{part}.jsonl", inside)
    command = (
        "check",
        tmp_path / "cases",
        "--outputs",
        tmp_path / "outputs",
        "--out",
        tmp_path / "out.jsonl",
    )
    result = fiducial(*command, "--json", tmp_path / "found.json")
    assert result.code == 0, result.err
    found = json.loads((tmp_path / "found.json").read_text())["systems"]
    assert [(each["system"], each["strata"][0]["value"], each["strata"][0]["n"]) for each in found] == [
        ("b", 2 / 3, 90),
        ("z", 2 / 3, 90),
    ]
