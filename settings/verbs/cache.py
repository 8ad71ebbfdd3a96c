"""Settings of `fiducial cache`."""

from pathlib import Path
from typing import Annotated

from ..setting import DeclaredSettings, Setting


class CacheClearSettings(DeclaredSettings):
    """Settings of `fiducial cache clear`."""

    cache: Annotated[
        Path | None,
        Setting("The reply cache's file.  [default: in the user's cache folder]", form="out file"),
    ] = None
    model: Annotated[str | None, Setting("Only this model's replies.", harmless=True)] = None


class CacheInfoSettings(DeclaredSettings):
    """Settings of `fiducial cache info`."""

    cache: Annotated[
        Path | None,
        Setting("The reply cache's file.  [default: in the user's cache folder]", form="out file"),
    ] = None
    as_json: Annotated[bool, Setting("Print JSON.", option="--json")] = False
