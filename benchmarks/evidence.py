"""Evidence page: how well a real model judges, from its recorded replies.

Writes docs/evidence.md.

    FIDUCIAL_REFERENCE=/path/to/reference python benchmarks/evidence.py [--recorded FOLDER] [--out docs/evidence.md]

Nobody is asked anything: every verdict is read from a recorded reply whose request is, word for word, what the judge asks today. How many replies apply stands
in every table. The page says what the recordings cannot show.
"""

from __future__ import annotations

import os
import platform
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from commands import described, reference_folder
from evidence_tables import MODEL, THREE, calibration_table, made, p_value, table, without_n
from evidence_tools import tools_section
from evidence_variants import (
    against_reasons,
    explicit_disagreements,
    first_wrong_step_section,
    ladder_section,
    preference_section,
)
from make_requests import draw_real
from recorded_adjudications import JUDGE, LABEL, NOBODY, Adjudicated, as_verdicts, read_recorded, side
from recorded_audit import ask_probes, by_operator, make_probes, read_facts

import fiducial as fd
from fiducial.calibration.comparison.comparison_results import ComparedPair
from fiducial.data import demo_path

EXPLICIT = ("tool_call_accuracy", "groundedness", "task_completion")
"""Judges whose variant `explicit` was recorded on the suite, later than the others."""
SUITE_JUDGES = (
    "tool_call_accuracy",
    "groundedness",
    "memory_answer",
    "web_search_answer",
    "task_completion",
    "rubric",
)
REAL_JUDGES = ("tool_call_accuracy", "task_completion")

LIMITS = """## Limits

* One model, whose replies were written 124 to 175 to a context, in random order: not independent calls. Decoding parameters were not set.
* The model recognised BFCL in several files, and may remember answers.
* The same model adjudicated; no person has looked.
* Suite and judges were written together. A model at its ceiling shows that they fit, not that the judge is good on your data: label a sample and calibrate on it.
"""


def main() -> int:
    """Write the page; returns the exit code."""
    parser = described(__doc__)
    parser.add_argument("--recorded", type=Path, help="default: recorded/ of FIDUCIAL_REFERENCE")
    parser.add_argument("--out", type=Path, help="default: printed")
    arguments = parser.parse_args()
    reference = reference_folder()
    page = "\n".join(sections(reference, arguments.recorded or reference / "recorded"))
    if arguments.out is None:
        print(page)
    else:
        arguments.out.write_text(page)
    return 0


def sections(reference: Path, recorded: Path) -> Iterator[str]:
    """The page, part by part."""
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    yield "# Evidence: a real judge, measured\n"
    yield (
        "Recorded replies of one Claude model (November 2026) to this project's judge requests. "
        f"Written by `make evidence` on {datetime.now(tz=UTC):%d %B %Y} ({machine}). "
        "Intervals are 95 %, clustered by case.\n"
    )
    yield from suite_section(recorded)
    with TemporaryDirectory() as name:
        folder = Path(name)
        draw_real(reference, folder, 500, 1)
        runs = [real_run(folder, recorded, judge) for judge in REAL_JUDGES]
        yield from real_section(runs)
        yield from adjudication_section(runs, folder, recorded)
        yield from explicit_disagreements(recorded / "adjudication-explicit.jsonl")
    yield from summaries_section(recorded)
    yield from audit_section(recorded)
    yield from ladder_section(recorded / "ladder-explicit.jsonl")
    yield from preference_section(recorded / "preference-direct.jsonl")
    yield from tools_section(recorded)
    yield "\n" + LIMITS


def suite_section(recorded: Path) -> Iterator[str]:
    """All judges on the built-in suite."""
    judges = [
        made(f"{name}/{variant}", recorded / "suite.jsonl") for name in SUITE_JUDGES for variant in THREE
    ]
    judges += [made(f"{name}/explicit", recorded / "suite-explicit.jsonl") for name in EXPLICIT]
    run = fd.evaluate(
        demo_path("cases.jsonl"),
        demo_path("outputs.jsonl"),
        judges=judges,
        labels=demo_path("labels.jsonl"),
        rules=None,
        progress=False,
    )
    yield "## The built-in suite\n"
    yield (
        "Labels are the checkers' or, if none can decide, the suite's. *Without reply*: changed after the recording. "
        "Without a variant: `direct`, `reasons` and `decomposed` alike. The threshold is 0.5, of `groundedness` and `rubric: decomposed` 1.\n"
    )
    yield from calibration_table(run)
    yield from first_wrong_step_section(recorded / "suite-first-wrong-step.jsonl")


def real_run(folder: Path, recorded: Path, judge: str) -> fd.Run:
    """The prompts of a judge on real outputs with official labels."""
    judges = [made(f"{judge}/{variant}", recorded / "real.jsonl") for variant in THREE]
    if judge == "tool_call_accuracy":
        judges.append(made(f"{judge}/explicit", recorded / "real-explicit.jsonl"))
        judges.append(made(f"{judge}/explicit_2", recorded / "real-explicit2.jsonl"))
    return fd.evaluate(
        folder / "cases.jsonl",
        folder / "outputs.jsonl",
        judges=judges,
        labels=folder / "labels.jsonl",
        rules=None,
        progress=False,
    )


def real_section(runs: Sequence[fd.Run]) -> Iterator[str]:
    """Real outputs of two systems, half of them officially wrong."""
    yield "\n## Real tool calls\n"
    yield (
        "500 outputs of two real systems on BFCL, half of them wrong by BFCL's verdicts, the labels (`benchmarks/make_requests.py`, seed 1).\n"
    )
    yield from calibration_table(*runs)
    pairs = [pair for run in runs for pair in fd.compare(run, statistic="accuracy").pairs]
    yield from differences_section(pairs)
    yield from against_reasons(pairs)


def differences_section(pairs: Sequence[ComparedPair]) -> Iterator[str]:
    """Yield the pairs of prompts whose accuracy differs."""
    differ = [pair for pair in pairs if pair.adjusted_p is not None and pair.adjusted_p <= 0.05]
    least = min(pair.adjusted_p for pair in pairs if pair.adjusted_p is not None and pair not in differ)
    told = ", ".join(
        f"`{pair.a.removesuffix(f'@{MODEL}')}` minus `{pair.b.partition('/')[2].removesuffix(f'@{MODEL}')}` "
        f"{pair.difference} (p {p_value(pair.adjusted_p)})"
        for pair in differ
    )
    yield (
        f"\nOf {len(pairs)} pairs of prompts, {len(differ)} differ significantly in accuracy (p adjusted over the pairs of a judge): {told}. "
        f"Of the others p is at least {p_value(least)}.\n"
    )


def adjudication_section(runs: Sequence[fd.Run], folder: Path, recorded: Path) -> Iterator[str]:
    """Yield the section on who was right where judge and label disagree."""
    rows = read_recorded(recorded / "adjudication.jsonl")
    found = {
        (verdict.by, verdict.case_id, verdict.system)
        for run in runs
        for verdict in disagreements(run, folder)
    }
    yield "\n## Where judge and label disagree\n"
    alike = sum(adjudicated.first.verdict == adjudicated.second.verdict for adjudicated in rows)
    applies = sum(
        (adjudicated.judge, adjudicated.case_id, adjudicated.system) in found for adjudicated in rows
    )
    yield (
        f"The judge's model decided {applies} of {len(found)} disagreements between `reasons` and the official label twice, independently and blind: "
        f"{alike} of {len(rows)} pairs of decisions agree. Who is right by both decisions, and by either:\n"
    )
    lines: list[Sequence[object]] = []
    for judge in dict.fromkeys(adjudicated.judge for adjudicated in rows):
        sides = [
            {side(adjudicated, opinion) for opinion in (adjudicated.first, adjudicated.second)}
            for adjudicated in rows
            if adjudicated.judge == judge
        ]
        counts = [
            f"{sum(each == {who} for each in sides)}, {sum(who in each for each in sides)}"
            for who in (JUDGE, LABEL, NOBODY)
        ]
        lines.append((judge.split("/")[0], len(sides), *counts))
    yield from table(("judge", "n", JUDGE, LABEL, NOBODY), lines)
    kinds = Counter((adjudicated.first.kind or "not said").replace("_", " ") for adjudicated in rows)
    listed = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
    yield f"\nFaults, by the first decision: {listed}. {strict_side(rows, folder)}"
    decisions = [verdict for row in rows for verdict in as_verdicts(row)]
    yield from adjudicated_tables(runs, decisions)
    yield from patch_section(folder, decisions)


def adjudicated_tables(runs: Sequence[fd.Run], decisions: Sequence[fd.Verdict]) -> Iterator[str]:
    """Yield the table of real tool calls as adjudications change it."""
    found = [(run, fd.calibrate(run, adjudications=decisions).adjudication) for run in runs]
    judges = [
        (name, judge)
        for _, adjudication in found
        if adjudication is not None
        for name, judge in adjudication.judges.items()
        if name.split("@")[0].endswith("/reasons")
    ]
    yield (
        "By [adjudicated](adjudication.md) labels; an output is undecidable if both decisions say so or they differ. "
        "Only disagreements were decided, so *adjudicated* is the judge's best case. The lower bound counts the undecidable against it.\n"
    )
    yield from table(
        ("accuracy of", "as labelled", "adjudicated", "lower bound"),
        [
            (
                name.split("/")[0],
                judge.as_labelled["accuracy"],
                judge.adjudicated["accuracy"],
                judge.lowest["accuracy"],
            )
            for name, judge in judges
        ],
    )
    errors = [(name.split("/")[0], judge.label_errors["all"]) for name, judge in judges]
    listed = ", ".join(
        f"{found.found} of `{name}` ({found.undecidable} undecidable)" for name, found in errors
    )
    yield f"\nOfficial labels found wrong, at least (agreements were not examined): {listed}.\n"


def patch_section(folder: Path, decisions: Sequence[fd.Verdict]) -> Iterator[str]:
    """Yield the section on adjudications that became corrected references."""
    run, decided = folder / "checked", folder / "decided.jsonl"
    fd.evaluate(folder / "cases.jsonl", folder / "outputs.jsonl", rules="bfcl", out=run, progress=False)
    fd.write_records(decided, decisions)
    fd.add_labels(run, [decided])
    found = fd.export_labels(run)
    yield (
        f"`fiducial labels export` writes {len(found.corrections)} of the {len(found.corrections) + len(found.unsaid)} decisions against BFCL's checker as corrected references, tested under BFCL's rules, "
        "and lists the others with the reason.\n"
    )


def strict_side(rows: Sequence[Adjudicated], folder: Path) -> str:
    """Say how often strict rules that contradict the official label agree with the judge."""
    cases = {case.id: case for case in fd.read_records(folder / "cases.jsonl", fd.Case)}
    outputs = {
        (record.case_id, record.system): record
        for record in fd.read_records(folder / "outputs.jsonl", fd.Output)
    }
    sides = Counter(
        "nobody" if score is None else "judge" if score == row.judge_score else "neither"
        for row in rows
        for score in [fd.check(cases[row.case_id], outputs[row.case_id, row.system]).score]
        if score != row.label
    )
    return f"Strict rules contradict the official label on {sides.total()} of these {len(rows)}, {sides['judge']} with the judge.\n"


def summaries_section(recorded: Path) -> Iterator[str]:
    """People's labels of summaries."""
    path = recorded / "summaries.jsonl"
    strict, half = (fd.calibrate(path, pass_at=pass_at) for pass_at in (1.0, 0.5))
    yield "## Summaries with people's labels\n"
    yield (
        "150 summaries of FaithBench, half of them faithful by people (the worst label counts), chosen by its authors because detectors disagree. Other judges' scores are published.\n"
    )
    yield from table(
        ("judge", "n", "balanced accuracy, threshold 1", "threshold 0.5"),
        [
            (
                name,
                found.n,
                *(
                    without_n(calibration.balanced_accuracy, found.n)
                    for calibration in (found, half.judges[name])
                ),
            )
            for name, found in strict.judges.items()
        ],
    )


def audit_section(recorded: Path) -> Iterator[str]:
    """Probes with planted faults."""
    with TemporaryDirectory() as name:
        probes = make_probes(Path(name))
        said, counts, _ = ask_probes(probes, recorded / "audit.jsonl")
        tallies = by_operator(said, {fact.key: fact for fact in read_facts(probes)})
    yield "\n## Planted faults\n"
    yield (
        f"`reasons` of the five judges with [probes](audits.md), made from the built-in suite (seed 0): {counts} replies apply. "
        "A model that misses none finds these probes too easy.\n"
    )
    by_kind: dict[str, tuple[int, int, int]] = {}
    for (plants, _), agreed in tallies.items():
        operators, right, n = by_kind.get(plants, (0, 0, 0))
        by_kind[plants] = (operators + 1, right + sum(agreed), n + len(agreed))
    listed = ", ".join(
        f"{right} of {n} {'unchanged output' if kind == 'nothing' else kind}s ({operators} operator{'s' * (operators != 1)})"
        for kind, (operators, right, n) in sorted(by_kind.items())
    )
    yield f"Judged as labelled: {listed}."
    missed = [
        (plants, name, f"{sum(agreed)} of {len(agreed)}")
        for (plants, name), agreed in tallies.items()
        if not all(agreed)
    ]
    if missed:
        yield "\nOperators with probes judged otherwise:\n"
        yield from table(("planted", "operator", "as labelled"), missed)


def disagreements(run: fd.Run, folder: Path) -> Iterator[fd.Verdict]:
    """Verdicts of `reasons` on the other side than the label."""
    labels = {label.key: label.score for label in fd.read_records(folder / "labels.jsonl", fd.Verdict)}
    for verdict in run.verdicts:
        if (
            verdict.by.split("@")[0].endswith("/reasons")
            and verdict.score is not None
            and verdict.key in labels
        ):
            judge = run.calibration.judges[verdict.by]
            if (verdict.score >= judge.pass_at) != (labels[verdict.key] == 1.0):
                yield verdict


if __name__ == "__main__":
    sys.exit(main())
