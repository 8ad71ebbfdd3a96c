"""Judges: prompt templates, the way to a model and back, reply parsing, the reply cache."""
