"""Exit codes of the commands."""

from __future__ import annotations

EXIT_OK = 0
EXIT_GATE = 1
"""A gate failed, or another test that the command makes."""
EXIT_USAGE = 2
"""The command or its input cannot be used."""
EXIT_PARTIAL = 3
"""The command finished, but calls failed."""
EXIT_UNGRADED = 4
"""A judge graded nothing, or a gate cannot tell."""
EXIT_INTERRUPTED = 130
"""Ctrl-C was pressed; finished work is saved. Shells use 128 plus the number of the signal, which is 2."""

INTERRUPTED = "Interrupted. Finished work is saved; rerun the command to continue."
"""Message after Ctrl-C."""
