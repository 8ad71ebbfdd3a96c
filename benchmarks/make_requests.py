"""Batch files of every judge and variant, over the built-in suite and real outputs.

Real outputs need the reference data.

    python benchmarks/make_requests.py --out requests [--model NAME] [--real 500] [--seed 1] [--pairs 200] [--ladder] [--audit]

Each file holds the requests of one prompt (``requests/suite/JUDGE.VARIANT.jsonl``). Their ids are hashes of what is asked, so that replies stay good as
long as the prompt does; prompts that compare are asked about pairs of the suite's outputs in both orders (``--pairs``). With FIDUCIAL_REFERENCE set, the same for a sample of the real outputs in ``bfcl_real`` (``requests/real/``), half of
them officially right and half wrong, with their cases, outputs and labels beside. Real outputs are for measuring: keep what is made of them out of
any repository. With ``--ladder`` the questions of ladders at fixed levels alone (``requests/ladder/``), which
``fiducial audit run --ladder --evenly --calls N --replay ...`` reads: 600 for one prompt about tool calls, 400 for one about statements. With ``--audit`` the
probes made of the suite alone (``requests/audit/``), for every prompt without recorded replies to them, and 300 faults like those of real agents with their
twins (``requests/audit/lifelike/``) for the default prompts of the two judges that they are for.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from commands import described
from lay_out_real_outputs import find_real, lay_out
from lifelike_faults import JUDGES, draw_pairs

import fiducial as fd
from fiducial.data import demo_path
from fiducial.deterministic import CheckOptions
from fiducial.deterministic.mutation import DIALS, origin
from fiducial.errors import UsageError
from fiducial.evaluation.audit.audit_plan import AuditPlan, audit_steps, open_probes, prepare_audit
from fiducial.evaluation.audit.ladder.climb import even_round
from fiducial.evaluation.audit.ladder.questions import LadderItem, make_item, questions
from fiducial.evaluation.batch.batch_export import Questions, export_batch
from fiducial.evaluation.batch.batch_files import file_numbering, without_duplicates, write_batch
from fiducial.evaluation.forecast import copy_of_run
from fiducial.evaluation.inputs import EvaluationInputs
from fiducial.evaluation.judging.asking import every_output, remaining_work
from fiducial.evaluation.judging.tasks import judge_task
from fiducial.evaluation.preference.paired_inputs import Members, PairInputs
from fiducial.evaluation.progress import Silent
from fiducial.judges import Request, unanswered
from fiducial.judges.catalogue import PAIRWISE, SPLITTER, all_prompts, known_prompts
from fiducial.judges.criteria_judge import criterion_work
from fiducial.records import Case, Output, Verdict, read_records, write_records
from fiducial.records.folder_files import CASES, OUTPUTS

MODEL = "gpt-4.1-mini"

SAMPLE = 10
"""Probes of each operator that are written for an audit."""

LADDERS = {
    "tool_call_accuracy/explicit": 60,
    "tool_call_accuracy/explicit_2": 60,
    "groundedness/explicit": 50,
    "groundedness/explicit_2": 50,
}
"""Questions of each dial: there are ten of tool calls, and eight of statements."""


def main() -> int:
    """Write the files; returns the exit code."""
    parser = described(__doc__)
    parser.add_argument("--out", type=Path, default=Path("requests"))
    parser.add_argument("--model", default=MODEL)
    parser.add_argument("--real", type=int, default=500, help="real outputs; an even number")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ladder", action="store_true", help="questions of ladders instead")
    parser.add_argument(
        "--audit",
        action="store_true",
        help="faults, twins and attacks instead, of prompts without recordings",
    )
    parser.add_argument(
        "--pairs", type=int, default=200, help="pairs of outputs of the suite, for judges that compare"
    )
    arguments = parser.parse_args()
    if arguments.audit:
        write_audit(arguments.out / "audit", arguments.model)
        write_lifelike(arguments.out / "audit" / "lifelike", arguments.model)
        return 0
    if arguments.ladder:
        for name, calls in LADDERS.items():
            write_ladder(name, calls, arguments.out / "ladder", arguments.model)
        return 0
    write_suite(arguments.out / "suite", arguments.model, pairs=arguments.pairs)
    reference = os.environ.get("FIDUCIAL_REFERENCE")
    if not reference:
        print("real outputs: not written: set FIDUCIAL_REFERENCE to the folder of reference data")
        return 0
    folder = arguments.out / "real"
    draw_real(Path(reference), folder, arguments.real, arguments.seed)
    write_requests(folder / "cases.jsonl", folder / "outputs.jsonl", folder, arguments.model)
    return 0


def write_suite(folder: Path, model: str, *, pairs: int) -> None:
    """The batch files of every prompt over the built-in suite."""
    write_requests(demo_path("cases.jsonl"), demo_path("outputs.jsonl"), folder, model)
    write_preferences(pairs, folder, model)


def write_preferences(count: int, folder: Path, model: str) -> None:
    """Write pairs of the suite's outputs in both orders, and batch files to compare them.

    The pairs are a random draw.
    """
    with EvaluationInputs(demo_path("cases.jsonl"), [demo_path("outputs.jsonl")]) as inputs:
        pairs = PairInputs(inputs)
        drawn = sorted(
            {members for members in pairs.members.values() if members[0] < members[1]}, key=_by_hash
        )
        asked = {*drawn[:count], *((second, first) for first, second in drawn[:count])}
        for variant in (name.variant for name in all_prompts() if name.judge in PAIRWISE):
            task = judge_task(f"preference/{variant}", model)
            assert task.prompt_judge is not None
            work = remaining_work(pairs, task, lambda key: pairs.members[key] in asked, (), 1)
            requests = without_duplicates(unanswered(task.prompt_judge, work, lambda _: None), set())
            for file in write_batch(requests, file_numbering(folder / f"preference.{variant}.jsonl")):
                print(
                    f"{file.path}: {file.requests:,} requests, {min(count, len(drawn)):,} pairs in both orders"
                )


def _by_hash(members: Members) -> bytes:
    return hashlib.sha256("\n".join(map(str, members)).encode()).digest()


def write_audit(folder: Path, model: str, sample: int = SAMPLE) -> None:
    """Write faults, harmless twins and attacks for every prompt without replies to them."""
    probes = folder / "probes"
    fd.mutate(demo_path("cases.jsonl"), demo_path("outputs.jsonl"), out=probes, progress=False)
    for name, known in known_prompts().items():
        if "audit" in known.recorded or name == SPLITTER:
            continue
        plan = AuditPlan(
            probes=probes, out=folder / "run", command="", judges=[str(name)], model=model, sample=sample
        )
        requests = list(without_duplicates(_audited(plan), set()))
        for file in (
            write_batch(requests, file_numbering(folder / f"{name.judge}.{name.variant}.jsonl"))
            if requests
            else ()
        ):
            print(f"{file.path}: {file.requests:,} requests, --sample {sample}")


def write_lifelike(folder: Path, model: str) -> None:
    """Write pairs of a lifelike fault and its twin: probes, and a batch file for each judge."""
    drawn = draw_pairs(folder / "probes")
    with EvaluationInputs(folder / "probes" / CASES, [folder / "probes" / OUTPUTS]) as inputs:
        for name in JUDGES.values():
            task = judge_task(name, model)
            assert task.prompt_judge is not None
            work = remaining_work(inputs, task, lambda key: key in drawn, (), 1)
            requests = without_duplicates(unanswered(task.prompt_judge, work, lambda _: None), set())
            for file in write_batch(requests, file_numbering(folder / f"{name.replace('/', '.')}.jsonl")):
                print(f"{file.path}: {file.requests:,} requests, of {len(drawn)} probes in all")


def _audited(plan: AuditPlan) -> Iterator[Request]:
    """The requests of an audit by a prompt; none where no probe is for it."""
    prepared = prepare_audit(plan)
    with suppress(UsageError), open_probes(plan, prepared) as inputs, copy_of_run(plan.out) as run:
        for step in audit_steps(plan, prepared, inputs, run, Silent(), dry_run=True):
            for task in step.tasks:
                if task.prompt_judge is not None:
                    yield from unanswered(task.prompt_judge, step.work(task, ()), lambda _: None)


def write_ladder(name: str, calls: int, folder: Path, model: str) -> None:
    """Write questions of every dial that a prompt judges: cases, outputs, labels and batch file."""
    task = judge_task(name, model)
    dials = {
        dial.name: dial for dial in DIALS.values() if task.judges_kind(dial.make(0, dial.levels[0]).case.kind)
    }
    rows = [even_round(task.id, dial, calls) for dial in dials.values()]
    posed = [make_item(dials[question.dial], question, CheckOptions()) for question in questions(rows)]
    stem = task.id.name
    cases, outputs = folder / f"{stem}.cases.jsonl", folder / f"{stem}.outputs.jsonl"
    write_records(cases, {each.case.id: each.case for each in posed}.values())
    write_records(outputs, (each.output for each in posed))
    write_records(folder / f"{stem}.labels.jsonl", map(_label, posed))
    asked = Questions(cases=[cases], outputs=[outputs], judges=[name], model=model)
    for file in export_batch(asked, folder / f"{name.replace('/', '.')}.jsonl", Silent()):
        print(f"{file.path}: {file.requests:,} requests, {len(dials)} dials, --calls {calls}")


def _label(posed: LadderItem) -> Verdict:
    """Return the right verdict on a question."""
    facts = posed.facts
    return Verdict.on(
        posed.output.key,
        score=facts.label,
        by="construction",
        source="construction",
        reason=facts.change or None,
        evidence=origin(facts.operator, "nothing" if facts.label == 1.0 else "fault", posed.output),
    )


def write_requests(cases: Path, outputs: Path, folder: Path, model: str) -> None:
    """One batch file a prompt; a judge that none of these cases is for gets none."""
    with EvaluationInputs(cases, [outputs]) as inputs:
        for name in (prompt for prompt in all_prompts() if prompt.judge not in {SPLITTER.judge, *PAIRWISE}):
            task = judge_task(str(name), model)
            if next(remaining_work(inputs, task, every_output, (), 1), None) is None:
                print(f"{name.judge}.{name.variant}: no item is for this judge")
                continue
            assert task.prompt_judge is not None
            work = criterion_work(task.prompt_judge, remaining_work(inputs, task, every_output, (), 1))
            requests = without_duplicates(unanswered(task.prompt_judge, work, lambda _: None), set())
            for file in write_batch(requests, file_numbering(folder / f"{name.judge}.{name.variant}.jsonl")):
                print(f"{file.path}: {file.requests:,} requests")


def draw_real(reference: Path, folder: Path, count: int, seed: int) -> None:
    """Draw real outputs, as many right as wrong, and write them with their cases and labels."""
    with TemporaryDirectory() as scratch:
        everything = Path(scratch)
        lay_out(find_real(reference / "bfcl_real"), reference / "bfcl" / "data", everything)
        labels = list(read_records(everything / "labels.jsonl", Verdict))
        drawn = [label for score in (0.0, 1.0) for label in first_by_hash(labels, score, count // 2, seed)]
        keys = {label.key for label in drawn}
        outputs = [
            output for output in read_records(everything / "outputs.jsonl", Output) if output.key in keys
        ]
        wanted = {output.case_id for output in outputs}
        cases: Iterator[Case] = (
            case for case in read_records(everything / "cases.jsonl", Case) if case.id in wanted
        )
        write_records(folder / "cases.jsonl", cases)
        write_records(folder / "outputs.jsonl", outputs)
        write_records(folder / "labels.jsonl", (label for label in labels if label.key in keys))
    print(f"{folder}: {len(outputs):,} real outputs, half of them right (seed {seed})")


def first_by_hash(labels: list[Verdict], score: float, count: int, seed: int) -> list[Verdict]:
    """A random draw that stays what it is when further outputs come in."""

    def rank(label: Verdict) -> bytes:
        return hashlib.sha256(f"{seed}|{label.key}".encode()).digest()

    return sorted((label for label in labels if label.score == score), key=rank)[:count]


if __name__ == "__main__":
    sys.exit(main())
