"""Settings of `fiducial trials`."""

from pathlib import Path
from typing import Annotated

from ..setting import Setting
from ..tables_settings import TablesSettings


class TrialsSettings(TablesSettings):
    """Settings of `fiducial trials`."""

    ks: Annotated[
        tuple[int, ...] | None,
        Setting(
            "Numbers of trials.  [default: the smallest number of graded trials of a case, and powers of two below]",
            option="--k",
            metavar="N,N,...",
            form="numbers",
        ),
    ] = None
    html: Annotated[
        Path | None, Setting("Also write a page with figures of the rates by k.", form="out file")
    ] = None
    gates: Annotated[
        tuple[str, ...],
        Setting(
            "Exit 1 when pass^K or pass@K of a system, not the lower end of its interval, is below VALUE, or undefined; may be given several times.",
            option="--fail-under",
            metavar="pass^K=VALUE",
            harmless=True,
        ),
    ] = ()
