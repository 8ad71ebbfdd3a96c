"""Settings of verbs, a module a command."""
