"""Results of an agent's work: verdicts, and the report in agbenchmark's form."""

from __future__ import annotations

import os
from datetime import datetime
from itertools import product
from pathlib import Path

from ...deterministic.artifacts.challenge import ignored_mock
from ...deterministic.artifacts.dependencies import UnknownDependency, unknown_dependencies
from ...deterministic.options import CheckOptions
from ...formats.agbenchmark import ChallengeResult, report_of
from ...records import Case, Verdict, read_records, write_json, write_records
from ...records.result import Result, display_of
from ..checking.checks import SystemOptions, check_outputs
from ..inputs import EvaluationInputs
from .attempts import RUNS, AgentPlan, AgentRun
from .workspaces import OUTPUTS

VERDICTS, REPORT = "verdicts.jsonl", "report.json"


class AgentResults(Result, frozen=True):
    """Attempts of an agent with their verdicts, in the order of cases and trials."""

    attempts: list[ChallengeResult]
    unused_mocks: list[str] = []
    """Challenges of a mock run that have a ``mock`` function, which is not used, and no ``artifacts_out``."""

    @property
    def not_allowed(self) -> int:
        """Number of challenges that were not checked, because they run code."""
        return len({verdict.case_id for verdict in self.ungraded if verdict.error_type == "code_not_allowed"})

    @property
    def passed(self) -> int:
        """Number of attempts that count as passed."""
        return sum(attempt.success for attempt in self.attempts)

    @property
    def failed(self) -> list[Verdict]:
        """Verdicts on attempts that failed."""
        return [
            attempt.verdict for attempt in self.attempts if attempt.verdict and attempt.verdict.score == 0.0
        ]

    @property
    def ungraded(self) -> list[Verdict]:
        """Verdicts without a score, on attempts that do not count as passed."""
        return [
            attempt.verdict
            for attempt in self.attempts
            if attempt.verdict and not attempt.verdict.graded and not attempt.success
        ]

    @property
    def unknown_dependencies(self) -> list[UnknownDependency]:
        """Dependencies that name no challenge of the cases, and have no effect."""
        named = unknown_dependencies(attempt.case for attempt in self.attempts)
        return list(dict.fromkeys(named))  # each trial of a challenge names its dependencies again

    def write_skills(self, html: str | os.PathLike[str]) -> Path:
        """Write categories and dependencies with their pass rates as a page."""
        return display_of(type(self)).write(self, "skills", html)


def conclude_artifacts(
    cases: Path,
    out: Path,
    plan: AgentPlan,
    options: CheckOptions,
    *,
    command: str,
    started: datetime,
    ended: datetime,
) -> AgentResults:
    """Check the workspaces that an agent left, and write ``verdicts.jsonl`` and ``report.json``.

    In a mock run a challenge that asks for a judge passes, as in agbenchmark, when the files it names are there.
    """
    mock = plan.command is None
    with EvaluationInputs(cases, [out / OUTPUTS]) as inputs:
        checked = check_outputs(inputs.pairs(), SystemOptions({}, options))
        verdicts = {(verdict.case_id, verdict.trial): verdict for verdict in checked}
        runs = _runs(out / RUNS)
        attempts = [
            _challenge_result(
                inputs.cases[case_id], verdicts.get((case_id, trial)), runs.get((case_id, trial)), mock=mock
            )
            for case_id, trial in product(inputs.cases, range(plan.trials))
        ]
    write_records(out / VERDICTS, verdicts.values())
    config = {"system": plan.system, "agent": plan.command, "cutoff": plan.cutoff, "mock": mock}
    report = report_of(attempts, command=command, started=started, ended=ended, config=config)
    write_json(out / REPORT, report)
    return AgentResults(
        attempts, [attempt.case.id for attempt in attempts if mock and _has_mock_alone(attempt.case)]
    )


def _has_mock_alone(case: Case) -> bool:
    """Return whether a challenge names a function to mock an agent, and has no solution."""
    folder = case.reference.get("folder")
    return bool(ignored_mock(case)) and not (
        isinstance(folder, str) and Path(folder, "artifacts_out").is_dir()
    )


def _challenge_result(
    case: Case, verdict: Verdict | None, run: AgentRun | None, *, mock: bool
) -> ChallengeResult:
    # In a mock run agbenchmark passes what a judge would have to decide.
    passed = verdict is not None and (verdict.score == 1.0 or (mock and verdict.outcome == "undecided"))
    seconds = None if run is None else run.seconds
    return ChallengeResult(
        case,
        verdict,
        passed,
        seconds,
        reached_cutoff=run is not None and run.reached_cutoff,
        exit_code=0 if run is None else run.exit_code,
    )


def _runs(path: Path) -> dict[tuple[str, int], AgentRun]:
    """Return the agent's runs by case and trial; empty for a mock run, which runs no agent."""
    if not path.exists() or not path.stat().st_size:
        return {}
    return {(run.case_id, run.trial): run for run in read_records(path, AgentRun)}
