"""A workspace as one text, for a judge to read."""

from __future__ import annotations

from pathlib import Path

from ...records import Case, Output
from .challenge import ChallengeError, challenge_of
from .fault import WorkspaceFault
from .files import choose_files, read_text

MAX_RESPONSE_CHARACTERS = 400_000
"""A longer text is not shown to a judge: it is never cut, since what was cut off might decide."""


def workspace_text(case: Case, output: Output) -> str | None:
    """Join the texts of the files that a challenge names, as the original does.

    Args:
        case: A case of kind ``artifact``.
        output: What the system left; its workspace is an absolute path, or relative to the current folder.

    Returns:
        The text; None when there is no such file, one cannot be read, or they are too long together.
    """
    if output.workspace is None:
        return None
    root = Path(output.workspace)
    try:
        names = choose_files(root, challenge_of(case).files)
        text = "\n".join(read_text(root, name) for name in names)
    except (ChallengeError, WorkspaceFault, OSError):
        return None
    return text if names and len(text) <= MAX_RESPONSE_CHARACTERS else None
