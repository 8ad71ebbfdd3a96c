"""Draws the fixed set of probes on which judges are measured: data/audit-set-1.

    FIDUCIAL_REFERENCE=/path/to/reference python benchmarks/audit_set.py --out FOLDER

The probes are those of `fiducial audit mutate` on the built-in suite (seed 0). Of each operator those are taken first about which a real model's replies are
recorded, then others in the order in which an audit takes them. The set was drawn once: later operators do not change it, and a change of what is drawn
here is a new set. The natural part names real outputs on BFCL by id and hash: the 500 that `make requests` draws (seed 1), half of them right by BFCL's
verdicts. Prints the counts and the seal.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
from collections import Counter
from collections.abc import Set as AbstractSet
from pathlib import Path

import msgspec
from commands import described, reference_folder
from make_requests import draw_real
from recorded_audit import ask_probes

from fiducial.data import demo_path
from fiducial.deterministic import CheckOptions
from fiducial.deterministic.mutation import OPERATORS
from fiducial.evaluation.audit.building import ProbeSettings, build_probes
from fiducial.evaluation.audit.cards.audit_sets import NATURAL, SOURCES
from fiducial.evaluation.audit.cards.natural_faults import NaturalReference, reference_to
from fiducial.evaluation.audit.probe_folder import ORIGINAL, PROBES, ProbeFacts, read_facts, read_manifest
from fiducial.evaluation.audit.sampling import choose_probes
from fiducial.evaluation.inputs import file_sha256
from fiducial.evaluation.progress import Silent
from fiducial.records import (
    Case,
    CaseIndex,
    ItemKey,
    Output,
    Verdict,
    read_records,
    write_json,
    write_records,
)
from fiducial.records.folder_files import CASES, LABELS, OUTPUTS

REAL, SEED = 500, 1
"""Real outputs of the natural part, and the seed of their draw."""

FEW, MANY = 7, 13
"""Probes of an operator: of faults and twins, and of attacks and their controls."""


def main() -> int:
    """Draw the set; returns the exit code."""
    parser = described(__doc__)
    parser.add_argument("--out", type=Path, required=True)
    out: Path = parser.parse_args().out
    with tempfile.TemporaryDirectory() as name:
        probes = Path(name)
        settings = ProbeSettings(operators=list(OPERATORS.values()), options=CheckOptions())
        build_probes(demo_path("cases.jsonl"), [demo_path("outputs.jsonl")], probes, settings, Silent())
        said, applied, _ = ask_probes(probes, reference_folder("recorded") / "audit.jsonl")
        drawn = draw(probes, {each.output.key for each in said})
        write(probes, drawn, out)
    print(f"recorded replies that apply: {applied}")
    print(dict(Counter(facts.plants for facts in drawn.values())))
    print(f"seal {hashlib.sha256((out / PROBES).read_bytes()).hexdigest()}")
    return 0


def draw(probes: Path, recorded: AbstractSet[ItemKey]) -> dict[ItemKey, ProbeFacts]:
    """Choose the probes of the set, with the right outputs that its twins were made of.

    Args:
        probes: All probes of the suite.
        recorded: Probes with a recorded reply.
    """
    facts = list(read_facts(probes))
    with CaseIndex(probes / CASES) as cases:
        in_order = choose_probes(facts, len(facts), cases.cluster).probes
    of_operator: dict[str, list[ProbeFacts]] = {}
    for each in in_order.values():
        of_operator.setdefault(each.operator, []).append(each)
    right = {probe_facts.key: probe_facts for probe_facts in of_operator.pop(ORIGINAL)}
    drawn: dict[ItemKey, ProbeFacts] = {}
    for group in of_operator.values():
        most = MANY if group[0].plants in {"attack", "control"} else FEW
        first = sorted(group, key=lambda each: each.key not in recorded)
        drawn.update((probe_facts.key, probe_facts) for probe_facts in first[:most])
    sources = {probe_facts.source for probe_facts in drawn.values() if probe_facts.plants == "twin"}
    return {**{key: right[key] for key in right if key in sources}, **drawn}


def write(probes: Path, drawn: dict[ItemKey, ProbeFacts], out: Path) -> None:
    """Write the folder of the set: the drawn probes, their cases, and the manifest."""
    out.mkdir(parents=True, exist_ok=True)
    write_records(out / NATURAL, natural_references())
    used = {key.case_id for facts in drawn.values() for key in (facts.key, facts.source)}
    write_records(out / CASES, (record for record in read_records(probes / CASES, Case) if record.id in used))
    write_records(
        out / OUTPUTS, (record for record in read_records(probes / OUTPUTS, Output) if record.key in drawn)
    )
    write_records(
        out / LABELS, (record for record in read_records(probes / LABELS, Verdict) if record.key in drawn)
    )
    sources = {facts.source for facts in drawn.values()}
    right = {record.key: record for record in read_records(probes / OUTPUTS, Output) if record.key in sources}
    write_records(out / SOURCES, (right[key] for key in sorted(right)))
    manifest = read_manifest(probes)
    counts = Counter(facts.operator for facts in drawn.values())
    write_json(
        out / PROBES,
        msgspec.structs.replace(
            manifest,
            inputs={f"data/{Path(path).name}": digest for path, digest in manifest.inputs.items()},
            files={name: file_sha256(out / name) for name in (CASES, OUTPUTS, LABELS, NATURAL)},
            right_outputs=counts["original"],
            operators=[
                msgspec.structs.replace(operator, probes=counts[operator.name], dropped=0, missed_by_bfcl=0)
                for operator in manifest.operators
                if counts[operator.name]
            ],
        ),
    )


def natural_references() -> list[NaturalReference]:
    """Return references to the real outputs, in the order of their keys."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        draw_real(reference_folder("recorded").parent, folder, REAL, SEED)
        cases = {record.id: record for record in read_records(folder / CASES, Case)}
        outputs = {record.key: record for record in read_records(folder / OUTPUTS, Output)}
        labels = {record.key: record for record in read_records(folder / LABELS, Verdict)}
    return [reference_to(cases[key.case_id], outputs[key], labels[key]) for key in sorted(outputs)]


if __name__ == "__main__":
    sys.exit(main())
