"""Verdicts on real outputs that each strict rule changes.

The table of docs/bfcl-differences.md.

Checks every single-turn output of FIDUCIAL_REFERENCE/bfcl_real under both rule sets and names, for each verdict that differs,
the rule behind it.

    python benchmarks/strict_differences.py
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from commands import reference_folder

from fiducial.deterministic import CheckOptions, Finding, check_result
from fiducial.formats.bfcl import CATEGORIES, open_source, read_cases
from fiducial.records import Case

NATIVE = {"v4_gpt_oss"}
"""Families of systems that called natively, under names with underscores."""

STRICTER = (
    # (what stands in the strict finding's error type or reason, the rule)
    ("irrelevance_error:broken_call", "a broken call is no abstention"),
    ("relevance_error:unknown_function", "a call that the tools refute fails"),
    ("relevance_error:missing_required", "a call that the tools refute fails"),
    ("relevance_error:value_not_in_enum", "a call that the tools refute fails"),
    ("a call was made", "a call where some call is right is left open"),
    ("comes without its name", "positional arguments do not vanish"),
    ("comes twice", "an argument given twice is a failure"),
    ("as {name: JSON text", "an item with several names is a failure"),
    ("not JSON", "lax JSON is a failure"),
    ("got ''", "the marker of an optional argument is no value"),
    ("got []", "the marker of an optional argument is no value"),
    ("expected a value of type string", "a bare name is no text"),
    ("cannot_find_match", "a bare name is no text"),
    ("value_error:string", "signs, points and separators count in texts"),
    ("dict", "types count inside lists and dicts"),
    ("list", "types count inside lists and dicts"),
)
LAXER = (
    # (what stands in BFCL's finding, the rule that lets the output pass)
    ("irrelevance_error:decoder_success", "prose that parses as a call is none"),
    ("type_error:nested", "integers are fine in lists of floats"),
    ("wrong_func_name", "a dotted name may be written with underscores"),
    ("cannot_find_match", "a dotted name may be written with underscores, in a parallel answer"),
    ('"', "Java texts in arrays lose their quotes"),
    ("left out", "the documented default is the same as leaving out"),
    ("type_error:simple", "the documented default is the same as leaving out"),
)


def read_outputs(reference: Path) -> Iterator[tuple[bool, dict[str, Any]]]:
    """Every single-turn output: whether its system called natively, and the record."""
    for path in sorted((reference / "bfcl_real").glob("*/*/*.jsonl")):
        if not path.name.startswith("multi_turn"):
            for line in path.read_text(encoding="utf-8").splitlines():
                yield path.parts[-3] in NATIVE, json.loads(line)


def rule_behind(bfcl: Finding, strict: Finding) -> str:
    """The strict rule that makes the difference."""
    table, finding = (LAXER, bfcl) if strict.valid else (STRICTER, strict)
    said = f"{finding.error_type} {finding.reason}"
    return next((rule for mark, rule in table if mark in said), f"other: {said[:90]}")


def main() -> None:
    """Compare and print."""
    reference = reference_folder()
    source = open_source(reference / "bfcl" / "data")
    single = [category for category in CATEGORIES.values() if category.family in ("ast", "relevance")]
    cases: dict[str, Case] = {case.id: case for category in single for case in read_cases(source, category)}
    changes: Counter[tuple[str, str]] = Counter()
    total = 0
    for native, record in read_outputs(reference):
        total += 1
        bfcl, strict = (
            check_result(
                cases[record["id"]],
                record["raw"],
                mode="fc" if native else "prompt",
                options=CheckOptions(rules=rules, names="underscored" if native else "dotted"),
            )
            for rules in ("bfcl", "strict")
        )
        if (bfcl.score, bfcl.outcome) != (strict.score, strict.outcome):
            outcome = "undecided" if strict.outcome == "undecided" else "pass" if strict.valid else "fail"
            changes[rule_behind(bfcl, strict), outcome] += 1
    print(f"strict differences: {sum(changes.values())} of {total:,} verdicts on real outputs change")
    for (rule, outcome), count in changes.most_common():
        print(f"| {rule} | {count} | {outcome} |")


if __name__ == "__main__":
    main()
