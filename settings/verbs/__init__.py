"""Settings of verbs: one module for each command."""
