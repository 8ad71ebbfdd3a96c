"""Calls that are executed with the user's functions, their results compared with those of the expected calls."""

from __future__ import annotations

from .checker import find

__all__ = ["find"]
