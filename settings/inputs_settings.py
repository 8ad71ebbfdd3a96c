"""Settings of what is read."""

from pathlib import Path
from typing import Annotated

from .setting import DeclaredSettings, Setting


class CasesSettings(DeclaredSettings):
    """Cases to grade outputs of."""

    cases: Annotated[
        tuple[Path, ...], Setting(is_argument=True, metavar="CASES...", form="records", required=True)
    ]


class OutputsSettings(DeclaredSettings):
    """Outputs of systems."""

    outputs: Annotated[
        tuple[Path, ...],
        Setting(
            "Outputs of the systems (JSON Lines): files, folders of shards, or addresses (s3://...); may be given several times.",
            metavar="FILE...",
            form="records",
            required=True,
        ),
    ]


class OnlySettings(DeclaredSettings):
    """Some of the cases."""

    only: Annotated[
        tuple[str, ...],
        Setting(
            "Only cases of this id or tag; may be given several times.", metavar="ID|TAG=VALUE", harmless=True
        ),
    ] = ()
