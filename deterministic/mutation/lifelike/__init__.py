"""Faults like those of real agents: drawn facts, a right output, one with a slip, its twin."""

from .lifelike_operators import LIFELIKE, lifelike_kinds, lifelike_pairs

__all__ = ["LIFELIKE", "lifelike_kinds", "lifelike_pairs"]
