"""MemoryAPI_kv: texts under keys, found by key or by words of keys."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..bm25 import Ranking
from .parts import ARCHIVAL, CORE, MemoryPart, PartCall, problem, stored

_KEY = re.compile(r"[a-z]+(?:_[a-z0-9]+)*")
"""Whole keys such as ``first_visit`` and ``room_12``; each character can match in one way, so the time is linear."""


class KeyedTexts:
    """One part of the memory: texts by key."""

    def __init__(self, part: MemoryPart, texts: Mapping[str, str]) -> None:
        self.part = part
        self.texts = dict(texts)

    def add(self, key: str, value: str) -> dict[str, Any]:
        """Keep a text under a new key."""
        if not isinstance(key, str) or _KEY.fullmatch(key) is None:  # pyright: ignore[reportUnnecessaryIsInstance] - an agent's
            return problem(f"The key {key!r} is not in snake_case: lower-case words, joined by underscores.")
        if key in self.texts:
            return problem(f"The key {key!r} is taken; replace its value, or choose another key.")
        error = self.part.refusal_of(value, len(self.texts))
        return error or self._keep(key, value, "added")

    def replace(self, key: str, value: str) -> dict[str, Any]:
        """Put another text under a key."""
        if key not in self.texts:
            return _no_such_key(key)
        return self.part.refusal_of(value) or self._keep(key, value, "replaced")

    def remove(self, key: str) -> dict[str, Any]:
        """Forget a key."""
        if self.texts.pop(key, None) is None:
            return _no_such_key(key)
        return {"status": f"{key} removed."}

    def clear(self) -> dict[str, Any]:
        """Forget everything."""
        self.texts.clear()
        return {"status": f"{self.part.name} cleared."}

    def retrieve(self, key: str) -> dict[str, Any]:
        """Return the text under a key."""
        return {"value": self.texts[key]} if key in self.texts else _no_such_key(key)

    def retrieve_all(self) -> dict[str, Any]:
        """Return all texts by key."""
        return dict(self.texts)

    def list_keys(self) -> dict[str, Any]:
        """Return all keys, in the order in which they were added."""
        return {"keys": list(self.texts)}

    def key_search(self, query: str, k: int = 5) -> dict[str, Any]:
        """Return the ``k`` keys most similar to a query, by BM25+ over their words."""
        if not self.texts:
            return {"ranked_results": []}
        keys = list(self.texts)
        scores = Ranking([_words(key.replace("_", " ")) for key in keys], "bm25+").scores(_words(str(query)))
        ranked = sorted(zip(scores, keys, strict=True), key=lambda pair: -pair[0])
        return {"ranked_results": [[score, key] for score, key in ranked[: max(0, k)]]}

    def _keep(self, key: str, value: str, action: str) -> dict[str, Any]:
        self.texts[key] = value
        return {"status": f"{key} {action}."}


def _no_such_key(key: str) -> dict[str, Any]:
    return problem(f"There is no key {key!r}.")


def _words(text: str) -> list[str]:
    return text.lower().split()


class KeyValueMemory:
    """Environment with the methods of BFCL's ``memory_kv``.

    Earlier function documents call the core ``short_term_memory`` and the archival memory ``long_term_memory``.
    """

    def load(self, config: Mapping[str, Any]) -> None:
        """Start from a snapshot that `state` returned, or from an empty memory."""
        self._core = KeyedTexts(CORE, stored(config, "core", str))
        self._archival = KeyedTexts(ARCHIVAL, stored(config, "archival", str))

    def state(self) -> dict[str, Any]:
        """Return a snapshot."""
        return {"core": dict(self._core.texts), "archival": dict(self._archival.texts)}

    def at_hand(self) -> str:
        """Return the part of the memory that an agent sees without a call."""
        return "\n".join(f"{key}: {value}" for key, value in self._core.texts.items())

    core_memory_add = PartCall("_core", KeyedTexts.add)
    core_memory_remove = PartCall("_core", KeyedTexts.remove)
    core_memory_replace = PartCall("_core", KeyedTexts.replace)
    core_memory_clear = PartCall("_core", KeyedTexts.clear)
    core_memory_retrieve = PartCall("_core", KeyedTexts.retrieve)
    core_memory_retrieve_all = PartCall("_core", KeyedTexts.retrieve_all)
    core_memory_list_keys = PartCall("_core", KeyedTexts.list_keys)
    core_memory_key_search = PartCall("_core", KeyedTexts.key_search)

    archival_memory_add = PartCall("_archival", KeyedTexts.add)
    archival_memory_remove = PartCall("_archival", KeyedTexts.remove)
    archival_memory_replace = PartCall("_archival", KeyedTexts.replace)
    archival_memory_clear = PartCall("_archival", KeyedTexts.clear)
    archival_memory_retrieve = PartCall("_archival", KeyedTexts.retrieve)
    archival_memory_list_keys = PartCall("_archival", KeyedTexts.list_keys)
    archival_memory_key_search = PartCall("_archival", KeyedTexts.key_search)

    short_term_memory_add = PartCall("_core", KeyedTexts.add)
    short_term_memory_remove = PartCall("_core", KeyedTexts.remove)
    short_term_memory_replace = PartCall("_core", KeyedTexts.replace)
    short_term_memory_clear = PartCall("_core", KeyedTexts.clear)
    short_term_memory_retrieve = PartCall("_core", KeyedTexts.retrieve)
    short_term_memory_retrieve_all = PartCall("_core", KeyedTexts.retrieve_all)
    short_term_memory_list_keys = PartCall("_core", KeyedTexts.list_keys)
    short_term_memory_key_search = PartCall("_core", KeyedTexts.key_search)

    long_term_memory_add = PartCall("_archival", KeyedTexts.add)
    long_term_memory_remove = PartCall("_archival", KeyedTexts.remove)
    long_term_memory_replace = PartCall("_archival", KeyedTexts.replace)
    long_term_memory_clear = PartCall("_archival", KeyedTexts.clear)
    long_term_memory_retrieve = PartCall("_archival", KeyedTexts.retrieve)
    long_term_memory_list_keys = PartCall("_archival", KeyedTexts.list_keys)
    long_term_memory_key_search = PartCall("_archival", KeyedTexts.key_search)
