"""Check a workspace: choose files by name or ending; search them or their output for words.

As in agbenchmark, each file is scored 1 or 0, and one right file is enough; a file that is missing or cannot be read, or a script that
fails, ends the scoring without scores. Unlike there, each verdict names the file and the word.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from ...records import Case, Output
from ..finding import Finding, fault, undecided
from ..options import ArtifactOptions, CheckOptions
from .challenge import Challenge, ChallengeError, challenge_of
from .code import CodeFault, confinement_evidence, has_other_tests, run_code
from .workspace_files import WorkspaceFault, choose_files, printable_name, read_text, workspace_root


class WordProblem(NamedTuple):
    """The first rule that a text breaks: ``missing_word`` or ``forbidden_word``, and the word."""

    error_type: str
    word: str


def find_problem(text: str, challenge: Challenge, options: ArtifactOptions) -> WordProblem | None:
    """Return the first missing word, or else the first forbidden one."""
    ignores_case = options.case_insensitive or not challenge.case_sensitive
    fold: Callable[[str], str] = str.casefold if ignores_case else str
    text = fold(text)

    def contains(word: str) -> bool:
        if options.whole_word:
            return re.search(rf"(?<!\w){re.escape(fold(word))}(?!\w)", text) is not None
        return fold(word) in text

    for word in challenge.required:
        if not contains(word):
            return WordProblem("missing_word", word)
    for word in challenge.forbidden:
        if contains(word):
            return WordProblem("forbidden_word", word)
    return None


MAX_RESPONSE_CHARACTERS = 400_000
"""Longer texts are not shown to a judge. They are not cut either, since the rest might decide."""


def workspace_text(case: Case, output: Output) -> str | None:
    """Return the joined texts of a challenge's files, as agbenchmark joins them.

    None if there is no file, if one cannot be read, or if the text is too long for a judge.
    """
    try:
        root = workspace_root(output.workspace)
        names = choose_files(root, challenge_of(case).files)
        text = "\n".join(read_text(root, name) for name in names)
    except (ChallengeError, WorkspaceFault, OSError):
        return None
    return text if names and len(text) <= MAX_RESPONSE_CHARACTERS else None


_MAX_FILES_NAMED = 5
"""A verdict's reason names this many wrong files, and counts the others."""


def check_workspace(case: Case, output: Output, options: CheckOptions) -> Finding:
    """Check a workspace; a relative path starts at the current folder.

    An open answer is ``undecided``; a challenge that cannot be checked here is ``not_applicable``.
    """
    try:
        challenge = challenge_of(case)
        root = workspace_root(output.workspace)
        if challenge.evaluation == "llm":
            return _leave_to_judge(challenge, root)
        if challenge.evaluation == "file":
            return _score(challenge, _read_files(challenge, root), options)
        if not options.artifacts.allow_code:
            return _not_applicable("code_not_allowed", "the challenge runs code, which was not allowed")
        return _check_code(challenge, root, options)
    except WorkspaceFault as problem:
        return fault(problem.error_type, problem.reason, scores=[])
    except ChallengeError as problem:
        return _not_applicable("unusable_challenge", str(problem))


def _check_code(challenge: Challenge, root: Path, options: CheckOptions) -> Finding:
    """Run with the hidden tests, and then with the workspace's files of the same names.

    agbenchmark scores only the files of the workspace, which may be changed tests. So, unless rules are strict, both runs have to pass;
    the second one is skipped if the first fails or the workspace has no such files.
    """
    finding = _run_and_score(challenge, root, options, replace_tests=True)
    if finding.valid and options.rules != "strict" and has_other_tests(challenge, root):
        return _run_and_score(challenge, root, options, replace_tests=False)
    return finding


def _run_and_score(
    challenge: Challenge, root: Path, options: CheckOptions, *, replace_tests: bool
) -> Finding:
    try:
        run = run_code(challenge, root, options, replace_tests=replace_tests)
    except CodeFault as problem:
        sandbox = confinement_evidence(problem.confinement)
        return fault(problem.error_type, problem.reason, scores=[], sandbox=sandbox)
    return _score(challenge, run.contents, options, sandbox=confinement_evidence(run.confinement))


def _read_files(challenge: Challenge, root: Path) -> list[tuple[str, str]]:
    contents = [(name, read_text(root, name)) for name in choose_files(root, challenge.files)]
    if not contents:
        raise WorkspaceFault("missing_file", f"no file in the workspace matches {challenge.files}")
    return contents


def _leave_to_judge(challenge: Challenge, root: Path) -> Finding:
    """Leave an open answer to a judge, after checking that its files can be read."""
    names = [printable_name(name) for name, _ in _read_files(challenge, root)]
    return undecided("the challenge asks for a judge", files=names)


def _score(
    challenge: Challenge, contents: list[tuple[str, str]], options: CheckOptions, **evidence: Any
) -> Finding:
    artifacts = options.artifacts
    problems = [(printable_name(name), find_problem(text, challenge, artifacts)) for name, text in contents]
    scores = [0.0 if problem else 1.0 for _, problem in problems]
    evidence = {**evidence, "scores": scores, "files": [name for name, _ in problems]}
    wrong_files = [(name, problem) for name, problem in problems if problem is not None]
    # In agbenchmark one right file is enough.
    if not wrong_files or (artifacts.files == "any" and 1.0 in scores):
        return Finding("graded", 1.0, None, None, evidence)
    return fault(wrong_files[0][1].error_type, _reason(wrong_files), **evidence)


def _reason(wrong_files: list[tuple[str, WordProblem]]) -> str:
    phrases = {"missing_word": "does not contain", "forbidden_word": "must not contain"}
    parts = [
        f"{name} {phrases[problem.error_type]} {problem.word!r}"
        for name, problem in wrong_files[:_MAX_FILES_NAMED]
    ]
    if len(wrong_files) > _MAX_FILES_NAMED:
        parts.append(f"{len(wrong_files) - _MAX_FILES_NAMED:,} more files")
    return "; ".join(parts)


def _not_applicable(error_type: str, reason: str) -> Finding:
    return Finding("not_applicable", None, error_type, reason)
