"""Text embeddings: by hashed words, without a download, or by an OpenAI-compatible server."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol
from zlib import crc32

from ....errors import ProviderError
from ....judges.transport.endpoint import Endpoint

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_WORD = re.compile(r"\w+")
_DIMENSIONS = 1024
_PIECE_LENGTHS = (3, 4, 5)
"""Lengths of pieces of words, by which "diabetic" is similar to "diabetes"."""
_TIMEOUT_SECONDS = 60.0
"""Seconds to wait for the server."""


class Embedding(Protocol):
    """Interface of embeddings: texts in, vectors out."""

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return the vectors of some texts.

        Returns:
            Shape (n, d), each row of length 1, or 0 for a text without a word.

        Raises:
            ProviderError: The server does not answer, or answers with another number of vectors.
        """
        ...


class HashedWords:
    """Words and pieces of words, hashed to signed dimensions (Weinberger et al. 2009).

    It knows no synonyms: texts are similar if they share words or parts of words. Nothing is downloaded, and a text has the same vector on
    every machine.
    """

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return the vectors of some texts; see `Embedding.__call__`."""
        import numpy as np  # noqa: PLC0415 - slow to import

        vectors = np.zeros((len(texts), _DIMENSIONS))
        for row, text in zip(vectors, texts, strict=True):
            for feature, weight in _features(text):
                code = crc32(feature.encode("utf-8", "surrogatepass"))
                # The sign, from the highest bit, makes collisions cancel on average.
                row[code % _DIMENSIONS] += weight if code >> 31 else -weight
        return _to_unit_length(vectors)


class ServerEmbedding:
    """Embeddings by a server's ``/embeddings``."""

    def __init__(self, endpoint: Endpoint, model: str) -> None:
        self._endpoint = endpoint
        self._model = model

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return the vectors of some texts; see `Embedding.__call__`."""
        import numpy as np  # noqa: PLC0415 - slow to import
        import openai  # noqa: PLC0415 - slow to import

        try:
            with openai.OpenAI(timeout=_TIMEOUT_SECONDS, **self._endpoint.client_options()) as client:
                reply = client.embeddings.create(
                    model=self._model, input=list(texts), encoding_format="float"
                )
        except openai.OpenAIError as error:
            reason = self._endpoint.redact(str(error))
            raise ProviderError(f"the embedding model {self._model!r} does not answer: {reason}") from error
        # A server may answer in another order.
        rows: list[Any] = [entry.embedding for entry in sorted(reply.data, key=lambda entry: entry.index)]
        if len(rows) != len(texts):
            raise ProviderError(f"the embedding model gave {len(rows)} vectors for {len(texts)} texts")
        return _to_unit_length(np.asarray(rows, dtype=np.float64))


def _features(text: str) -> Iterator[tuple[str, float]]:
    for word in _WORD.findall(text.lower()):
        yield word, 1.0
        marked_word = f"<{word}>"  # so that pieces at its ends differ from those in its middle
        pieces = [
            marked_word[start : start + length]
            for length in _PIECE_LENGTHS
            for start in range(len(marked_word) - length + 1)
        ]
        for piece in pieces:
            yield piece, len(pieces) ** -0.5  # all pieces together weigh as much as the word


def _to_unit_length(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np  # noqa: PLC0415 - slow to import

    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths == 0, 1.0, lengths)  # a text without words stays 0
