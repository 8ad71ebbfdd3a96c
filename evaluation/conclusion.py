"""The last stage: verdicts are counted, judges are calibrated against labels, and the run folder is completed."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

from ..calibration import calibrate, table_from_run
from ..errors import InputError
from ..records import CaseIndex, ItemKey, Outcome, Verdict, read_numbered
from .context import RunContext
from .inputs import EvaluationInputs
from .rates import system_results
from .results import JudgeUse, SystemResult
from .run_folder import CALIBRATION, CLUSTERS, LABELS, RunFolder, write_json
from .tally import Tally
from .verdict_log import standing_verdicts


class Conclusion(msgspec.Struct, frozen=True, kw_only=True):
    """What a run came to.

    Attributes:
        systems: What is said of each system.
        judges: What each judge was used for.
        calibration: As ``calibrate --json`` writes it; None when no judge said anything of a labelled output.
        failed: How many calls to a model failed in the end.
        outputs: How many outputs there should be: those that are there and those that are missing.
        graded: How many of them have a verdict with a score, a checker's or a judge's.
        not_judged: What has to be set before judges can be asked; None when they were, or none was wanted.
    """

    systems: list[SystemResult]
    judges: list[JudgeUse] = []
    calibration: dict[str, Any] | None = None
    failed: int = 0
    outputs: int
    graded: int
    not_judged: str | None = None


def conclude(context: RunContext, *, pass_at: float = 0.5) -> Conclusion:
    """Count, calibrate, and write ``calibration.json`` and the manifest.

    Args:
        context: Inputs, folder and progress.
        pass_at: From which score on a verdict counts as a pass.

    Returns:
        What the run came to.
    """
    inputs, folder = context.inputs, context.folder
    write_json(folder.path / CLUSTERS, cluster_names(inputs.cases))
    tally = take_tally(folder, inputs.cases)
    missing = {system: inputs.survey.missing(system) for system in inputs.survey.answered}
    judges = judge_uses(folder)
    conclusion = Conclusion(
        systems=system_results(tally, missing),
        judges=judges,
        calibration=_calibrate(folder, pass_at) if judges else None,
        failed=sum(judge.outcomes.get("failed", 0) for judge in judges),
        outputs=inputs.survey.outputs + sum(missing.values()),
        graded=len({verdict.key for verdict in folder.verdicts if verdict.graded}),
    )
    folder.update(results=msgspec.to_builtins(conclusion.systems), judges=msgspec.to_builtins(judges))
    return conclusion


def adopt_labels(labels: Path, inputs: EvaluationInputs, folder: RunFolder) -> None:
    """Check a labels file and keep it in the run folder.

    Args:
        labels: Trusted verdicts, JSON Lines.
        inputs: The cases they must be about.
        folder: The run folder.

    Raises:
        RecordError: A line is not a verdict, is a judge's, or is about a case that is not there.
    """
    for line, verdict in read_numbered(labels, Verdict):
        problem = None
        if verdict.source == "judge":
            problem = "source", "a judge's verdict is not a label; expected human, checker or construction"
        elif verdict.case_id not in inputs.cases:
            problem = "case_id", f"no case has the id {verdict.case_id!r} in {inputs.cases.path}"
        if problem:
            raise InputError(problem[1], path=labels, line=line, field=problem[0])
    if labels.resolve() != (folder.path / LABELS).resolve():
        shutil.copyfile(labels, folder.path / LABELS)


def cluster_names(cases: CaseIndex) -> dict[str, str]:
    """Case id to cluster, for the cases that name one."""
    return {case_id: cluster for case_id in cases if (cluster := cases.facts(case_id).cluster) is not None}


def take_tally(folder: RunFolder, cases: CaseIndex) -> Tally:
    """Count the verdicts that stand.

    Args:
        folder: The run folder.
        cases: The cases they are about.

    Returns:
        The counts; repeats of a judge beyond the first are left to calibration.
    """
    tally, is_open = Tally(), set[ItemKey]()
    for verdict in standing_verdicts(folder.verdicts):
        cluster = cases.cluster(verdict.case_id)
        if verdict.source == "checker":
            tally.add_checked(verdict, cluster, cases.facts(verdict.case_id).kind)
            if verdict.outcome == "undecided":
                is_open.add(verdict.key)
        elif verdict.repeat == 0:
            tally.add_judged(verdict, cluster, is_open=verdict.key in is_open or not tally.checked)
    return tally


def judge_uses(folder: RunFolder) -> list[JudgeUse]:
    """What each judge said how often, and what it cost; in order of appearance."""
    outcomes: dict[str, Counter[Outcome]] = {}
    spent: dict[str, Counter[str]] = {}
    for verdict in folder.verdicts:
        if verdict.usage is not None and verdict.source == "judge":
            cost = spent.setdefault(verdict.by, Counter())
            cost["calls"] += verdict.usage.calls
            cost["prompt"] += verdict.usage.prompt_tokens
            cost["completion"] += verdict.usage.completion_tokens
            cost["cached"] += verdict.usage.cached
    for verdict in standing_verdicts(folder.verdicts):
        if verdict.source == "judge":
            outcomes.setdefault(verdict.by, Counter())[verdict.outcome] += 1
    identity = folder.manifest["identity"]
    return [
        JudgeUse(
            name=by,
            fingerprint=identity.get(f"judge {by}", "unknown"),
            outcomes=dict(counts),
            calls=spent.get(by, Counter())["calls"],
            prompt_tokens=spent.get(by, Counter())["prompt"],
            completion_tokens=spent.get(by, Counter())["completion"],
            from_cache=spent.get(by, Counter())["cached"],
        )
        for by, counts in outcomes.items()
    ]


def _calibrate(folder: RunFolder, pass_at: float) -> dict[str, Any] | None:
    table = table_from_run(folder.path)
    result = calibrate(table, pass_at=pass_at)
    if not any(panel["n"] for panel in result["judges"].values()):
        return None
    write_json(folder.path / CALIBRATION, result)
    return result
