"""Settings of `fiducial run`."""

from pathlib import Path
from typing import Annotated, Literal

from ..checking_settings import RulesSettings
from ..evaluating_settings import EvaluatingSettings
from ..generating_settings import GeneratingSettings
from ..judging_settings import JUDGES
from ..sections import ENGINES, WORKS
from ..setting import Setting


class RunSettings(GeneratingSettings, RulesSettings, EvaluatingSettings):
    """Settings of `fiducial run`."""

    outputs: Annotated[
        tuple[Path, ...],
        Setting(
            "Outputs of the systems (JSON Lines): files, folders of shards, or addresses (s3://...); may be given several times.",
            metavar="FILE...",
            form="records",
        ),
    ] = ()
    generate: Annotated[
        str | None,
        Setting(
            "Generate outputs with this model first; they are kept in the run folder.",
            metavar="MODEL",
            section=WORKS,
            harmless=True,
        ),
    ] = None
    generate_base_url: Annotated[
        str | None,
        Setting(
            "Endpoint of that model; --api-key-env is not sent there.  [default: the judges']",
            metavar="URL[,key-env=NAME]",
            section=WORKS,
        ),
    ] = None
    judges: Annotated[tuple[str, ...], JUDGES] = ()
    judge_on: Annotated[
        str,
        Setting(
            "open: undecided outputs (no checker decided them); all: every output; N: undecided ones, and N checked ones to calibrate on.",
            metavar="open|all|N",
            harmless=True,
        ),
    ] = "200"
    workers: Annotated[
        int | None,
        Setting(
            "Processes that check; results do not depend on it.  [default: the cores, if that is faster]",
            metavar="N",
            low=1,
            section=ENGINES,
            harmless=True,
        ),
    ] = None
    engine: Annotated[
        Literal["ray"] | None,
        Setting(
            "Check and judge on a Ray cluster. Needs the extra `ray`, and about ten seconds and 0.8 GB to start.",
            section=ENGINES,
        ),
    ] = None
    address: Annotated[
        str | None,
        Setting(
            "Address of the Ray cluster, or auto.  [default: a new Ray on this machine]",
            metavar="HOST:PORT",
            section=ENGINES,
        ),
    ] = None

    @property
    def generates(self) -> bool:
        """True if a model or an agent generates outputs first."""
        return self.generate is not None or self.agent is not None
