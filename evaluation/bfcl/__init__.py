"""BFCL result trees scored: score files, CSV files and summaries as BFCL writes them."""

from .aggregation import SUMMARIES, SystemScore, as_json, missing_categories, rate
from .scoring import ScoringOptions, score_tree

__all__ = [
    "SUMMARIES",
    "ScoringOptions",
    "SystemScore",
    "as_json",
    "missing_categories",
    "rate",
    "score_tree",
]
