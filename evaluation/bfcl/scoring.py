"""Score a BFCL result tree: check every answer of every system and write BFCL's score tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from pathlib import Path
from shutil import copyfileobj
from tempfile import SpooledTemporaryFile
from typing import BinaryIO

import msgspec

from ...deterministic.options import CheckOptions, NameStyle, Rules
from ...formats.bfcl import DataSource, ResultFile, to_output
from ...judges.prices import PriceList
from ...records import Case, Output, atomic_write
from ..checking.dotted_names import NamesOption, NamesVote
from ..progress import Progress
from .aggregation import SystemScore
from .category_scores import CategoryScore, Effort
from .csv_tables import write_csv_tables
from .score_lines import FailedAnswer, encoded_line, score_line
from .stored_answers import ModeOption, check_stored, mode_of
from .suite import BfclSuite, pair_answers

_MAX_BYTES_IN_MEMORY = 8 * 1024 * 1024
"""Bytes of failed lines in memory; more go to a temporary file."""


class ScoringOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Settings for scoring a result tree.

    Attributes:
        rules: Rules of the checkers.
        names: Form in which names with dots were offered to a system; ``auto`` infers it from the answers.
        mode: Whether answers are native calls or text; ``auto`` decides for each answer.
        partial: Whether entries may lack an answer.
        prices: Turns recorded tokens into dollars.
    """

    rules: Rules = "bfcl"
    names: NamesOption = "auto"
    mode: ModeOption = "auto"
    partial: bool = False
    prices: PriceList | None = None


class _ScoringTask(msgspec.Struct, frozen=True):
    """Suite, target folder and settings for all files of a tree."""

    suite: BfclSuite
    scores: Path
    options: ScoringOptions


def score_tree(
    source: DataSource,
    files: Sequence[ResultFile],
    scores: Path,
    *,
    options: ScoringOptions,
    progress: Progress,
) -> list[SystemScore]:
    """Score result files, system by system, and write score files and CSV files.

    Each score file appears whole or not at all; the CSV files come last.

    Raises:
        InputError: Results and data do not belong together, or a file cannot be read or written.
    """
    task = _ScoringTask(BfclSuite(source), scores, options)
    progress.begin("scoring", len(files))
    systems: list[SystemScore] = []
    for name, group in groupby(files, key=lambda file: file.system):
        systems.append(_score_system(task, name, list(group), progress))
    write_csv_tables(scores, systems)
    return systems


def _score_system(task: _ScoringTask, name: str, files: list[ResultFile], progress: Progress) -> SystemScore:
    names_option = task.options.names
    names = _infer_name_style(task, name, files) if names_option == "auto" else names_option
    prices = task.options.prices
    system = SystemScore(
        name=name,
        names=names,
        scores={},
        effort=Effort(),
        modes=Counter(),
        prices=None if prices is None else prices(name),
    )
    for file in files:
        stem = file.path.name.removesuffix("_result.json")
        with atomic_write(task.scores / name / file.category.folder / f"{stem}_score.json") as out:
            system.scores[file.category.name] = _score_file(task, file, system, out)
        progress.advance()
    return system


def _infer_name_style(task: _ScoringTask, name: str, files: list[ResultFile]) -> NameStyle:
    """Infer from a system's answers the form in which names were offered to it.

    Only single-turn entries have names with dots.
    """
    single_turn_files = [file for file in files if not file.category.in_turns]
    vote = NamesVote()
    for case, output in chain.from_iterable(_case_outputs(task, file) for file in single_turn_files):
        if vote.is_clear(name):
            break
        vote.add(case, output)
    return vote.of(name)


def _case_outputs(task: _ScoringTask, file: ResultFile) -> Iterator[tuple[Case, Output]]:
    for entry, line in pair_answers(task.suite, file, partial=task.options.partial):
        yield entry.case, to_output(line.id, file.system, file.category, line.result)


def _score_file(task: _ScoringTask, file: ResultFile, system: SystemScore, out: BinaryIO) -> CategoryScore:
    score = CategoryScore(file.category)
    # The first line counts the lines after it, so these wait: on disk, since conversation logs make them large.
    with SpooledTemporaryFile(_MAX_BYTES_IN_MEMORY) as failed_lines:
        failed_lines.writelines(_failed_lines(task, file, system, score))
        failed_lines.seek(0)
        out.write(encoded_line(score.header()))
        copyfileobj(failed_lines, out)
    return score


def _failed_lines(
    task: _ScoringTask, file: ResultFile, system: SystemScore, score: CategoryScore
) -> Iterator[bytes]:
    """Check and count a file's answers, and yield the line of each that is not valid."""
    options = CheckOptions(rules=task.options.rules, names=system.names)
    for entry, line in pair_answers(task.suite, file, partial=task.options.partial):
        mode = mode_of(file.category, line.result, task.options.mode)
        finding = check_stored(entry.case, line.result, mode, options)
        score.add(line.id, finding)
        system.effort.add(line.fields)
        system.modes[mode] += 1
        if not finding.valid:
            yield encoded_line(score_line(FailedAnswer(entry, line, finding, system.name, mode)))
