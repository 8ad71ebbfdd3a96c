"""Full-text ranking by BM25 and BM25+, with the bm25s library.

Robertson and Zaragoza 2009; Lv and Zhai 2011.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from ...errors import MissingExtraError


class Ranking:
    """Documents that queries are compared with.

    Args:
        documents: The words of each.
        method: ``lucene`` is BM25 as search engines have it; ``bm25+`` does not let long documents fall behind.
    """

    def __init__(
        self, documents: Sequence[Sequence[str]], method: Literal["lucene", "bm25+"] = "lucene"
    ) -> None:
        try:
            import bm25s  # noqa: PLC0415  # pyright: ignore[reportMissingTypeStubs] - numpy is slow to import
        except ImportError as error:
            raise MissingExtraError("worlds", "an agent's memory and an offline web") from error

        self._words = [frozenset(words) for words in documents]
        self._known = frozenset[str]().union(*self._words)
        index: Any = bm25s.BM25(method=method)
        # An empty document would have no row; a word that no query can contain gives it one.
        index.index([list(words) or [""] for words in documents], show_progress=False)
        self._index = index

    def scores(self, query: Sequence[str]) -> list[float]:
        """Score each document's fit to a query.

        Returns:
            A score each, 0 where document and query share no word.
        """
        asked = [word for word in query if word in self._known]
        if not asked:
            return [0.0] * len(self._words)
        wanted = frozenset(asked)
        found: list[float] = self._index.get_scores(asked).tolist()
        return [score if words & wanted else 0.0 for score, words in zip(found, self._words, strict=True)]
