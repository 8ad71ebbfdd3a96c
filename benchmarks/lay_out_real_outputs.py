"""Lay out real BFCL outputs as files that fiducial reads, and compare verdicts.

They are compared with the official verdicts.

    python benchmarks/lay_out_real_outputs.py REAL OUT --data DATA
    fiducial bfcl score --data DATA --results OUT/result --scores OUT/score --partial
    python benchmarks/lay_out_real_outputs.py REAL OUT --verify OUT/score

REAL holds ``<family>/<system>/<category>.jsonl``, each line with ``id``, ``raw`` (what the system answered) and ``valid`` (the official
verdict). OUT receives ``result/`` (a BFCL result tree), ``cases.jsonl`` and ``outputs.jsonl`` (for `fiducial run` and `check`) and
``labels.jsonl`` (the official verdicts as Verdicts).
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from commands import described

from fiducial.formats.bfcl import (
    CATEGORIES,
    Category,
    open_source,
    parse_json,
    read_cases,
    to_output,
)
from fiducial.records import Output, Verdict, atomic_write, read_lines, write_records


class RealFile(NamedTuple):
    """The outputs of one system in one category."""

    system: str
    category: Category
    path: Path


class RealItem(NamedTuple):
    """One output with its official verdict."""

    id: str
    raw: Any
    valid: bool
    error_type: str | None


def main() -> int:
    """Run the script; returns its exit code."""
    parser = described(__doc__)
    parser.add_argument("real", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--data", type=Path, help="BFCL's data, for cases.jsonl")
    parser.add_argument(
        "--verify", type=Path, metavar="SCORES", help="compare a score tree with the official verdicts"
    )
    arguments = parser.parse_args()
    files = find_real(arguments.real)
    if arguments.verify is not None:
        return verify(files, arguments.verify)
    if arguments.data is None:
        parser.error("--data is needed to lay out")
    lay_out(files, arguments.data, arguments.out)
    return 0


def find_real(root: Path) -> list[RealFile]:
    """The files of real outputs, by system and category."""
    files = [
        RealFile(path.parent.name, CATEGORIES[path.stem], path)
        for path in sorted(root.glob("*/*/*.jsonl"))
        if path.stem in CATEGORIES
    ]
    if not files:
        sys.exit(f"{root} holds no <family>/<system>/<category>.jsonl")
    return files


def read_real(file: RealFile) -> Iterator[RealItem]:
    """The items of one file."""
    for line, _, text in read_lines(file.path):
        item = parse_json(text, place=str(file.path), line=line)
        yield RealItem(item["id"], item["raw"], item["valid"], item.get("error_type"))


def lay_out(files: list[RealFile], data: Path, out: Path) -> None:
    """Write the result tree, cases, outputs and labels."""
    for file in files:
        folder = out / "result" / file.system / file.category.folder
        with atomic_write(folder / f"BFCL_v4_{file.category.name}_result.json") as result_file:
            for item in read_real(file):
                line = json.dumps({"id": item.id, "result": item.raw})
                result_file.write(line.encode("ascii") + b"\n")
    source = open_source(data)
    categories = [name for name in CATEGORIES if any(file.category.name == name for file in files)]
    cases = write_records(
        out / "cases.jsonl", (case for name in categories for case in read_cases(source, CATEGORIES[name]))
    )
    outputs = write_records(
        out / "outputs.jsonl", (output_of(file, item) for file in files for item in read_real(file))
    )
    write_records(out / "labels.jsonl", (label_of(file, item) for file in files for item in read_real(file)))
    print(f"{len(files)} result files, {cases:,} cases, {outputs:,} outputs and labels in {out}")


def output_of(file: RealFile, item: RealItem) -> Output:
    """The item as an Output."""
    return to_output(item.id, file.system, file.category, item.raw)


def label_of(file: RealFile, item: RealItem) -> Verdict:
    """The official verdict as a label."""
    score = 1.0 if item.valid else 0.0
    return Verdict.on(
        output_of(file, item).key,
        score=score,
        by="bfcl/official",
        source="checker",
        error_type=item.error_type,
    )


def verify(files: list[RealFile], scores: Path) -> int:
    """Compare a score tree with the official verdicts; returns 0 when all agree."""
    total: Counter[str] = Counter()
    print(f"{'system':<34} {'category':<24} {'items':>6} {'verdicts equal':>15} {'error types equal':>18}")
    for file in files:
        failed = read_failed(
            scores / file.system / file.category.folder / f"BFCL_v4_{file.category.name}_score.json"
        )
        count: Counter[str] = Counter()
        for item in read_real(file):
            agrees = (item.id not in failed) == item.valid
            count.update(items=1, verdicts=agrees, errors=failed.get(item.id) == item.error_type)
            if not agrees:
                print(
                    f"  {item.id}: official {item.valid}, {item.error_type}; ours {failed.get(item.id, 'valid')}"
                )
        print_counts(file.system, file.category.name, count)
        total += count
    print_counts("all", "", total)
    return 0 if total["verdicts"] == total["items"] else 1


def read_failed(path: Path) -> dict[str, str]:
    """The error type of every entry that a score file lists as not valid."""
    lines = [parse_json(raw, place=str(path), line=line) for line, _, raw in read_lines(path)]
    return {
        line["id"]: line["error_type"] if "error_type" in line else line["error"]["error_type"]
        for line in lines[1:]
    }


def print_counts(system: str, category: str, count: Counter[str]) -> None:
    """One row of the comparison."""
    shares = [f"{count[key]:,} ({count[key] / count['items']:.2%})" for key in ("verdicts", "errors")]
    print(f"{system:<34} {category:<24} {count['items']:>6,} {shares[0]:>15} {shares[1]:>18}")


if __name__ == "__main__":
    sys.exit(main())
