"""Looks at the holdout, recorded in a file before anything is asked."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from ...calibration.comparison.prompt_gain import look_alpha
from ...errors import RecordError, RunFolderError
from ...records import decode_record, read_regular_file, write_json
from ..inputs import file_sha256
from .improvement_results import HoldoutLook

LOOKS = "looks.json"


def record_look(out: Path, candidate: Path, labels: str, now: datetime) -> HoldoutLook:
    """Return the look at the holdout with a candidate; record it if it is new.

    A second look at a candidate with the same labels is the same look. With other labels it is a new one, since whoever changed the labels may
    have seen the result.

    Args:
        out: The output folder.
        candidate: The candidate's file.
        labels: Hash of the holdout's labels.
        now: The time.

    Raises:
        RunFolderError: The file of looks cannot be read.
    """
    path, sha256 = out / LOOKS, file_sha256(candidate)
    looks = _looks(path)
    for holdout_look in looks:
        if (holdout_look.sha256, holdout_look.labels) == (sha256, labels):
            return holdout_look
    number = len(looks) + 1
    look = HoldoutLook(
        look=number,
        alpha=look_alpha(number),
        candidate=candidate.stem,
        sha256=sha256,
        labels=labels,
        at=now.isoformat(timespec="seconds"),
    )
    write_json(path, [*looks, look])
    return look


def _looks(path: Path) -> list[HoldoutLook]:
    if not path.exists():
        return []
    try:
        return decode_record(read_regular_file(path), list[HoldoutLook])
    except (OSError, RecordError) as error:
        raise RunFolderError(f"{path}: cannot be read: {error}") from error
