"""Judges' ids for tests that need one and do not care whose."""

from __future__ import annotations

import hashlib
from typing import Any

from fiducial.records import JudgeId


def judge_id(name: str = "j", **fields: Any) -> JudgeId:
    """The id of a prompt of the user's own; ids of different names have different fingerprints."""
    fingerprint = hashlib.sha256(name.encode()).hexdigest()
    given: dict[str, Any] = {"kind": "own", "variant": "custom", "model": "m", "fingerprint": fingerprint}
    return JudgeId(name=name, **given | fields)
