"""``python -m fiducial``, and the installed command ``fiducial``."""

from __future__ import annotations

import sys

_INTERRUPTED = 130


def main() -> None:
    """Run the command line. Ctrl-C ends it without a traceback, also on the way in or out."""
    try:
        from .cli.main import main as run  # noqa: PLC0415 - what takes the time at the start

        run()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
    except RuntimeError as error:
        if isinstance(
            error.__cause__, KeyboardInterrupt
        ):  # Python 3.11 wraps what meets the making of a class
            sys.exit(_INTERRUPTED)
        raise
    finally:
        import signal  # noqa: PLC0415 - nothing catches Ctrl-C while this module is imported, so it imports next to nothing

        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # the interpreter's own end has nothing to save


if __name__ == "__main__":
    main()
