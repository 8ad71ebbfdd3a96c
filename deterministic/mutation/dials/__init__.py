"""Dials: operators whose faults are easy or hard to find, by level; users can register more."""

from __future__ import annotations

from .call_dials import CALL_DIALS
from .conversation_dials import CONVERSATION_DIALS
from .dial import Dial, Rung
from .paraphrase_dials import PARAPHRASE_DIALS
from .request_dials import REQUEST_DIALS
from .statement_dials import STATEMENT_DIALS

DIALS: dict[str, Dial] = {
    dial.name: dial
    for dial in (*CALL_DIALS, *REQUEST_DIALS, *CONVERSATION_DIALS, *STATEMENT_DIALS, *PARAPHRASE_DIALS)
}
"""Dials by name, in the order of reports."""

__all__ = ["DIALS", "Dial", "Rung"]
