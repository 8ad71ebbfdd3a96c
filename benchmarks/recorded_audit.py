"""Audit of a real model's recorded replies on the suite and its probes.

Every disagreement is named.

    FIDUCIAL_REFERENCE=/path/to/reference python benchmarks/recorded_audit.py [--recorded FOLDER] [--keep data/replies]

The suite is asked again from ``suite.jsonl``; the probes are made again (seed 0) and asked from ``audit.jsonl``, all of them, whatever a sample would draw. A
reply applies when the request is word for word the one that was recorded. ``--keep`` writes the replies that apply to the suite, which the demo judges with, and
the outputs of which no judge has one. Exit code 1 when a disagreement is not among those explained here (`EXPLAINED`).
"""

from __future__ import annotations

import asyncio
import json
import platform
import sys
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from commands import described, reference_folder

from fiducial.data import demo_path
from fiducial.deterministic import CheckOptions
from fiducial.deterministic.mutation import OPERATORS
from fiducial.evaluation.audit.building import ProbeSettings, build_probes
from fiducial.evaluation.audit.probe_folder import ProbeFacts, read_facts
from fiducial.evaluation.audit.scored import passes
from fiducial.evaluation.inputs import EvaluationInputs
from fiducial.evaluation.judging.asking import remaining_work
from fiducial.evaluation.judging.tasks import judge_task
from fiducial.evaluation.progress import Silent
from fiducial.judges import judge_work
from fiducial.judges.catalogue import known_prompts, shipped_prompts
from fiducial.judges.transport.exchange import Reply, Request
from fiducial.judges.transport.recording import Recorded, ReplayProvider
from fiducial.records import Case, ItemKey, Output, Verdict, read_records, write_records

MODEL = "claude"
REPEATS = 2
ROUNDING = 0.01
"""Shares are rounded in replies."""

EXPLAINED: dict[tuple[str, str], str] = {
    ("support-04", "sloppy"): (
        "the prompt's: it asks whether the calls are right, in any notation, and says nothing of words around them; "
        "the label also asks whether the reply can be run"
    ),
    ("task-14", "careful"): "the judge's: it overlooks that unlock=True opens the doors",
}
"""Disagreements that stay, by case and system, and whose fault they are."""


class Said(NamedTuple):
    """Judge's verdict on an output for which a recorded reply applies."""

    judge: str
    output: Output
    verdict: Verdict
    label: Verdict
    agrees: bool


class Replies(ReplayProvider):
    """A recording that counts which of its replies apply."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.used: set[str] = set()

    async def complete(self, request: Request) -> Reply:
        """See `ReplayProvider.complete`."""
        if request.key in self:
            self.used.add(request.key)
        return await super().complete(request)


def main() -> int:
    """Ask everything again; returns the exit code."""
    parser = described(__doc__)
    parser.add_argument(
        "--recorded", type=Path, default=None, help="default: recorded/ of FIDUCIAL_REFERENCE"
    )
    parser.add_argument("--keep", type=Path, default=None, help="write the suite's replies that apply here")
    arguments = parser.parse_args()
    recorded = arguments.recorded or reference_folder("recorded")
    today = f"{datetime.now(tz=UTC):%Y-%m-%d}, {platform.machine()}, Python {platform.python_version()}"
    suite, suite_counts, used = ask_suite(recorded / "suite.jsonl")
    if arguments.keep is not None:
        keep(recorded / "suite.jsonl", used, suite, arguments.keep)
    with tempfile.TemporaryDirectory() as name:
        probes = make_probes(Path(name))
        audit, audit_counts, _ = ask_probes(probes, recorded / "audit.jsonl")
        facts = {fact.key: fact for fact in read_facts(probes)}
        changes = {key: f"{fact.operator}: {fact.change}" for key, fact in facts.items()}
    print(f"{today}\n\nthe suite: {summary(suite, suite_counts)}")
    unexplained = list(report(suite, {}))
    print(f"\nprobes: {summary(audit, audit_counts)}")
    unexplained += report(audit, changes)
    print_operators(by_operator(audit, facts))
    print(f"\n{len(unexplained)} disagreements that are not explained")
    return int(bool(unexplained))


def keep(recording: Path, used: Collection[str], said: Iterable[Said], folder: Path) -> None:
    """Write the replies that apply, and the outputs to which a judge that was recorded has none."""
    replies = {reply.key: reply for reply in read_records(recording, Recorded) if reply.key in used}
    write_records(folder / "suite.jsonl", (replies[key] for key in sorted(replies)))
    answered = {each.output.key for each in said}
    outputs = read_records(demo_path("outputs.jsonl"), Output)
    left = [output.key for output in outputs if output.key not in answered]
    (folder / "unanswered.json").write_text(json.dumps(list(map(list, left))) + "\n")


def ask_suite(recording: Path) -> tuple[list[Said], str, set[str]]:
    """Ask every judge recorded on the suite, for outputs with a reply."""
    labels = {label.key: label for label in read_records(demo_path("labels.jsonl"), Verdict)}
    judges = [str(name) for name, known in known_prompts().items() if "suite" in known.recorded]
    return ask(demo_path("cases.jsonl"), demo_path("outputs.jsonl"), labels, judges, recording)


def make_probes(folder: Path) -> Path:
    """Make the probes of the suite as `audit mutate` does."""
    settings = ProbeSettings(operators=list(OPERATORS.values()), options=CheckOptions())
    build_probes(demo_path("cases.jsonl"), [demo_path("outputs.jsonl")], folder, settings, Silent())
    return folder


def ask_probes(folder: Path, recording: Path) -> tuple[list[Said], str, set[str]]:
    """Ask the default judges about every probe with a reply."""
    labels = {label.key: label for label in read_records(folder / "labels.jsonl", Verdict)}
    judges = [str(name) for name in shipped_prompts() if name.variant == "reasons"]
    return ask(folder / "cases.jsonl", folder / "outputs.jsonl", labels, judges, recording, repeats=REPEATS)


def ask(
    cases: Path,
    outputs: Path,
    labels: Mapping[ItemKey, Verdict],
    judges: Iterable[str],
    recording: Path,
    *,
    repeats: int = 1,
) -> tuple[list[Said], str, set[str]]:
    """Ask judges from a recording; return verdicts, a line on coverage, and the keys used."""
    replies = Replies(recording)
    said: list[Said] = []
    with EvaluationInputs(cases, [outputs]) as inputs:
        by_key = {output.key: output for output in inputs.outputs()}
        for judge in judges:
            verdicts = asyncio.run(_ask_one(inputs, judge, replies, repeats))
            said += (
                Said(
                    judge,
                    by_key[verdict.key],
                    verdict,
                    labels[verdict.key],
                    _agrees(judge, verdict, labels[verdict.key]),
                )
                for verdict in verdicts
                if verdict.score is not None
            )
    replies.close()
    return said, f"{len(replies.used):,} of {len(replies):,}", replies.used


async def _ask_one(inputs: EvaluationInputs, judge: str, replies: Replies, repeats: int) -> list[Verdict]:
    task = judge_task(judge, MODEL)
    assert task.prompt_judge is not None
    work: Iterator[tuple[Case, Output, int]] = remaining_work(inputs, task, lambda _: True, (), repeats)
    return [verdict async for verdict in judge_work(work, task.prompt_judge, replies)]


def _agrees(judge: str, verdict: Verdict, label: Verdict) -> bool:
    """Return whether verdict and label agree: fractions after rounding, others by side.

    On a fault, the side depends on how the judge's verdict on a faulty output is read.
    """
    assert verdict.score is not None
    right = 1.0 if label.score is None else label.score
    if judge.startswith("groundedness/") and "operator" not in label.evidence:
        return abs(verdict.score - right) <= ROUNDING
    pass_at = next((each.pass_at for name, each in known_prompts().items() if str(name) == judge), None)
    return passes(verdict.score, right, 0.5 if pass_at is None else pass_at) == (right == 1.0)


def summary(said: Sequence[Said], counts: str) -> str:
    """Return one line with the amounts."""
    wrong = [each for each in said if not each.agrees]
    return f"{counts} recorded replies apply, {len(said):,} verdicts, {len(wrong)} against the label"


def report(said: Iterable[Said], changes: Mapping[ItemKey, str]) -> Iterator[ItemKey]:
    """Print agreement by judge and all disagreements; yield the unexplained ones."""
    of_judge: dict[str, list[Said]] = {}
    for each in said:
        of_judge.setdefault(each.judge, []).append(each)
    for judge, group in of_judge.items():
        wrong = [each for each in group if not each.agrees]
        print(f"  {judge}: {len(group) - len(wrong)} of {len(group)} agree with the label")
        for each in wrong:
            key, label = each.output.key, each.label
            why = EXPLAINED.get((key.case_id, key.system))
            print(
                f"    {key}: label {label.score:.2f} ({label.error_type or 'right'}), judge {each.verdict.score:.2f}"
            )
            for line in (changes.get(key), label.reason, each.verdict.reason, why and f"explained: {why}"):
                if line:
                    print("      " + line.replace("\n", "\n      "))
            if why is None:
                yield key


def by_operator(
    said: Iterable[Said], facts: Mapping[ItemKey, ProbeFacts]
) -> dict[tuple[str, str], list[bool]]:
    """Return, by planted change and operator, whether each probe with a reply was judged right."""
    counts: dict[tuple[str, str], list[bool]] = {}
    for each in said:
        fact = facts[each.output.key]
        counts.setdefault((fact.plants, fact.operator), []).append(each.agrees)
    return dict(sorted(counts.items()))


def print_operators(agreements: Mapping[tuple[str, str], list[bool]]) -> None:
    """Print one line per planted change and operator."""
    for (plants, operator), agreed in agreements.items():
        print(f"  {plants:8} {operator:26} {sum(agreed):3} of {len(agreed):3} as labelled")


if __name__ == "__main__":
    sys.exit(main())
