"""Conversion of HTML in a separate process, which `html_text` starts and may kill.

A request is a line of JSON (``form``, ``bytes``, ``seconds``), then the page. The reply is a line with the length of the text, or -1 if the page
cannot be converted, then the text.
"""

from __future__ import annotations

import json
import resource
import signal
import sys

_MAX_MEMORY = 2 << 30
"""Bytes, since a hostile page may make the library use any amount."""


def main() -> None:
    """Convert pages until standard input ends."""
    sys.path[:] = json.loads(sys.argv[1])
    from html_to_markdown import ConversionOptions, convert  # noqa: PLC0415 - found on the path just set

    resource.setrlimit(resource.RLIMIT_AS, (_MAX_MEMORY, _MAX_MEMORY))
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    while line := source.readline():
        request = json.loads(line)
        page = source.read(request["bytes"]).decode("utf-8", "replace")
        signal.alarm(request["seconds"])  # ends this process if nobody kills it
        options = ConversionOptions(output_format=request["form"], extract_metadata=False, autolinks=False)
        try:
            text = (convert(page, options).content or "").strip().encode("utf-8", "replace")
        except (ValueError, RuntimeError, MemoryError):
            sink.write(b"-1\n")
        else:
            sink.write(b"%d\n" % len(text) + text)
        signal.alarm(0)
        sink.flush()


if __name__ == "__main__":
    main()
