"""The command as it was typed."""

from __future__ import annotations

import re
import shlex
import sys

from ..api.places import redacted

_CREDENTIALS = re.compile(r"(?<!abfs:)(?<!abfss:)//[^/@\s]+@")


def command_line() -> str:
    """The command as it was typed, for the record; without credentials that a URL may hold."""
    args = (each if "http" in each else redacted(each) for each in sys.argv[1:])
    return _CREDENTIALS.sub("//***@", shlex.join(["fiducial", *args]))
