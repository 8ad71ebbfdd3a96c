"""Texts of this package, read from files in ``templates/``."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent / "templates"


@cache
def template(name: str) -> str:
    """Return the text of a file in ``templates/``, stripped of surrounding white space."""
    return (_FOLDER / name).read_text("utf-8").strip()


@cache
def sections(name: str) -> dict[str, str]:
    """Return a template file's sections by name; a line ``## NAME`` begins each."""
    chunks = (chunk.partition("\n") for chunk in f"\n{template(name)}".split("\n## ")[1:])
    return {heading.strip(): body.strip() for heading, _, body in chunks}
