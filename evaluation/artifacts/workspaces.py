"""Workspaces: a folder for each challenge, with the files from which the agent starts."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from ...deterministic.artifacts.challenge import ChallengeError, challenge_of
from ...deterministic.artifacts.copying import copy_plain_files
from ...errors import InputError
from ...records import Case, Output, kind_spec, write_records
from ...spelling import setting

OUTPUTS, WORKSPACES = "outputs.jsonl", "workspaces"
"""Outputs file, and folder of workspaces next to it, so that outputs can name these by relative paths."""

_STAGING = ".preparing"
"""Folder in which workspaces are built before they are moved; removed after the last one is moved."""

_MAX_NAME_LENGTH, _MAX_READABLE_LENGTH, _HASH_DIGITS = 100, 60, 32
"""Maximum length of a plain name, and lengths of the two parts of any other; file systems take 255 bytes."""

# Words of a path's part, joined by single underscores, since ``__`` stands for ``/``.
_WORDS = r"[a-z0-9-][a-z0-9.-]*(?:_[a-z0-9.-]+)*"
_PLAIN_ID = re.compile(rf"{_WORDS}(?:/{_WORDS})*")
_UNSAFE_CHARACTERS = re.compile(r"[^A-Za-z0-9.-]+")


def lay_out_workspaces(cases: Iterable[Case], out: Path, *, system: str) -> int:
    """Lay out a workspace for every challenge, and write the outputs that name them.

    ``system`` is the agent that will work in them. An interrupted preparation is continued.

    Raises:
        InputError: A case is not a challenge, its files are missing, its workspace exists already, or two cases have the same workspace.
    """
    outputs: list[Output] = []
    case_of_workspace: dict[Path, Case] = {}
    for case in cases:
        workspace = workspace_of(case, out)
        if workspace in case_of_workspace or (
            workspace.exists() and not (out / _STAGING / workspace.name).exists()
        ):
            raise InputError(
                f"the workspace is there already; choose another {setting('out')}, or remove it",
                path=workspace,
            )
        case_of_workspace[workspace] = case
        outputs.append(workspace_output(case, out, system))
    # All of these come before the first workspace, so that a restart knows which workspaces are its own.
    for workspace in case_of_workspace:
        (out / _STAGING / workspace.name).mkdir(parents=True, exist_ok=True)
    for workspace, case in case_of_workspace.items():
        if not workspace.exists():
            staged = out / _STAGING / workspace.name / WORKSPACES
            lay_out(case, staged)
            workspace.parent.mkdir(exist_ok=True)
            staged.rename(workspace)
    written = write_records(out / OUTPUTS, outputs)
    shutil.rmtree(out / _STAGING, ignore_errors=True)
    return written


def lay_out(case: Case, workspace: Path, *, solved: bool = False) -> None:
    """Create a new workspace with the files from which the agent starts.

    Raises:
        InputError: The case is not a challenge, or files cannot be copied.
    """
    folder = challenge_folder(case)
    # The challenges of a suite share the start files of the folder above their own.
    sources = [folder.parent / "artifacts_in"] if "suite" in case.reference else []
    sources += [folder / "artifacts_in", *([folder / "artifacts_out"] if solved else [])]
    try:
        if workspace.exists():  # from an attempt that a kill interrupted
            shutil.rmtree(workspace)
        workspace.mkdir(parents=True)
        for source in sources:
            copy_plain_files(source, workspace)
    except (OSError, RecursionError) as error:  # folders may be nested too deeply
        raise InputError(f"the workspace cannot be laid out: {error}", path=workspace) from error


def challenge_folder(case: Case) -> Path:
    """Return the folder of a challenge's files.

    Raises:
        InputError: The case is not a challenge, names no folder, or the folder does not exist.
    """
    if kind_spec(case.kind).family != "workspace":
        raise InputError(f"case {case.id!r} is of kind {case.kind}; only artifact cases have workspaces")
    try:
        folder = challenge_of(case).folder
    except ChallengeError as error:
        raise InputError(f"case {case.id!r}: {error}") from error
    if folder is None or not folder.is_dir():
        raise InputError(f"case {case.id!r}: the challenge's folder is not there: {folder}")
    return folder


def workspace_output(case: Case, out: Path, system: str, trial: int = 0) -> Output:
    """Return the output that names the workspace of a case's trial."""
    workspace = workspace_of(case, out, trial).relative_to(out).as_posix()
    return Output(case_id=case.id, system=system, trial=trial, workspace=workspace)


def workspace_of(case: Case, out: Path, trial: int = 0) -> Path:
    """Return the workspace folder of a case's trial, which is unique and lies within no other.

    A plain id is the name, with ``__`` for ``/``. Any other id, such as one that contains ``__``, or capitals, which some file systems
    do not tell apart, is followed by ``~`` and its hash; plain names contain no ``~``. Any trial but the first adds ``~`` and its
    number. A number is shorter than a hash, so it is not taken for one.

    Raises:
        InputError: Its id is not a relative path.
    """
    path = PurePosixPath(case.id)
    if path.is_absolute() or ".." in path.parts or not path.parts or "\0" in case.id:
        raise InputError(f"case {case.id!r}: the id must be a relative path to be a workspace's name")
    return out / WORKSPACES / f"{_name_of(case.id)}{f'~{trial}' if trial else ''}"


def _name_of(case_id: str) -> str:
    if _PLAIN_ID.fullmatch(case_id) and len(case_id) <= _MAX_NAME_LENGTH:
        return case_id.replace("/", "__")
    digest = hashlib.sha256(case_id.encode("utf-8", "surrogatepass")).hexdigest()
    readable = _UNSAFE_CHARACTERS.sub("_", case_id)[:_MAX_READABLE_LENGTH]
    return f"{readable}~{digest[:_HASH_DIGITS]}"
