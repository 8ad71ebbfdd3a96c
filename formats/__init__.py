"""Other tools' files, to and from cases, outputs and verdicts."""
