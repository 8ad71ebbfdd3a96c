"""Command line as typed."""

from __future__ import annotations

import re
import shlex
import sys

from ..api.paths import redacted

_CREDENTIALS = re.compile(r"(?<!abfs:)(?<!abfss:)//[^/@\s]+@")


def command_line() -> str:
    """Return the command as typed, for the record, without credentials in URLs."""
    args = (each if "http" in each else redacted(each) for each in sys.argv[1:])
    return _CREDENTIALS.sub("//***@", shlex.join(["fiducial", *args]))
