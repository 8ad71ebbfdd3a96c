"""``judge --reparse``: parse a run's replies again with the current parsers, without calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path

import msgspec

from ...errors import RunFolderError
from ...judges.criteria import question_cases
from ...judges.criteria_judge import CriteriaJudge, criteria_verdicts
from ...judges.judge import AskedJudge
from ...judges.jury import JuryJudge
from ...judges.prices import PriceList
from ...judges.prompt_judge import PromptJudge
from ...judges.reply_verdicts import read_again, rests_on_a_reply
from ...judges.statement_judge import StatementJudge
from ...judges.statements import case_of
from ...records import Case, CaseIndex, JudgeId, Verdict
from ...records.verdict import COUNTED
from ..conclusion.conclude import conclude
from ..conclusion.run_summary import RunSummary
from ..context import RunContext
from ..inputs import EvaluationInputs
from ..judging.asking import every_output
from ..judging.composites import criteria_judge_record, journal_verdicts, statement_judge_record
from ..judging.judge_task import JudgeTask
from ..judging.tasks import reload_judge
from ..progress import Progress
from ..store.kept_inputs import RunInputs, place_of
from ..store.manifest import Manifest
from ..store.run_store import RunStore
from ..store.run_writer import RunWriter


class Reparsed(msgspec.Struct, frozen=True, kw_only=True):
    """Changes from parsing again, for one judge.

    Attributes:
        replies: Replies that were read.
        without: Verdicts that rest on no stored reply, and stay as they are.
        changed: Verdicts that differ in outcome or score.
        before: Its fingerprint until now.
        after: Its fingerprint from now on.
    """

    by: str
    replies: int
    without: int
    changed: int
    before: str
    after: str


def reparse(
    path: Path, progress: Progress, now: Callable[[], datetime], *, prices: PriceList | None = None
) -> tuple[list[Reparsed], RunSummary]:
    """Read every reply of a run again, write the verdicts anew, and conclude the run.

    A row takes the place of the row it was read from, so that there are never two graded rows for one question. What rests on no
    reply (checkers' verdicts, calls that failed) stays as it is; juries are counted again.
    """
    with _inputs(path, RunStore(path).manifest) as inputs, RunWriter(path) as writer:
        writer.refuse_unknown()
        context = RunContext(inputs, writer, progress)
        judges = {enlisted.id: reload_judge(enlisted) for enlisted in writer.roster if enlisted.is_prompt}
        counts = {before: Counter[str]() for before in judges}
        writer.rewrite(_read_again(context, judges, counts))
        made_of = _made_of_others(writer, judges)
        now_called = {before: judge.id for before, judge in judges.items()}
        writer.roster.rename(now_called | {before: asker.id for before, (asker, _) in made_of.items()})
        writer.update(
            statements=[
                statement_judge_record(each.judge, n)
                for each, n in made_of.values()
                if isinstance(each.judge, StatementJudge)
            ],
            criteria=[
                criteria_judge_record(each.judge, n)
                for each, n in made_of.values()
                if isinstance(each.judge, CriteriaJudge)
            ],
            juries=[each.judge.jury for each, _ in made_of.values() if isinstance(each.judge, JuryJudge)],
        )
        for asker, repeats in made_of.values():
            journal_verdicts(context, asker, every_output, repeats)
        found = [_reparsed(before, judge, counts[before]) for before, judge in judges.items()]
        record = {"at": now().isoformat(timespec="seconds"), "judges": msgspec.to_builtins(found)}
        writer.update(reparsed=[*writer.manifest.reparsed, record])
        judged = writer.manifest.not_judged is None
        return found, conclude(context, prices=prices, judged=judged)


def _reparsed(before: JudgeId, judge: PromptJudge, count: Counter[str]) -> Reparsed:
    return Reparsed(
        by=judge.by,
        replies=count["replies"],
        without=count["without"],
        changed=count["changed"],
        before=before.fingerprint,
        after=judge.id.fingerprint,
    )


def _inputs(path: Path, manifest: Manifest) -> EvaluationInputs:
    if not manifest.inputs:
        raise RunFolderError(f"{path}: the run has no stored replies to parse; run it again")
    files = RunInputs.of([place_of(path, file) for file in manifest.inputs], manifest.case_files)
    inputs = EvaluationInputs(files.cases, files.outputs, sharded=manifest.sharded)
    pairs = zip(manifest.inputs, inputs.survey.files, strict=True)
    changed = [now.name for before, now in pairs if now.sha256 != before.sha256]
    if changed:
        inputs.close()
        raise RunFolderError(
            f"{path}: {', '.join(changed)} changed since the run; its verdicts are about other outputs"
        )
    return inputs


def _made_of_others(
    writer: RunWriter, judges: Mapping[JudgeId, PromptJudge]
) -> dict[JudgeId, tuple[JudgeTask, int]]:
    """Return a run's composite judges in their current form, by old id, with their repeats."""
    parts: dict[JudgeId, AskedJudge] = {enlisted.id: enlisted for enlisted in writer.roster}
    parts.update(judges)
    composites: dict[JudgeId, tuple[JudgeTask, int]] = {}
    for share in writer.manifest.statements:
        parts[share.id] = judge = StatementJudge(judges[share.judge], parts[share.splitter])
        composites[share.id] = (
            JudgeTask(judge=judge, threshold=writer.roster[share.id].threshold),
            share.repeats,
        )
    for rubric in writer.manifest.criteria:
        parts[rubric.id] = judge = CriteriaJudge(judges[rubric.judge])
        composites[rubric.id] = (
            JudgeTask(judge=judge, threshold=writer.roster[rubric.id].threshold),
            rubric.repeats,
        )
    for jury in writer.manifest.juries:
        members = tuple(parts[member.id] for member in jury.members)
        seats = (
            msgspec.structs.replace(seat, id=member.id)
            for seat, member in zip(jury.members, members, strict=True)
        )
        judge = JuryJudge(msgspec.structs.replace(jury, members=tuple(seats)), members)
        composites[jury.id] = JudgeTask(judge=judge, threshold=writer.roster[jury.id].threshold), jury.repeats
    return composites


def _read_again(
    context: RunContext, judges: Mapping[JudgeId, PromptJudge], counts: Mapping[JudgeId, Counter[str]]
) -> Iterator[Verdict]:
    """Yield every verdict as parsed today, except those of composite judges.

    These are computed anew.
    """
    # A kill may have left rows that were read again beside a manifest that does not know it yet.
    before = {judge.id: earlier for earlier, judge in judges.items()} | {
        earlier: earlier for earlier in judges
    }
    verdicts = context.writer.verdicts
    context.progress.begin("reading replies again", len(verdicts.standing))
    for verdict in verdicts:
        context.progress.advance()
        if verdict.judge is not None and verdict.judge.kind in COUNTED:
            continue
        earlier = None if verdict.judge is None else before.get(verdict.judge)
        if earlier is None:
            yield verdict
            continue
        judge = judges[earlier].for_case(_case_of(context.inputs.cases, verdict.case_id))
        again, count = read_again(verdict, judge), counts[earlier]
        count["replies" if rests_on_a_reply(verdict) else "without"] += 1
        count["changed"] += (again.outcome, again.score) != (verdict.outcome, verdict.score)
        if judge.asks_all_criteria:
            yield from criteria_verdicts(again, judge)
        yield again


def _case_of(cases: CaseIndex, case_id: str) -> Case:
    """Return a case, or the case that stands for one of its statements or criteria."""
    if case_id in cases:
        return cases[case_id]
    whole = cases[case_of(case_id)]
    return next((each for each in question_cases(whole) if each.id == case_id), whole)
