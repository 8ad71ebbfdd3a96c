"""Generation phase: models and agents work on cases and produce outputs."""
