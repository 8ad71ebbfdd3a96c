"""First stage: check every output."""
