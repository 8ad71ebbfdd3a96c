"""Traces of agent frameworks: spans in any convention, read in one way."""
