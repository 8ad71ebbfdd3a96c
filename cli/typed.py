"""The command as it was typed."""

from __future__ import annotations

import re
import shlex
import sys

_CREDENTIALS = re.compile(r"//[^/@\s]+@")


def command_line() -> str:
    """The command as it was typed, for the record; without credentials that a URL may hold."""
    return _CREDENTIALS.sub("//***@", shlex.join(["fiducial", *sys.argv[1:]]))
