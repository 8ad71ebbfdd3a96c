"""The reply cache: what is in it, and how it is emptied."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from ..judges import ReplyCache
from ..report.document import Document
from .places import FilePath
from .reaching import default_cache
from .shown import Shown


class CachedReplies(Shown, frozen=True, kw_only=True, omit_defaults=True):
    """What is in a cache.

    Attributes:
        path: The file.
        replies: How many replies it holds.
        size_bytes: Its size; None where there is no such file yet.
        models: Replies by model, likewise.
    """

    path: str
    replies: int
    size_bytes: int | None = None
    models: Mapping[str, int] | None = None

    def document(self) -> Document:
        """It in words."""
        if self.size_bytes is None:
            return [f"{self.path}: no cache yet"]
        models = (self.models or {}).items()
        return [
            f"{self.path}: {self.replies:,} replies, {self.size_bytes / 1e6:,.1f} MB",
            *(f"  {model}: {count:,}" for model, count in models),
        ]


def cached_replies(cache: FilePath | None = None) -> CachedReplies:
    """What is in a reply cache; in the one in the user's cache folder where none is named."""
    path = default_cache() if cache is None else Path(cache)
    if not path.exists():
        return CachedReplies(path=str(path), replies=0)
    with closing(ReplyCache(path)) as store:
        found = store.info()
    return CachedReplies(
        path=str(path), replies=found.replies, size_bytes=found.size_bytes, models=found.models
    )


def forget_replies(cache: FilePath | None = None, *, model: str | None = None) -> tuple[Path, int | None]:
    """Forget cached replies, all or one model's: gives the file, and how many these were; None where there is no such file."""
    path = default_cache() if cache is None else Path(cache)
    if not path.exists():
        return path, None
    with closing(ReplyCache(path)) as store:
        return path, store.clear(model)
