"""Import a plain template with placeholders of Python (``{answer}``) or jinja."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import jinja2
from jinja2 import nodes
from jinja2.sandbox import SandboxedEnvironment

from ..errors import InputError
from ..records.scale import Scale
from .foreign_prompty import prompty_text
from .front_matter import FrontMatter
from .prompt_inputs import INPUTS, OTHER_NAMES

_PYTHON = re.compile(r"(?<!\{)\{([A-Za-z_][A-Za-z0-9_]{0,63})\}(?!\})")
_JINJA = re.compile(r"\{\{-? {0,8}([A-Za-z_][A-Za-z0-9_]{0,63})\b")
_MARKUP = re.compile(r"\{[{%#]")
_ROLE = re.compile(r"^[ \t]*+(?:#[ \t]*+)?(?:system|user|assistant)[ \t]*+:[ \t]*+$", re.IGNORECASE | re.MULTILINE)  # fmt: skip
_SUFFIXES = frozenset({".jinja2", ".jinja", ".j2"})


def import_template(path: Path, text: str, sources: Mapping[str, str], scale: Scale | None) -> str | None:
    """Convert a template to the text of a prompt file, or None if it has no known placeholder.

    Args:
        path: The file.
        text: Its text.
        sources: The fiducial input that fills each placeholder; ``question`` is the query by default.
        scale: The scale, or None if the file declares one.

    Raises:
        InputError: It is not a template, nothing fills a placeholder, or the scale is not declared.
    """
    input_names = {*sources, *INPUTS, *OTHER_NAMES}
    is_jinja = path.suffix.lower() in _SUFFIXES or not input_names.isdisjoint(_JINJA.findall(text))
    if not is_jinja and input_names.isdisjoint(_PYTHON.findall(text)):
        return None
    template, names = _jinja(text, path) if is_jinja else _python(text)
    if _ROLE.search(template) is None:
        template = f"user:\n{template}"
    inputs = {name: {"type": "string"} for name in names}
    if "question" in names:  # fiducial's input of this name asks whether results support an answer
        sources = {"question": "query", **sources}
    return prompty_text(FrontMatter(path, {"inputs": inputs}, {}, template, 1), sources, scale)


def _jinja(text: str, path: Path) -> tuple[str, list[str]]:
    """Return a jinja template unchanged, and the names that it needs."""
    try:
        tree = SandboxedEnvironment().parse(text)
    except jinja2.TemplateSyntaxError as error:
        raise InputError(f"no template of jinja: {error.message}", path=path, line=error.lineno) from error
    assigned = {each.name for each in tree.find_all(nodes.Name) if each.ctx != "load"} | {"loop"}
    names = {each.name: each.lineno for each in tree.find_all(nodes.Name) if each.name not in assigned}
    for loop in tree.find_all(nodes.For):
        if isinstance(loop.iter, nodes.Name) and loop.iter.name in names:
            name = loop.iter.name
            raise InputError(
                f"{name} is one text here, with all its parts: write {{{{{name}}}}} in place of the loop over it",
                path=path,
                line=loop.lineno,
            )
    return text, list(names)


def _python(text: str) -> tuple[str, list[str]]:
    """Convert a template of ``str.format`` to jinja, and return it with its names.

    A doubled brace becomes a single one; braces around anything but a name are kept.
    """
    pieces = _PYTHON.split(text)  # literal texts and names in turn
    for index, piece in enumerate(pieces):
        is_name = index % 2
        pieces[index] = (
            f"{{{{{piece}}}}}" if is_name else _quoted(piece.replace("{{", "{").replace("}}", "}"))
        )
    return "".join(pieces), list(dict.fromkeys(_PYTHON.findall(text)))


def _quoted(text: str) -> str:
    return f"{{% raw %}}{text}{{% endraw %}}" if _MARKUP.search(text) else text
