"""Parse the stored replies of a run again, without calls, for ``judge --reparse``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from ...errors import RunFolderError
from ...judges.criteria import question_cases
from ...judges.criteria_judge import CriteriaJudge, criteria_verdicts
from ...judges.judge import JudgeDescription
from ...judges.jury import JuryJudge
from ...judges.prices import PriceList
from ...judges.prompt_judge import PromptJudge
from ...judges.reply_verdicts import read_again, rests_on_a_reply
from ...judges.statement_judge import StatementJudge
from ...judges.statements import case_of
from ...records import Case, CaseIndex, JudgeId, Verdict
from ...records.verdict import COMPOSITE_KINDS
from ..conclusion.conclude import conclude
from ..conclusion.run_summary import RunSummary
from ..context import RunContext
from ..inputs import EvaluationInputs
from ..judging.asking import every_output
from ..judging.composites import criteria_judge_record, journal_verdicts, statement_judge_record
from ..judging.judge_task import JudgeTask
from ..judging.tasks import reload_judge
from ..progress import Progress
from ..store.file_names import PAIRS
from ..store.kept_inputs import RunInputs, place_of
from ..store.manifest import Manifest
from ..store.run_store import RunStore
from ..store.run_writer import RunWriter


class Reparsed(msgspec.Struct, frozen=True, kw_only=True):
    """Changes from parsing again, for one judge.

    Attributes:
        by: The judge's name.
        replies: Number of replies that were parsed.
        without: Number of verdicts without a stored reply; they stay as they are.
        changed: Number of verdicts whose outcome or score changed.
        before: The judge's earlier fingerprint.
        after: The judge's current fingerprint.
    """

    by: str
    replies: int
    without: int
    changed: int
    before: str
    after: str


def reparse(
    path: Path, progress: Progress, now: Callable[[], datetime], *, prices: PriceList | None = None
) -> tuple[list[Reparsed], RunSummary | None]:
    """Parse every reply of a run again, rewrite its verdicts, and conclude it.

    Each row replaces the one it was parsed from, so that a question never has two graded rows. Verdicts without a reply, such as
    those of checkers and of failed calls, stay as they are. Juries vote again.

    Returns:
        Changes by judge, and the run's summary. A run of preferences has no summary, because its own command concludes it.
    """
    with _open_inputs(path, RunStore(path).manifest) as inputs, RunWriter(path) as writer:
        writer.require_known()
        context = RunContext(inputs, writer, progress)
        judges = {
            judge_record.id: reload_judge(judge_record)
            for judge_record in writer.roster
            if judge_record.is_prompt
        }
        counts = {before: Counter[str]() for before in judges}
        writer.rewrite(_parse_again(context, judges, counts))
        composites = _current_composites(writer, judges)
        _replace_judges(writer, judges, composites)
        for asker, repeats in composites.values():
            journal_verdicts(context, asker, every_output, repeats)
        reparsed = [_reparsed_record(before, judge, counts[before]) for before, judge in judges.items()]
        record = {"at": now().isoformat(timespec="seconds"), "judges": msgspec.to_builtins(reparsed)}
        writer.update(reparsed=[*writer.manifest.reparsed, record])
        if PAIRS in writer.manifest.identity:
            return reparsed, None
        # `not_judged` names settings without which no judge could be asked.
        is_judged = writer.manifest.not_judged is None
        return reparsed, conclude(context, prices=prices, judged=is_judged)


def _replace_judges(
    writer: RunWriter, judges: Mapping[JudgeId, PromptJudge], composites: Mapping[JudgeId, _CompositeTask]
) -> None:
    """Replace the run's judges, by earlier id, with their current versions."""
    ids = {earlier: judge.id for earlier, judge in judges.items()}
    ids |= {earlier: composite.task.id for earlier, composite in composites.items()}
    writer.roster.rename(ids)
    current = [(composite.task.judge, composite.repeats) for composite in composites.values()]
    writer.update(
        statements=[
            statement_judge_record(judge, n) for judge, n in current if isinstance(judge, StatementJudge)
        ],
        criteria=[
            criteria_judge_record(judge, n) for judge, n in current if isinstance(judge, CriteriaJudge)
        ],
        juries=[judge.jury for judge, _ in current if isinstance(judge, JuryJudge)],
    )


def _reparsed_record(before: JudgeId, judge: PromptJudge, count: Counter[str]) -> Reparsed:
    """Record a judge's changes from their counts by kind; ``before`` is its earlier id."""
    return Reparsed(
        by=judge.by,
        replies=count["replies"],
        without=count["without"],
        changed=count["changed"],
        before=before.fingerprint,
        after=judge.id.fingerprint,
    )


def _open_inputs(path: Path, manifest: Manifest) -> EvaluationInputs:
    if not manifest.inputs:
        raise RunFolderError(f"{path}: the run has no stored replies to parse; run it again")
    files = RunInputs.of([place_of(path, file) for file in manifest.inputs], manifest.case_files)
    inputs = EvaluationInputs(files.cases, files.outputs, sharded=manifest.sharded)
    file_pairs = zip(manifest.inputs, inputs.survey.files, strict=True)
    changed_files = [
        current_file.name
        for recorded_file, current_file in file_pairs
        if current_file.sha256 != recorded_file.sha256
    ]
    if changed_files:
        inputs.close()
        raise RunFolderError(
            f"{path}: {', '.join(changed_files)} changed since the run; its verdicts are about other outputs"
        )
    return inputs


class _CompositeTask(NamedTuple):
    """Composite judge in its current form, and its number of repeats."""

    task: JudgeTask
    repeats: int


def _current_composites(
    writer: RunWriter, judges: Mapping[JudgeId, PromptJudge]
) -> dict[JudgeId, _CompositeTask]:
    """Return a run's composite judges in their current form, by earlier id."""
    judges_by_earlier_id: dict[JudgeId, JudgeDescription] = {
        judge_record.id: judge_record for judge_record in writer.roster
    }
    judges_by_earlier_id.update(judges)
    composites: dict[JudgeId, _CompositeTask] = {}

    def add(earlier: JudgeId, judge: StatementJudge | CriteriaJudge | JuryJudge, repeats: int) -> None:
        judges_by_earlier_id[earlier] = judge
        task = JudgeTask(judge=judge, threshold=writer.roster[earlier].threshold)
        composites[earlier] = _CompositeTask(task, repeats)

    for record in writer.manifest.statements:
        add(
            record.id,
            StatementJudge(judges[record.judge], judges_by_earlier_id[record.splitter]),
            record.repeats,
        )
    for record in writer.manifest.criteria:
        add(record.id, CriteriaJudge(judges[record.judge]), record.repeats)
    for jury in writer.manifest.juries:
        judges_of_jury = tuple(judges_by_earlier_id[member.id] for member in jury.members)
        members = tuple(
            msgspec.structs.replace(member, id=judge.id)
            for member, judge in zip(jury.members, judges_of_jury, strict=True)
        )
        add(jury.id, JuryJudge(msgspec.structs.replace(jury, members=members), judges_of_jury), jury.repeats)
    return composites


def _parse_again(
    context: RunContext, judges: Mapping[JudgeId, PromptJudge], counts: Mapping[JudgeId, Counter[str]]
) -> Iterator[Verdict]:
    """Yield every verdict as parsed now, except those of composite judges, which are recomputed."""
    # A kill may leave rows with new ids while the manifest has the earlier ones, so both lead to the earlier id.
    earlier_ids = {judge.id: earlier for earlier, judge in judges.items()}
    earlier_ids |= {earlier: earlier for earlier in judges}
    verdicts = context.writer.verdicts
    context.progress.begin("reading replies again", len(verdicts.standing))
    for verdict in verdicts:
        context.progress.advance()
        if verdict.judge is not None and verdict.judge.kind in COMPOSITE_KINDS:
            continue
        earlier = None if verdict.judge is None else earlier_ids.get(verdict.judge)
        if earlier is None:
            yield verdict
            continue
        judge = judges[earlier].for_case(_find_case(context.inputs.cases, verdict.case_id))
        reparsed, count = read_again(verdict, judge), counts[earlier]
        count["replies" if rests_on_a_reply(verdict) else "without"] += 1
        count["changed"] += (reparsed.outcome, reparsed.score) != (verdict.outcome, verdict.score)
        if judge.asks_all_criteria:
            yield from criteria_verdicts(reparsed, judge)
        yield reparsed


def _find_case(cases: CaseIndex, case_id: str) -> Case:
    """Return the case with this id, or the case made for one of its statements or criteria."""
    if case_id in cases:
        return cases[case_id]
    parent = cases[case_of(case_id)]
    return next((case for case in question_cases(parent) if case.id == case_id), parent)
