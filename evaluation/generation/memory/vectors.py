"""MemoryAPI_vector: numbered texts, found by similarity to a query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from .embedding import Embedding, HashedWords
from .parts import ARCHIVAL, CORE, MemoryPart, PartCall, problem, stored


class NumberedTexts:
    """One part of the memory: texts by number; no number is used twice."""

    def __init__(
        self, part: MemoryPart, embedding: Embedding, texts: Mapping[int, str], next_number: int
    ) -> None:
        self.part = part
        self.texts = dict(texts)
        self.next_number = next_number
        self._embedding = embedding

    def add(self, text: str) -> dict[str, Any]:
        """Keep a text under the next number."""
        error = self.part.refusal_of(text, len(self.texts))
        if error is not None:
            return error
        number, self.next_number = self.next_number, self.next_number + 1
        self.texts[number] = text
        return {"id": number}

    def update(self, vec_id: int, new_text: str) -> dict[str, Any]:
        """Put another text under a number."""
        if vec_id not in self.texts:
            return _no_such_entry(vec_id)
        error = self.part.refusal_of(new_text)
        if error is not None:
            return error
        self.texts[vec_id] = new_text
        return {"status": f"Entry {vec_id} updated."}

    def remove(self, vec_id: int) -> dict[str, Any]:
        """Forget a number."""
        if self.texts.pop(vec_id, None) is None:
            return _no_such_entry(vec_id)
        return {"status": f"Entry {vec_id} removed."}

    def clear(self) -> dict[str, Any]:
        """Forget everything."""
        self.texts.clear()
        return {"status": f"{self.part.name} cleared."}

    def retrieve(self, query: str, top_k: int = 5) -> dict[str, Any]:
        """Return the texts most similar to a query, by cosine similarity; ties in order of number."""
        numbers = list(self.texts)
        if not numbers:
            return {"results": []}
        # In one call, since a server answers one request faster than many.
        vectors = self._embedding([str(query), *self.texts.values()])
        similarities = (vectors[1:] @ vectors[0]).tolist()
        ranked = sorted(zip(numbers, similarities, strict=True), key=lambda pair: (-pair[1], pair[0]))
        return {
            "results": [
                {"id": number, "similarity_score": round(score, 6), "text": self.texts[number]}
                for number, score in ranked[: max(0, top_k)]
            ]
        }

    def retrieve_all(self) -> dict[str, Any]:
        """Return all texts by number."""
        return {"results": [{"id": number, "text": text} for number, text in self.texts.items()]}

    def snapshot(self) -> dict[str, Any]:
        """Return a snapshot for `of_snapshot`."""
        return {
            "texts": {str(number): text for number, text in self.texts.items()},
            # `stored` reads each part of a snapshot as an object.
            "next": {"number": self.next_number},
        }

    @classmethod
    def of_snapshot(
        cls, part: MemoryPart, embedding: Embedding, snapshot: Mapping[str, Any]
    ) -> NumberedTexts:
        """Restore the part from a snapshot."""
        texts = {int(number): text for number, text in stored(snapshot, "texts", str).items()}
        next_number = stored(snapshot, "next", int).get("number", max(texts, default=-1) + 1)
        return cls(part, embedding, texts, next_number)


def _no_such_entry(number: object) -> dict[str, Any]:
    return problem(f"There is no entry {number!r}.")


class VectorMemory:
    """Environment with the methods of BFCL's ``memory_vector``."""

    embedding: ClassVar[Embedding] = HashedWords()
    """Embedding of texts; a subclass may have another."""

    blocking: ClassVar[bool] = False
    """True if the embedding takes time, as a server's does."""

    def load(self, config: Mapping[str, Any]) -> None:
        """Start from a snapshot that `state` returned, or from an empty memory."""
        self._core, self._archival = (
            NumberedTexts.of_snapshot(part, self.embedding, config.get(name, {}))
            for name, part in (("core", CORE), ("archival", ARCHIVAL))
        )

    def state(self) -> dict[str, Any]:
        """Return a snapshot."""
        return {"core": self._core.snapshot(), "archival": self._archival.snapshot()}

    def at_hand(self) -> str:
        """Return the part of the memory that an agent sees without a call."""
        return "\n".join(f"{number}: {text}" for number, text in self._core.texts.items())

    core_memory_add = PartCall("_core", NumberedTexts.add)
    core_memory_remove = PartCall("_core", NumberedTexts.remove)
    core_memory_update = PartCall("_core", NumberedTexts.update)
    core_memory_clear = PartCall("_core", NumberedTexts.clear)
    core_memory_retrieve = PartCall("_core", NumberedTexts.retrieve)
    core_memory_retrieve_all = PartCall("_core", NumberedTexts.retrieve_all)

    archival_memory_add = PartCall("_archival", NumberedTexts.add)
    archival_memory_remove = PartCall("_archival", NumberedTexts.remove)
    archival_memory_update = PartCall("_archival", NumberedTexts.update)
    archival_memory_clear = PartCall("_archival", NumberedTexts.clear)
    archival_memory_retrieve = PartCall("_archival", NumberedTexts.retrieve)
    archival_memory_retrieve_all = PartCall("_archival", NumberedTexts.retrieve_all)


def vector_memory(embedding: Embedding | None = None) -> type[VectorMemory]:
    """Return the environment with an embedding, such as a server's; None means `HashedWords`."""
    if embedding is None:
        return VectorMemory
    # As an attribute of the class, a plain function would become a method.
    return type("VectorMemory", (VectorMemory,), {"embedding": staticmethod(embedding), "blocking": True})
