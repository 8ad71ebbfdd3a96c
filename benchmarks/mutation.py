"""Mutants and twins per second on one core, and a complete audit over HTTP.

Run it with ``make bench``, or by itself.

    FIDUCIAL_REFERENCE=... python benchmarks/mutation.py

Right answers are made of the references of all of BFCL's Python single-turn categories; the audited judge answers at once on loopback.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from commands import reference_folder
from provider_server import Answer, ProviderServer, Seen

from fiducial.deterministic import CheckOptions, check
from fiducial.deterministic.mutation import OPERATORS, Weakness
from fiducial.evaluation.audit.audit_plan import AuditPlan
from fiducial.evaluation.audit.audit_run import run_audit
from fiducial.evaluation.audit.building import ProbeSettings, build_probes
from fiducial.evaluation.audit.probe_folder import WEAKNESSES, ProbeManifest
from fiducial.evaluation.inputs import EvaluationInputs
from fiducial.evaluation.judging.access import ModelAccess
from fiducial.evaluation.progress import Silent
from fiducial.formats.bfcl import expand, open_source, read_cases
from fiducial.judges import Endpoint
from fiducial.records import Verdict, read_records, write_records

OTHER_LANGUAGES = {"simple_java", "simple_javascript"}
MIN_MUTANTS, MIN_TWINS, MAX_SECONDS = 20_000, 10_000, 60.0
SAMPLE, MIN_CALLS, MAX_AUDIT_SECONDS = 131, 5_000, 30.0


def write_cases(reference: Path, folder: Path) -> Path:
    """The cases of the Python single-turn categories."""
    source = open_source(reference / "bfcl" / "data")
    wanted = [category for category in expand(["single_turn"]) if category.name not in OTHER_LANGUAGES]
    path = folder / "cases.jsonl"
    count = write_records(path, (case for category in wanted for case in read_cases(source, category)))
    print(f"{count:,} cases of {len(wanted)} categories")
    return path


def mutate(cases: Path, probes: Path) -> bool:
    """Make probes, print how many and how fast; whether that is enough."""
    settings = ProbeSettings(operators=list(OPERATORS.values()), options=CheckOptions())
    started, begun = time.perf_counter(), processor_seconds()
    manifest = build_probes(cases, [], probes, settings, Silent())
    waited, took = time.perf_counter() - started, processor_seconds() - begun
    counts = manifest.by_plants
    print(f"{sum(counts.values()):,} probes in {waited:.1f} s, {took:.1f} s of processor: {counts}")
    print(f"of {manifest.right_outputs:,} right outputs; passed over: {manifest.passed_over}")
    list_weaknesses(manifest, probes)
    return counts["fault"] >= MIN_MUTANTS and counts["twin"] >= MIN_TWINS and took <= MAX_SECONDS


def processor_seconds() -> float:
    """Return the processor time of this process and of its workers that ended."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def list_weaknesses(manifest: ProbeManifest, probes: Path) -> None:
    """Print verdicts of each rule set that differ from the intended ones, by operator.

    Each has an example.
    """
    examples: dict[tuple[str, str, str], Weakness] = {}
    counts: Counter[tuple[str, str, str]] = Counter()
    for weakness in read_records(probes / WEAKNESSES, Weakness):
        key = (weakness.rules, weakness.failing, weakness.operator)
        counts[key] += 1
        examples.setdefault(key, weakness)
    dropped = sum(operator.dropped for operator in manifest.operators)
    print(f"{dropped:,} mutations dropped because strict rules judge them otherwise than they were meant:")
    for key in sorted(examples):
        example = examples[key]
        print(f"  {' '.join(key)}: {counts[key]:,}, e.g. {example.case_id}: {example.change[:110]}")


def labels_agree(probes: Path) -> bool:
    """Read everything back; return whether the strict checker agrees with every label."""
    labels = {label.key: label for label in read_records(probes / "labels.jsonl", Verdict)}
    strict = CheckOptions(rules="strict")
    with EvaluationInputs(probes / "cases.jsonl", [probes / "outputs.jsonl"]) as inputs:
        wrong = sum(
            check(case, output, strict).score != labels[output.key].score for case, output in inputs.pairs()
        )
    print(f"labels that agree with the checker: {len(labels) - wrong:,} of {len(labels):,}")
    return not wrong


def always_pass(seen: Seen) -> Answer:
    """Answer as the audited judge, which always passes."""
    del seen
    return Answer("1")


def audit(probes: Path, out: Path) -> bool:
    """Audit a judge that always passes; return whether it was fast enough."""
    with ProviderServer(always_pass) as server:
        access = ModelAccess(endpoint=Endpoint(base_url=server.base_url, api_key="none"))
        plan = AuditPlan(
            probes=probes,
            out=out,
            command="benchmark",
            judges=["tool_call_accuracy/direct"],
            model="m",
            sample=SAMPLE,
        )
        started = time.monotonic()
        run_audit(plan, lambda: access, Silent(), lambda: datetime.now(UTC))
        took = time.monotonic() - started
        calls = len(server.seen)
    print(f"complete audit: {calls:,} judge calls in {took:.1f} s (server in the same process)")
    return calls >= MIN_CALLS and took <= MAX_AUDIT_SECONDS


def main() -> int:
    """Return 1 for too few probes, labels unlike the checker's, or too much time."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cases = write_cases(reference_folder(), folder)
        probes = folder / "probes"
        good = [mutate(cases, probes), labels_agree(probes), audit(probes, folder / "audit")]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
