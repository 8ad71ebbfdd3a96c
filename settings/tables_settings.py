"""Settings of tables of verdicts."""

from pathlib import Path
from typing import Annotated

from .judging_settings import PassThresholdsSettings
from .labels_settings import GradesSettings, HeaderSettings, ScoreScalesSettings
from .results_settings import JsonSettings, VerboseSettings
from .setting import DeclaredSettings, Setting


class LabelTablesSettings(HeaderSettings):
    """Labels and columns of tables."""

    labels: Annotated[
        tuple[Path, ...],
        Setting(
            "Trusted labels: a CSV, JSON Lines or Parquet table with id, label (and system), or verdicts (JSON Lines); may be given several times.",
            form="input file",
            harmless=True,
        ),
    ] = ()
    columns: Annotated[
        tuple[str, ...],
        Setting(
            "Name a column that is not recognised: score=verdict, label=gold; cluster=item_id treats items as independent.",
            option="--map",
            aliases=("--column",),
            metavar="NAME=COLUMN",
            harmless=True,
        ),
    ] = ()


class TablesSettings(
    LabelTablesSettings,
    GradesSettings,
    ScoreScalesSettings,
    PassThresholdsSettings,
    JsonSettings,
    VerboseSettings,
):
    """Tables of verdicts, and how they are read."""

    tables: Annotated[
        tuple[Path, ...], Setting(is_argument=True, metavar="TABLE...", form="input", required=True)
    ]
    accept_edited: Annotated[
        bool, Setting("Accept run folders whose verdicts were edited by hand.", form="accept edited")
    ] = False


class OpenChoicesSettings(DeclaredSettings):
    """Choices about a table that only the user can make."""

    dry_run: Annotated[
        bool,
        Setting(
            "Only show what each choice would give that the table leaves open: those with ? in --map, --map-label or a scale.",
            harmless=True,
        ),
    ] = False


class ResamplingSettings(DeclaredSettings):
    """The bootstrap."""

    seed: Annotated[int, Setting("Seed of the bootstrap.", harmless=True)] = 0
    replicates: Annotated[int, Setting("Bootstrap replicates.", low=100, high=1000000, harmless=True)] = 2000
