"""Verdicts as agbenchmark's ``report.json``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from ...records import Case, Verdict
from ..json_values import is_object

_DIFFICULTIES = ("interface", "basic", "novice", "intermediate", "advanced", "expert", "human")
"""From easy to hard, in agbenchmark's order."""

_TIME_FORMAT = "%Y-%m-%dT%H:%M:%S+00:00"


class ChallengeResult(NamedTuple):
    """Result of one attempt at a challenge.

    Attributes:
        case: The challenge.
        verdict: Its verdict, or None if it was not attempted.
        success: Whether it counts as passed.
        seconds: Duration of the agent's work, or None if unknown.
        reached_cutoff: Whether it was stopped at its cutoff.
        exit_code: How the agent ended; negative for a signal.
    """

    case: Case
    verdict: Verdict | None
    success: bool
    seconds: float | None = None
    reached_cutoff: bool = False
    exit_code: int = 0

    @property
    def attempted(self) -> bool:
        """Return whether the challenge was tried; it was not if a dependency failed."""
        return self.verdict is not None and self.verdict.outcome != "not_applicable"


def report_of(
    attempts: Iterable[ChallengeResult],
    *,
    command: str,
    started: datetime,
    ended: datetime,
    config: Mapping[str, Any],
) -> dict[str, Any]:
    """Return a run's results as agbenchmark's report.

    Challenges in different folders may share a name; a later one becomes ``name [path]``, so that none is lost.
    A challenge that was tried several times is a success if every trial is.
    """
    attempts = list(attempts)
    by_case: dict[str, list[ChallengeResult]] = {}
    for attempt in attempts:
        by_case.setdefault(attempt.case.id, []).append(attempt)
    tests: dict[str, Any] = {}
    for case_id, trials in by_case.items():
        name = str(trials[0].case.reference.get("name", case_id))
        tests[f"{name} [{case_id}]" if name in tests else name] = _test_report(trials)
    return {
        "command": command,
        "benchmark_git_commit_sha": None,
        "agent_git_commit_sha": None,
        "completion_time": _timestamp(ended),
        "benchmark_start_time": _timestamp(started),
        "metrics": {
            "run_time": _duration((ended - started).total_seconds()),
            "highest_difficulty": _highest_difficulty(attempts),
        },
        "tests": tests,
        "config": dict(config),
    }


def _test_report(trials: Sequence[ChallengeResult]) -> dict[str, Any]:
    passed = sum(trial.success for trial in trials)
    seconds = [trial.seconds for trial in trials if trial.seconds is not None]
    # Fields about a single attempt describe the first failed one, else the first.
    attempt = next((trial for trial in trials if not trial.success), trials[0])
    fields = attempt.case.reference
    info, ground = (value if is_object(value := fields.get(name)) else {} for name in ("info", "ground"))
    metrics: dict[str, Any] = {
        "difficulty": info.get("difficulty"),
        "success": attempt.success,
        "attempted": any(trial.attempted for trial in trials),
        "success_%": 100.0 * passed / len(trials),
        "cost": None,
        "run_time": _duration(sum(seconds)) if seconds else None,
    }
    if not attempt.success:
        metrics["fail_reason"] = "no output" if attempt.verdict is None else attempt.verdict.reason
    return {
        "data_path": fields.get("folder", attempt.case.id),
        "is_regression": False,
        "category": fields.get("category", []),
        "task": fields.get("task"),
        "answer": ground.get("answer"),
        "description": info.get("description"),
        "metrics": metrics,
        "reached_cutoff": any(trial.reached_cutoff for trial in trials),
    }


def _highest_difficulty(attempts: Iterable[ChallengeResult]) -> str:
    """Return the hardest difficulty that was passed, with its number from 1."""
    passed_levels = [
        _DIFFICULTIES.index(difficulty)
        for attempt in attempts
        if attempt.success and (difficulty := attempt.case.tags.get("difficulty")) in _DIFFICULTIES
    ]
    return (
        f"{_DIFFICULTIES[max(passed_levels)]}: {max(passed_levels) + 1}"
        if passed_levels
        else "No successful tests"
    )


def _duration(seconds: float) -> str:
    return f"{seconds:.1f} seconds"


def _timestamp(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime(_TIME_FORMAT)
