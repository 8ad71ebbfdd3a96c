"""The texts of this package, which lie in files of their own."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent / "templates"


@cache
def template(name: str) -> str:
    """A template's text.

    Args:
        name: File name in ``templates/``.

    Returns:
        The text without white space around it.
    """
    return (_FOLDER / name).read_text("utf-8").strip()


@cache
def sections(name: str) -> dict[str, str]:
    """The sections of a template file.

    Args:
        name: A file in which each section stands below a line ``## <its name>``.

    Returns:
        Section name to text.
    """
    chunks = (chunk.partition("\n") for chunk in f"\n{template(name)}".split("\n## ")[1:])
    return {heading.strip(): body.strip() for heading, _, body in chunks}
