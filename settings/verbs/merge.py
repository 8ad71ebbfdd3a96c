"""Settings of `fiducial merge`."""

from pathlib import Path
from typing import Annotated

from ..setting import DeclaredSettings, Setting


class MergeSettings(DeclaredSettings):
    """Settings of `fiducial merge`."""

    runs: Annotated[
        tuple[Path, ...], Setting(is_argument=True, metavar="RUN...", form="existing folder", required=True)
    ]
    out: Annotated[
        Path, Setting("The merged run folder; the same command resumes it.", form="folder", required=True)
    ]
    price: Annotated[
        tuple[str, ...],
        Setting(
            "Dollars per million tokens.  [default: listed prices]",
            metavar="[MODEL=]IN/OUT[/CACHED]",
            harmless=True,
        ),
    ] = ()
