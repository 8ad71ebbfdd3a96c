"""Exit codes of the commands."""

from __future__ import annotations

EXIT_OK, EXIT_GATE, EXIT_USAGE, EXIT_PARTIAL, EXIT_UNGRADED, EXIT_INTERRUPTED = 0, 1, 2, 3, 4, 130
"""Done; a gate failed; bad usage or input; finished, but calls failed; a judge graded nothing; Ctrl-C, with finished work saved."""

INTERRUPTED = "Interrupted. Finished work is saved; rerun the command to continue."
"""Message after Ctrl-C."""
