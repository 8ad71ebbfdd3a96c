"""The generation phase: models and agents work on cases, and what they produce becomes outputs."""
