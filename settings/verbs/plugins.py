"""Settings of `fiducial plugins`."""

from typing import Annotated

from ..setting import DeclaredSettings, Setting


class PluginsSettings(DeclaredSettings):
    """Settings of `fiducial plugins`."""

    as_json: Annotated[bool, Setting("Print JSON.", option="--json")] = False
