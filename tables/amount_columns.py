"""Columns that measure or describe a row and never grade it: prices, times, lengths, names."""

from __future__ import annotations

from functools import lru_cache

from .column_names import CACHED_NAMES, is_named_like_grades, normal
from .grades import WORDS
from .id_columns import is_id_like

_AMOUNT_WORDS = frozenset(
    ("age", "amount", "budget", "bytes", "cent", "cents", "char", "characters", "chars", "cost", "costs", "count", "counts", "day", "days",
     "dollar", "dollars", "duration", "elapsed", "eur", "euro", "euros", "height", "hour", "hours", "kb", "lat", "latency", "latitude", "len", "length",
     "lengths", "lon", "longitude", "mb", "millis", "minute", "minutes", "month", "ms", "num", "number", "price", "prices", "runtime", "sec", "seconds",
     "secs", "size", "time", "times", "token", "tokens", "total", "ttft", "usd", "views", "weight", "width", "words", "year", "zip", "zipcode")
)  # fmt: skip
"""Words for units and measured amounts, anywhere in the name of a column."""

_COUNT_WORDS = frozenset({"count", "n", "nb", "num", "number", "total"})
"""First words of the names of counts, whatever is counted: ``num_correct``."""

_CONFIDENCE_WORDS = frozenset(
    {"confidence", "logit", "logits", "logprob", "logprobs", "perplexity", "prob", "probability", "probs"}
)
"""Words for how sure something is, which is no grade of it."""

_DESCRIPTION_WORDS = frozenset(
    ("at", "author", "batch", "benchmark", "category", "comment", "comments", "country", "created", "dataset", "datasets", "date", "domain", "email", "epoch",
     "epochs", "explanation", "file", "filename", "fold", "format", "id", "ids", "idx", "index", "iteration", "key", "lang", "language", "line", "link",
     "locale", "method", "model", "name", "notes", "nr", "offset", "order", "page", "path", "phone", "port", "position", "rank", "rationale", "reason", "reasoning", "reasons", "region", "revision",
     "row", "run", "s", "seed", "shard", "source", "split", "step", "steps", "subset", "tag", "tags", "task", "temperature", "template",
     "timestamp", "title", "topic", "turn", "turns", "type", "updated", "url", "uuid", "version")
)  # fmt: skip
"""Last words of the names of counters, settings and descriptions."""

_COMPARISON_WORDS = frozenset(
    ("agree", "agreed", "agreement", "agrees", "delta", "diff", "difference", "disagree", "disagreement", "gap", "iaa", "kappa", "match",
     "matched", "matches")
)  # fmt: skip
"""Words for the result of comparing two grades."""


@lru_cache(CACHED_NAMES)
def is_amount(name: str) -> bool:
    """Return whether a column's name means an amount, a counter or a description.

    With a word for grades it is one only if it begins with a count or ends with the amount: ``time_score`` is a grade,
    ``score_time`` is none.
    """
    words = normal(name).split("_")
    if words[-2:] == ["suggestion", "score"]:  # Argilla's column for how sure its model was
        return True
    if (words[0] in _COUNT_WORDS and len(words) > 1) or not _CONFIDENCE_WORDS.isdisjoint(words):
        return True
    if words[-1] in _AMOUNT_WORDS or words[-1] in _DESCRIPTION_WORDS:
        return True
    return not _AMOUNT_WORDS.isdisjoint(words) and not _has_grade_word(name, words)


def _has_grade_word(name: str, words: list[str]) -> bool:
    return is_named_like_grades(name) or any(word in WORDS for word in words)


@lru_cache(CACHED_NAMES)
def compares_grades(name: str) -> bool:
    """Return whether a column's name means that two grades were compared: ``judge_agrees``."""
    return not _COMPARISON_WORDS.isdisjoint(normal(name).split("_"))


def is_never_grades(name: str) -> bool:
    """Return whether a column is not proposed as grades, whatever its values."""
    is_id = is_id_like(name) and not is_named_like_grades(name)
    return is_id or is_amount(name) or compares_grades(name)
