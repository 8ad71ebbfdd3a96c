"""Where the reply cache is, unless another place is named."""

from __future__ import annotations

from pathlib import Path

from platformdirs import user_cache_path


def default_cache() -> Path:
    """The reply cache in the user's cache folder; shared by all runs."""
    return user_cache_path("fiducial") / "replies.sqlite"
