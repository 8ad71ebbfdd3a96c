"""``python -m fiducial``, and the installed command ``fiducial``."""

from __future__ import annotations

import sys

_INTERRUPTED = 130


def main() -> None:
    """Run the command line. Ctrl-C ends it without a traceback, also on the way in or out."""
    try:
        from .cli.main import main as run  # noqa: PLC0415 - an interrupt during this slow import is caught below

        run()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
    except RuntimeError as error:
        if isinstance(error.__cause__, KeyboardInterrupt):  # Python 3.11 wraps an interrupt of a class body
            sys.exit(_INTERRUPTED)
        raise
    finally:
        import signal  # noqa: PLC0415 - an interrupt while this module is imported is not caught, so it imports little

        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # the interpreter's shutdown has nothing to save


if __name__ == "__main__":
    main()
