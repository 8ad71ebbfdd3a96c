"""Reply cache: show its content, and empty it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from ..judges.transport.reply_cache import ReplyCache
from ..report.document import Document
from ..report.text.number_text import counted
from .display import Result
from .model_access import default_cache
from .paths import FilePath


class CachedReplies(Result, frozen=True, kw_only=True, omit_defaults=True):
    """Content of a reply cache.

    Attributes:
        path: The file.
        replies: Number of replies.
        size_bytes: Size of the file, or None if it does not exist yet.
        models: Replies by model, or None if the file does not exist yet.
    """

    path: str
    replies: int
    size_bytes: int | None = None
    models: Mapping[str, int] | None = None

    def document(self) -> Document:
        """Return the content as a document."""
        if self.size_bytes is None:
            return [f"{self.path}: no cache yet"]
        models = (self.models or {}).items()
        return [
            f"{self.path}: {counted(self.replies, 'reply')}, {self.size_bytes / 1e6:,.1f} MB",
            *(f"  {model}: {count:,}" for model, count in models),
        ]


def cached_replies(cache: FilePath | None = None) -> CachedReplies:
    """Return the content of a reply cache, by default of the one in the user's cache folder."""
    path = default_cache() if cache is None else Path(cache)
    if not path.exists():
        return CachedReplies(path=str(path), replies=0)
    with closing(ReplyCache(path)) as store:
        content = store.info()
    return CachedReplies(
        path=str(path), replies=content.replies, size_bytes=content.size_bytes, models=content.models
    )


def delete_replies(cache: FilePath | None = None, *, model: str | None = None) -> tuple[Path, int | None]:
    """Delete cached replies, all or one model's.

    Return the file and the number of deleted replies, or None if there is no such file.
    """
    path = default_cache() if cache is None else Path(cache)
    if not path.exists():
        return path, None
    with closing(ReplyCache(path)) as store:
        return path, store.clear(model)
