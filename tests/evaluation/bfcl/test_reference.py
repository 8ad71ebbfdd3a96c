"""Verdicts equal to the original's, on its references and on real outputs in result trees."""

from __future__ import annotations

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.reference

Records = list[dict[str, Any]]


def error_types(lines: Records) -> dict[str, str]:
    return {line["id"]: line.get("error_type") or line["error"]["error_type"] for line in lines[1:]}


def reference_records(path: Path) -> dict[tuple[str, bool], Records]:
    """Records by what has to be said once for a tree: mode, and how names were offered."""
    groups: dict[tuple[str, bool], Records] = defaultdict(list)
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            mode = record.get("mode") or record["level"]
            if mode != "decoded":
                groups[mode, record.get("underscore_to_dot", False)].append(record)
    return groups


def by_system(records: Records) -> Iterator[tuple[str, str, Records]]:
    """One made-up system for the first record of every entry, one for the second, ..."""
    seen: Counter[str] = Counter()
    files: dict[tuple[str, str], Records] = defaultdict(list)
    for record in records:
        files[f"system-{seen[record['id']]}", record["category"]].append(record)
        seen[record["id"]] += 1
    return ((system, category, file) for (system, category), file in files.items())


def stored(record: dict[str, Any]) -> Any:
    return record[next(key for key in ("output", "result", "turns") if key in record)]


@pytest.mark.parametrize(
    "name", ["ast_prompt", "ast_fc", "format_sensitivity", "relevance", "agentic", "multi_turn"]
)
def test_every_reference_verdict_and_error_type_is_the_same(
    reference: Path, new_tree: Callable[[Path, str], Any], name: str
):
    compared = 0
    for (mode, underscored), records in reference_records(
        reference / f"bfcl/reference/{name}.jsonl.gz"
    ).items():
        tree = new_tree(reference / "bfcl/data", f"{mode}-{underscored}")
        files = list(by_system(records))
        for system, category, file in files:
            tree.answer(system, {record["id"]: stored(record) for record in file}, category)
        tree.score(partial=True, mode=mode, names="underscored" if underscored else "dotted")
        for system, category, file in files:
            ours = error_types(tree.score_file(system, category))
            expected = {record["id"]: record["error_type"] for record in file if not record["valid"]}
            assert ours == expected, (system, category)
            compared += len(file)
    print(f"{name}: {compared:,} verdicts and error types equal")


def test_every_real_output_has_its_official_verdict(reference: Path, new_tree: Callable[[Path, str], Any]):
    tree = new_tree(reference / "bfcl/data", "real")
    expected: dict[tuple[str, str], dict[str, str]] = {}
    compared = 0
    for path in sorted((reference / "bfcl_real").glob("*/*/*.jsonl")):
        items = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        tree.answer(path.parent.name, {item["id"]: item["raw"] for item in items}, path.stem)
        expected[path.parent.name, path.stem] = {
            item["id"]: item["error_type"] for item in items if not item["valid"]
        }
        compared += len(items)
    tree.score(partial=True)
    for (system, category), wrong in expected.items():
        assert error_types(tree.score_file(system, category)) == wrong, (system, category)
    print(f"real outputs: {compared:,} verdicts and error types equal")
