"""Results of an agent on challenges (workspace cases of agbenchmark), and the skill tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ...deterministic.artifacts.challenge import ignored_mock
from ...evaluation.artifacts.outcome import AgentResults
from ...evaluation.artifacts.skills import SkillTree, skill_tree
from ...formats.agbenchmark import ChallengeResult
from ...records import Verdict
from ...spelling import flag
from ..document import Figure, Piece, document
from ..document_parts import DocumentTable
from ..figures.skill_tree import skill_figure
from . import number_text
from .challenge_notes import running
from .number_text import count, counted, statistic_cells

_MAX_EXIT_CODES = 3
"""Most different exit codes that are listed."""


@document
def artifacts_document(outcome: AgentResults) -> Iterator[Piece]:
    """Build the document of an agent's results: passes, failures, notes and categories."""
    attempts = len(outcome.attempts)
    challenges = len({attempt.case.id for attempt in outcome.attempts})
    attempted = (
        counted(attempts, "challenge")
        if attempts == challenges
        else f"{attempts:,} trials of {counted(challenges, 'challenge')}"
    )
    yield f"{outcome.passed:,} of {attempted} passed"
    yield from _abnormal_ends(outcome.attempts)
    yield from (
        f"failed: {_attempt_name(verdict)}: {verdict.error_type}: {verdict.reason}"
        for verdict in outcome.failed
    )
    for verdict in outcome.ungraded:
        yield f"{verdict.outcome.replace('_', ' ')}: {_attempt_name(verdict)}: {verdict.reason}"
    if outcome.not_allowed:
        yield f"note: {running(outcome.not_allowed)} code, which is not allowed: add {flag('allow_code')}"
    mocks = {attempt.case.id: ignored_mock(attempt.case) for attempt in outcome.attempts}
    for case_id in outcome.unused_mocks:
        yield f"note: {case_id}: mock functions are not run ({', '.join(mocks[case_id])}); put the right files into its artifacts_out"
    yield from number_text.unknown_dependency_notes(
        outcome.unknown_dependencies, "is not one of these challenges"
    )
    yield _category_table(skill_tree(outcome.attempts))


def _attempt_name(verdict: Verdict) -> str:
    return verdict.case_id + (f", trial {verdict.trial}" if verdict.trial else "")


def _abnormal_ends(attempts: Sequence[ChallengeResult]) -> Iterator[str]:
    """Count the attempts that reached the cutoff, and those with an exit code other than 0."""
    stopped = sum(attempt.reached_cutoff for attempt in attempts)
    if stopped:
        yield f"the agent reached its cutoff in {stopped:,} of {len(attempts):,} attempts"
    # An attempt that was stopped has the exit code of its killing, which says nothing about the agent.
    codes = Counter(
        attempt.exit_code for attempt in attempts if attempt.exit_code and not attempt.reached_cutoff
    )
    for code, number in codes.most_common(_MAX_EXIT_CODES):
        yield f"the agent ended with exit code {code} in {number:,} of {len(attempts):,} attempts; logs/ has its output"


@document
def skills_document(tree: SkillTree) -> Iterator[Piece]:
    """Build the document of a skill tree: its figure, and pass rates by category."""
    yield Figure(
        skill_figure(tree.skills),
        caption="Challenges, each to the right of one it depends on; +1: and on one more",
        numbers=_skill_table(tree),
    )
    yield _category_table(tree)


def _category_table(tree: SkillTree) -> DocumentTable:
    rows = [
        (category.category, count(category.passed), n, value, interval, count(category.ungraded))
        for category in tree.categories
        for value, interval, n, _ in [statistic_cells(category.rate)]
    ]
    return DocumentTable(("category", "passed", "n", "pass rate", "95 % interval", "ungraded"), rows)


def _skill_table(tree: SkillTree) -> DocumentTable:
    rows = [
        (
            skill.name,
            skill.category,
            ", ".join(skill.needs),
            f"{skill.passed:,} of {skill.graded:,}",
            count(skill.of),
        )
        for skill in tree.skills
    ]
    return DocumentTable(
        ("challenge", "category", "depends on", "passed", "of"), rows, left_aligned=frozenset({0, 1, 2})
    )
