"""Settings of `fiducial demo`."""

from pathlib import Path
from typing import Annotated

from ..results_settings import VerbositySettings
from ..setting import Setting


class DemoSettings(VerbositySettings):
    """Settings of `fiducial demo`."""

    out: Annotated[Path, Setting("The run folder.", form="out folder")] = Path("fiducial-demo")
