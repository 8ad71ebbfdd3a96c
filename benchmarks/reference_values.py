"""Comparison of every value of every ``expected.json`` with the commands' results.

Commands of the reference data are run as a person types them.

    FIDUCIAL_REFERENCE=... python benchmarks/reference_values.py [NAME ...] [--form jsonl|csv|parquet] [--how]

A value is compared to 1e-6, p-values to 1e-8, bootstrap and published numbers to the tolerance stated. What no command or function
gives is listed with the reason; the exit code is the number of values that differ or are not accounted for.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from commands import described, reference_folder
from reference import devai, llmbar, summhay, textbook
from reference.ledger import Commands, Found, Ours, Rows, agrees, leaves

VALUES: dict[str, Callable[[Commands, Rows, dict[str, Any]], Ours]] = {
    "devai": devai.values,
    "summhay": summhay.values,
    "llmbar": llmbar.values,
    "textbook": textbook.values,
}

REASONS = {
    r"^versions/|/(source|split|note|id)$|^published.*/source$|^cases\[\d+\]/(id|source|title)": "about the data, no result",
    r"cluster_bootstrap_percentile95/(B|seed|tolerance)$|/tolerance$|/input": "settings and input of an example",
    r"ci95_delta_wald|se_delta$": "Rogan-Gladen has Lang and Reiczigel's interval here; the delta interval under-covers",
    r"linking_accuracy|published_correlation_and_linking/.*\[1\]$": "share of right citations: another task than the verdict",
    r"published/(kappa_False|kappa_True|kappa_average)$": "the repository's kappa against a constant label, not comparable",
    r"conger|krippendorff_alpha_se$": "Conger's kappa is not offered; alpha has a bootstrap here, no standard error",
    r"/icc/ICC(1|3|1k|2k|3k)$|(published|recomputed)/ICC": "of two raters there is ICC(A,1) alone, as icc_a1",
    r"gwet_ac1$|gwet_ac1_se$|fleiss_kappa|brennan_prediger(_se)?$|^cases.*/kappa$": "of many raters there is Krippendorff's alpha alone",
    r"se_null$": "errors of kappa are for the kappa that there is",
    r"mcnemar_chi2|(published|recomputed)/(chi2|chi2_cc|p|asymptotic|asymptotic_cc)$": "McNemar's test is exact here, or mid-p",
    r"bonferroni_rejections$": "Holm does all that Bonferroni does",
    r"adv_Manual.*Vanilla_.shot/(order_agreement_kappa|published/)": "one verdict is missing, and was counted as a category",
    r"position_sign_test_p$": "no verdict differs: null there, an exact p of 1 here",
    r"Vanilla_2shot/mcnemar_chi2_cc": "as many for as against: the correction overshoots there (R has 0, as here)",
    r"published_mismatches": "a list of cells in which two publications differ",
}


def main() -> int:
    """Print counts for each data set."""
    parser = described(__doc__)
    parser.add_argument(
        "--form", choices=["jsonl", "csv", "parquet"], default="jsonl", help="how tables are handed over"
    )
    parser.add_argument("--how", action="store_true", help="list the command behind each value")
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"data sets: {', '.join(VALUES)}; all when left out"
    )
    arguments = parser.parse_args()
    folder = reference_folder("calibration")
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        run = Commands(Path(scratch), arguments.form)
        for name in arguments.names or VALUES:
            failed += _compare(name, folder / name, run, how=arguments.how)
    return failed


def _compare(name: str, folder: Path, run: Commands, *, how: bool) -> int:
    expected = json.loads((folder / "expected.json").read_text())
    data = folder / "data.jsonl"
    rows = [json.loads(line) for line in data.read_text().splitlines()] if data.exists() else []
    ours, counts, lines = VALUES[name](run, rows, expected), Counter[str](), list[str]()
    for path, value in leaves(expected):
        verdict, line = _verdict(path, value, ours.get(path))
        counts[verdict] += 1
        if verdict in {"differ", "not accounted for"} or how:
            lines.append(line)
    agree, differ, lost = counts.pop("agree", 0), counts.pop("differ", 0), counts.pop("not accounted for", 0)
    print(f"{name}: {agree:,} agree, {differ} differ, {lost} not accounted for")
    for reason, count in counts.most_common():
        print(f"  {count:>5} not compared: {reason}")
    for line in lines:
        print(f"  {line}")
    return differ + lost


def _verdict(path: str, value: Any, found: Found | None) -> tuple[str, str]:
    share = re.search(r"([\d.]+)%$", value) if isinstance(value, str) else None
    if share:
        value = float(share[1]) / 100
    reason = next((reason for pattern, reason in REASONS.items() if re.search(pattern, path)), None)
    if (
        isinstance(value, int | float)
        and found is not None
        and not (reason and not agrees(path, value, found))
    ):
        verdict = "agree" if agrees(path, value, found) else "differ"
        return verdict, f"{path}: expected {value}, got {found.value} ({found.how})"
    return reason or "not accounted for", f"{path}: {value!r}: {reason or 'no command gave it'}"


if __name__ == "__main__":
    sys.exit(main())
