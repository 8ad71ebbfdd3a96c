"""Self-consistency and drift of a judge."""
