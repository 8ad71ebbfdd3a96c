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

_PYTHON_PLACEHOLDER = re.compile(r"(?<!\{)\{([A-Za-z_][A-Za-z0-9_]{0,63})\}(?!\})")
_JINJA_PLACEHOLDER = re.compile(r"\{\{-? {0,8}([A-Za-z_][A-Za-z0-9_]{0,63})\b")
_JINJA_MARKUP = re.compile(r"\{[{%#]")
_ROLE_LINE = re.compile(r"^[ \t]*+(?:#[ \t]*+)?(?:system|user|assistant)[ \t]*+:[ \t]*+$", re.IGNORECASE | re.MULTILINE)  # fmt: skip
_JINJA_SUFFIXES = frozenset({".jinja2", ".jinja", ".j2"})


def import_template(path: Path, text: str, sources: Mapping[str, str], scale: Scale | None) -> str | None:
    """Convert a template to the text of a prompt file, or None if it has no known placeholder.

    Args:
        path: The file.
        text: Its text.
        sources: The fiducial input that fills each placeholder, if their names differ.
        scale: The scale, or None if the file declares one.

    Raises:
        InputError: It is not a template, nothing fills a placeholder, or the scale is not declared.
    """
    input_names = {*sources, *INPUTS, *OTHER_NAMES}
    is_jinja = path.suffix.lower() in _JINJA_SUFFIXES or not input_names.isdisjoint(
        _JINJA_PLACEHOLDER.findall(text)
    )
    if not is_jinja and input_names.isdisjoint(_PYTHON_PLACEHOLDER.findall(text)):
        return None
    template, names = _jinja(text, path) if is_jinja else _python(text)
    if _ROLE_LINE.search(template) is None:
        template = f"user:\n{template}"
    inputs = {name: {"type": "string"} for name in names}
    # Elsewhere, `question` is what the user asked. Fiducial's input of that name may ask whether results support an answer.
    if "question" in names:
        sources = {"question": "query", **sources}
    return prompty_text(FrontMatter(path, {"inputs": inputs}, {}, template, 1), sources, scale)


def _jinja(text: str, path: Path) -> tuple[str, list[str]]:
    """Return a jinja template unchanged, with the names of its placeholders."""
    try:
        tree = SandboxedEnvironment().parse(text)
    except jinja2.TemplateSyntaxError as error:
        raise InputError(f"no template of jinja: {error.message}", path=path, line=error.lineno) from error
    assigned = {node.name for node in tree.find_all(nodes.Name) if node.ctx != "load"} | {"loop"}
    names = dict.fromkeys(node.name for node in tree.find_all(nodes.Name) if node.name not in assigned)
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
    """Convert a ``str.format`` template to jinja; return it with its placeholders' names.

    Doubled braces become single ones. Braces around anything but a name are kept.
    """
    pieces = _PYTHON_PLACEHOLDER.split(text)  # literal texts and names in turn
    for index, piece in enumerate(pieces):
        is_name = index % 2
        pieces[index] = (
            f"{{{{{piece}}}}}" if is_name else _escaped(piece.replace("{{", "{").replace("}}", "}"))
        )
    return "".join(pieces), list(dict.fromkeys(_PYTHON_PLACEHOLDER.findall(text)))


def _escaped(text: str) -> str:
    return f"{{% raw %}}{text}{{% endraw %}}" if _JINJA_MARKUP.search(text) else text
