"""Command line: one thin module per command."""
