"""Full-text ranking by BM25 and BM25+, with the bm25s library.

Robertson and Zaragoza 2009; Lv and Zhai 2011.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from ...errors import MissingExtraError


class Ranking:
    """Index of documents, to be ranked by queries.

    Args:
        documents: The words of each document.
        method: ``lucene`` is the BM25 of search engines; ``bm25+`` penalises long documents less.
    """

    def __init__(
        self, documents: Sequence[Sequence[str]], method: Literal["lucene", "bm25+"] = "lucene"
    ) -> None:
        try:
            import bm25s  # noqa: PLC0415  # pyright: ignore[reportMissingTypeStubs] - numpy is slow to import
        except ImportError as error:
            raise MissingExtraError("worlds", "an agent's memory and an offline web") from error

        self._words = [frozenset(words) for words in documents]
        self._vocabulary = frozenset[str]().union(*self._words)
        index: Any = bm25s.BM25(method=method)
        # An empty document would have no row; the empty word, which no query contains, gives it one.
        index.index([list(words) or [""] for words in documents], show_progress=False)
        self._index = index

    def scores(self, query: Sequence[str]) -> list[float]:
        """Score each document's fit to a query.

        Returns:
            One score per document, 0 if document and query share no word.
        """
        known_words = [word for word in query if word in self._vocabulary]
        if not known_words:
            return [0.0] * len(self._words)
        query_words = frozenset(known_words)
        scores: list[float] = self._index.get_scores(known_words).tolist()
        return [
            score if words & query_words else 0.0 for score, words in zip(scores, self._words, strict=True)
        ]
