"""`fiducial.score_bfcl`: score a BFCL result tree, by BFCL's rules or strictly.

BFCL is the Berkeley Function-Calling Leaderboard.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..deterministic.options import Rules
from ..errors import UsageError
from ..evaluation.bfcl.aggregation import SystemScore, as_json, rate
from ..evaluation.bfcl.scoring import ScoringOptions, score_tree
from ..evaluation.checking.dotted_names import NamesOption
from ..formats.bfcl import ResultTree, expand, find_results, open_source
from ..records import nearest
from ..report.text.bfcl_text import scores_document
from ..spelling import setting
from .argument_checks import checked_arguments
from .display import Document, Result, statistics_frame
from .paths import FilePath, input_path, written_path
from .price_memory import known_prices
from .progress_bars import show_progress

if TYPE_CHECKING:
    import pandas as pd


class BfclScores(Result, frozen=True, kw_only=True):
    """Scores of a BFCL result tree.

    Attributes:
        rules: The rules of the scoring.
        systems: Scores of each system.
        passed_over: Files that were skipped, as BFCL skips them.
    """

    rules: Rules
    systems: list[SystemScore]
    passed_over: list[Path]

    def document(self) -> Document:
        """Return the scores as a document with tables."""
        return scores_document(self.systems)

    def to_dict(self) -> dict[str, Any]:
        """Return the scores as ``bfcl score --json`` prints them."""
        return as_json(self.systems, self.rules)

    def to_frame(self) -> pd.DataFrame:
        """Return a data frame with one row per system and category."""
        return statistics_frame(
            ({"system": system.name, "category": name}, rate(score))
            for system in self.systems
            for name, score in system.scores.items()
        )


def _only_models(tree: ResultTree, models: Sequence[str]) -> ResultTree:
    """Return the tree with the files of some systems, whose folders have ``_`` for ``/``."""
    systems = {file.system for file in tree.files}
    selected_systems = {model if model in systems else model.replace("/", "_") for model in models}
    if unknown := sorted(selected_systems - systems):
        raise UsageError(
            f"{setting('model', unknown[0])}: no results of it{nearest(unknown[0], systems)}; there are {', '.join(sorted(systems))}"
        )
    if not selected_systems:
        return tree
    return tree._replace(files=[file for file in tree.files if file.system in selected_systems])


@checked_arguments
def score_bfcl(
    data: FilePath,
    results: FilePath,
    scores: FilePath,
    *,
    names: NamesOption = "auto",
    mode: Literal["prompt", "fc", "auto"] = "auto",
    partial: bool = False,
    rules: Rules = "bfcl",
    categories: Iterable[str] = (),
    models: Iterable[str] = (),
    prices: Iterable[str] = (),
    progress: bool | None = None,
) -> BfclScores:
    """Score every system of a result tree, and write BFCL's own score tree and CSV files.

    Args:
        data: BFCL's data: a folder with its files, a ``bfcl_eval-*.whl``, or a checkout of the repository.
        results: The result tree.
        scores: The folder for the score tree.
        names: Form in which function names with dots were offered; ``auto`` decides per system from its results.
        mode: Text, or native calls; with ``auto`` a stored list is native calls.
        partial: Whether to score the existing results although some entries have none.
        rules: ``bfcl`` or ``strict``.
        categories: Categories or groups of them; by default all.
        models: Systems to score, by their folders; by default all.
        prices: ``[MODEL=]IN/OUT``, dollars for a million tokens; they fill the cost column.
        progress: Whether to show progress; None shows it on a terminal and in a notebook.

    Raises:
        InputError: Results and data do not belong together, or a file cannot be read or written.
    """
    source, category_names, price_texts = open_source(input_path(data)), tuple(categories), tuple(prices)
    scored_categories = None
    if category_names:
        scored_categories = [
            category for category in expand(category_names) if category.family != "executable"
        ]
    tree = _only_models(find_results(input_path(results), scored_categories), tuple(models))
    options = ScoringOptions(
        names=names,
        mode=mode,
        partial=partial,
        rules=rules,
        prices=known_prices(price_texts) if price_texts else None,
    )
    with show_progress(enabled=progress) as progress_display:
        systems = score_tree(
            source, tree.files, written_path(scores), options=options, progress=progress_display
        )
    return BfclScores(rules=rules, systems=systems, passed_over=list(tree.unscored))
