"""Convert HTML in a process of its own, which `html_text` starts as a script and may kill.

An order is a line of JSON (``form``, ``bytes``, ``seconds``) and the page; the answer is the length of its text, and the text; -1 stands for no text.
"""

from __future__ import annotations

import json
import resource
import signal
import sys

_MEMORY = 2 << 30


def main() -> None:
    """Convert one page after the other, until there are no more."""
    sys.path[:] = json.loads(sys.argv[1])
    from html_to_markdown import ConversionOptions, convert  # noqa: PLC0415 - found by the path that is given

    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    while order := source.readline():
        given = json.loads(order)
        page = source.read(given["bytes"]).decode("utf-8", "replace")
        signal.alarm(given["seconds"])  # ends the process, even if its result is not needed any more
        options = ConversionOptions(output_format=given["form"], extract_metadata=False, autolinks=False)
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
