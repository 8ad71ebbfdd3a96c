"""Workspaces laid out file by file, and what the checker of workspaces says of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fiducial.deterministic import CheckOptions, check
from fiducial.deterministic.options import ArtifactOptions
from fiducial.records import Case, Output, Verdict


def lay_out(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """A folder with these files, by their paths in it; ends of lines stay as they are."""
    for name, contents in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(contents if isinstance(contents, bytes) else contents.encode())
    return folder


def verdict_on_workspace(
    workspace: Path, reference: dict[str, Any], rules: Any = "bfcl", **options: Any
) -> Verdict:
    """The verdict on a workspace; the options are those of artifacts."""
    case = Case(id="c", kind="artifact", reference=reference)
    checks = CheckOptions(rules=rules, artifacts=ArtifactOptions(**options))
    return check(case, Output(case_id="c", system="s", workspace=str(workspace)), checks)
