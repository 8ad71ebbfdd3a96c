"""Lifelike faults by kind, with two pairs and what judges catch (docs/lifelike-faults.md).

    python benchmarks/lifelike_faults.py [--out docs/lifelike-faults.md] [--recorded FILE]

`make requests AUDIT=1` writes 300 of these probes as requests (``requests/audit/lifelike/``): the fault and the twin of 150 pairs, kinds taking turns. Replies
of a model go into ``--recorded`` (default: recorded/lifelike.jsonl of FIDUCIAL_REFERENCE); without them its rows say "not yet asked".
"""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from math import ceil
from pathlib import Path
from typing import NamedTuple

from commands import described
from recorded_audit import ask

import fiducial as fd
from fiducial.deterministic import CheckOptions
from fiducial.deterministic.mutation import LIFELIKE, Operator, lifelike_kinds
from fiducial.evaluation.audit.building import ProbeSettings, build_probes
from fiducial.evaluation.audit.probe_folder import ProbeFacts, read_facts
from fiducial.evaluation.audit.scored import passes
from fiducial.evaluation.progress import Silent
from fiducial.judges.catalogue import known_prompts
from fiducial.records import Case, ItemKey, Output, Verdict, message_text, read_records

PAIRS = 150
"""Pairs of a fault and its twin that are written as requests."""

JUDGES = {"claim": "groundedness/reasons", "call": "tool_call_accuracy/reasons"}
"""Judges of the two sorts of probe, by the beginning of an operator's name."""

SHOWN = ("claim_condition_omitted", "call_error_ignored")
"""Kinds of which a pair is shown."""


class Row(NamedTuple):
    """Scores of one judge on the pairs of a kind.

    Attributes:
        caught: Faults that the judge noticed, as an audit counts them.
        failed: Twins that it failed.
        apart: Pairs of which the fault has the lower score.
        pairs: Pairs of which it scored both.
    """

    caught: int
    failed: int
    apart: int
    pairs: int

    def __str__(self) -> str:
        """The row as a cell of a table."""
        return f"{self.caught}, {self.failed}, {self.apart} of {self.pairs}"


def draw_pairs(folder: Path, pairs: int = PAIRS) -> dict[ItemKey, ProbeFacts]:
    """Write probes of every kind into a folder; return faults and twins of so many pairs."""
    names = [operator.name for operator in LIFELIKE]
    settings = ProbeSettings(
        operators=LIFELIKE, options=CheckOptions(), lifelike=ceil(pairs / len(lifelike_kinds(names)))
    )
    build_probes(None, [], folder, settings, Silent())
    facts = list(read_facts(folder))
    sources = list(dict.fromkeys(fact.source for fact in facts))[:pairs]
    return {fact.key: fact for fact in facts if fact.plants != "nothing" and fact.source in set(sources)}


def main() -> int:
    """Write the page; returns the exit code."""
    parser = described(__doc__)
    parser.add_argument("--out", type=Path, help="default: printed")
    parser.add_argument("--recorded", type=Path, default=None)
    arguments = parser.parse_args()
    recorded = (
        arguments.recorded
        or Path(os.environ.get("FIDUCIAL_REFERENCE") or "-") / "recorded" / "lifelike.jsonl"
    )
    with tempfile.TemporaryDirectory() as name:
        page = "\n".join(sections(Path(name), recorded)) + "\n"
    if arguments.out is None:
        print(page, end="")
    else:
        arguments.out.write_text(page, "utf-8")
    return 0


def sections(folder: Path, recorded: Path) -> Iterator[str]:
    """The page, part by part."""
    drawn = draw_pairs(folder)
    counts = Counter(facts.operator for facts in drawn.values())
    overlap, model = by_overlap(folder), by_model(folder, recorded)
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    yield "# Lifelike faults\n"
    yield (
        f"Written by `python benchmarks/lifelike_faults.py` on {datetime.now(tz=UTC):%-d %B %Y} ({machine}). [What these faults are, and how each is proved](audits.md#faults-like-those-of-real-agents).\n"
    )
    yield (
        f"`make requests AUDIT=1` writes {len(drawn)} of them as requests: fault and twin of {PAIRS} pairs (seed 0). "
        "A fault in a statement is *caught* if its score is nearer its label, 0.75, than 1, and a twin *failed* below 0.5: a judge that scores every answer 0.8 catches all and fails none. "
        "So read *told apart*: the fault has a lower score than its twin, whose wording is the same. Word overlap (`lexical@baseline`) asks no model.\n"
    )
    yield "| kind | in requests: faults, twins | word overlap: caught, twins failed, told apart | `reasons`, real model: the same |"
    yield "|---|---|---|---|"
    for fault in faults():
        cells = model.get(fault.name, "not yet asked")
        yield f"| `{fault.name}`: {fault.about} | {counts[fault.name]}, {counts[fault.name + '_twin']} | {overlap[fault.name]} | {cells} |"
    yield "\n## Two pairs\n"
    for kind in SHOWN:
        yield from pair_shown(folder, kind)
    yield (
        "## Limits\n\n"
        "* The facts are drawn from short lists, and the sentences are plain: whether these faults are as hard to see as real ones is known once a model that misses real ones is asked.\n"
        "* Kinds are as frequent here as each other, not as in your systems: no share above is an accuracy."
    )


def faults() -> list[Operator]:
    """The operators that plant faults."""
    return [operator for operator in LIFELIKE if operator.plants == "fault"]


def by_overlap(folder: Path) -> Mapping[str, Row]:
    """What the word overlap baseline says of every probe, by kind."""
    judges = sorted({name.partition("/")[0] for name in JUDGES.values()})
    run = folder / "run"
    fd.audit(folder, judges, model="baseline", out=run, progress=False)
    verdicts = read_records(run / "verdicts.jsonl", Verdict)
    return rows_of(
        {verdict.key: verdict.score for verdict in verdicts if verdict.score is not None}, folder, {}
    )


def by_model(folder: Path, recorded: Path) -> Mapping[str, Row]:
    """What a model's recorded replies say, by kind; empty without a recording."""
    if not recorded.is_file():
        return {}
    labels = {label.key: label for label in read_records(folder / "labels.jsonl", Verdict)}
    said, _, _ = ask(folder / "cases.jsonl", folder / "outputs.jsonl", labels, [*JUDGES.values()], recorded)
    scores = {each.output.key: each.verdict.score for each in said if each.verdict.score is not None}
    pass_at = {str(name): each.pass_at or 0.5 for name, each in known_prompts().items()}
    return rows_of(scores, folder, {sort: pass_at[name] for sort, name in JUDGES.items()})


def rows_of(scores: Mapping[ItemKey, float], folder: Path, pass_at: Mapping[str, float]) -> Mapping[str, Row]:
    """Count by kind how a judge scored pairs of which it scored both probes."""
    of_source: dict[tuple[str, ItemKey], dict[str, ProbeFacts]] = {}
    for fact in read_facts(folder):
        if fact.plants != "nothing" and fact.key in scores:
            kind = fact.operator.removesuffix("_twin")
            of_source.setdefault((kind, fact.source), {})[fact.plants] = fact
    rows: dict[str, Row] = {}
    for (kind, _), pair in of_source.items():
        if pair.keys() == {"fault", "twin"}:
            threshold = pass_at.get(kind.partition("_")[0], 0.5)
            fault, twin = (
                passes(scores[pair[plants].key], pair[plants].label, threshold)
                for plants in ("fault", "twin")
            )
            apart = scores[pair["fault"].key] < scores[pair["twin"].key]
            row = rows.get(kind, Row(0, 0, 0, 0))
            rows[kind] = Row(
                row.caught + (not fault), row.failed + (not twin), row.apart + apart, row.pairs + 1
            )
    return rows


def pair_shown(folder: Path, kind: str) -> Iterator[str]:
    """The first pair of a kind: what the judge sees of the fault and of its twin."""
    cases = {record.id: record for record in read_records(folder / "cases.jsonl", Case)}
    outputs = list(read_records(folder / "outputs.jsonl", Output))
    yield f"`{kind}`\n"
    yield "```text"
    for name, words in ((kind, "FAULT"), (f"{kind}_twin", "TWIN")):
        output = next(each for each in outputs if each.system.endswith(f"~{name}"))
        yield words
        yield from (f"  {line}" for line in shown(cases[output.case_id], output))
    yield "```\n"


def shown(case: Case, output: Output) -> Sequence[str]:
    """Messages, results and answer or calls, a line each."""
    lines = [f"{message['role']}: {message_text(message)}" for message in case.all_messages]
    lines += [f"result: {item.content}" for item in case.context]
    if output.tool_calls is None:
        return [*lines, f"answer: {output.text}"]
    return [*lines, *(f"call: {call.name}({call.arguments})" for call in output.tool_calls)]


if __name__ == "__main__":
    sys.exit(main())
