"""docs/records.md is what the types say, and its examples do what they are said to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import msgspec
from command import fiducial
from each_row import each_row
from scripts import script

from fiducial.records import KINDS, Kind, Verdict, read_records

DOCS = Path(__file__).parents[2] / "docs"


PAGE = script("docs/records_page.py")
EXAMPLES: list[Any] = PAGE.examples()


def test_the_page_is_current():
    assert (DOCS / "records.md").read_text(encoding="utf-8") == PAGE.page(), "run python docs/records_page.py"


def test_every_kind_has_a_minimal_and_a_full_example():
    assert [(example.kind, example.size) for example in EXAMPLES] == [
        (kind, size) for kind in KINDS for size in ("minimal", "full")
    ]
    assert all(example.kind == example.case["kind"] for example in EXAMPLES)


@each_row("kind", [name for name, spec in KINDS.items() if spec.reference is not None])
def test_the_minimal_reference_has_what_is_required_and_the_full_one_everything(kind: Kind):
    minimal, full = (example.case.get("reference", {}) for example in EXAMPLES if example.kind == kind)
    fields = msgspec.structs.fields(cast("type[msgspec.Struct]", KINDS[kind].reference))
    either = {"criterion"} if kind == "open_answer" else set[str]()  # or `criteria`, not both
    decides = {"classes", "calls"} if kind == "multi_turn" else set[str]()  # or only a judge can grade it
    assert minimal.keys() == {field.name for field in fields if field.required} | either | decides
    assert full.keys() == {field.name for field in fields} - either


@each_row("example", EXAMPLES)
def test_an_example_is_checked_as_the_page_says(tmp_path: Path, example: Any):
    result, verdicts = checked(tmp_path, example.case, example)
    assert result.code == 0, result.err
    (verdict,) = verdicts
    assert (verdict.outcome, verdict.score) == (example.outcome, example.score)


def checked(folder: Path, case: dict[str, Any], example: Any) -> tuple[Any, list[Verdict]]:
    (folder / "cases.jsonl").write_text(json.dumps(case) + "\n")
    (folder / "outputs.jsonl").write_text(json.dumps(example.output) + "\n")
    (folder / "verdicts.jsonl").unlink(missing_ok=True)
    for name, text in example.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    files = [
        folder / "cases.jsonl",
        "--outputs",
        folder / "outputs.jsonl",
        "--out",
        folder / "verdicts.jsonl",
    ]
    result = fiducial("check", *files, *example.options)
    found = folder / "verdicts.jsonl"
    return result, list(read_records(found, Verdict)) if found.exists() else []
