"""Flow folders for `pf flow test` and `pf.run`."""

from __future__ import annotations

import shutil
from pathlib import Path

from ...errors import InputError, UsageError

_FLOWS = Path(__file__).parent / "flex"
_FILE = "flow.flex.yaml"


def flex_flow(judge: str, folder: Path) -> Path:
    """Make a folder that promptflow runs as a flex flow of a judge.

    A folder of one's own, since promptflow writes into the folder of the flow it runs.

    Args:
        judge: The judge's name.
        folder: The folder; made when it is not there.

    Returns:
        The folder.

    Raises:
        UsageError: There is no such judge.
        InputError: The folder cannot be written.
    """
    known = sorted(path.parent.name for path in _FLOWS.glob(f"*/{_FILE}"))
    if judge not in known:
        raise UsageError(f"no flow for the judge {judge!r}; there are {', '.join(known)}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(_FLOWS / judge / _FILE, folder / _FILE)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", path=folder) from error
    return folder
