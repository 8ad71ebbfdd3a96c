"""Split a prompt file into front matter and template, and read the front matter.

Lines of keys are kept, so that errors can name them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from ruamel.yaml.nodes import MappingNode

from ..errors import PromptError
from ..records.bounded_yaml import YamlError, read_bounded_yaml

MAX_PROMPT_BYTES = 1 << 20
"""Maximum size of a prompt file."""
_MAX_NODES = 5_000
"""Maximum number of keys and values in front matter: reading so many takes a second."""
_SNIFFED_BYTES = 1 << 10
"""Bytes at the beginning of a file that `is_prompt_text` reads."""

_FENCE = re.compile(r"^-{3,}[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """Front matter and template of a prompt file.

    Attributes:
        path: The file, for error messages.
        values: The front matter.
        lines: 1-based line of each top-level key.
        body: The template.
        body_line: 1-based line on which the template begins.
    """

    path: Path
    values: Mapping[str, Any]
    lines: Mapping[str, int]
    body: str
    body_line: int

    def fault(self, message: str, key: str) -> PromptError:
        """Return an error about a key, which names the file and the key's line."""
        line = self.lines.get(key)
        location = str(self.path) if line is None else f"{self.path}:{line}"
        return PromptError(f"{location}: {key}: {message}")


def read_front_matter(path: Path) -> FrontMatter:
    """Read a prompt file: see `read_prompt_text` and `split_front_matter`."""
    return split_front_matter(read_prompt_text(path), path)


@lru_cache(maxsize=64)  # a run reads a judge's prompt at its start, at its end, and for its report
def split_front_matter(text: str, path: Path) -> FrontMatter:
    """Split the text of a prompt file.

    The front matter ends at the first line of three dashes, so the template may contain such lines. (promptflow ends it at the last
    one.)
    """
    opening = _FENCE.match(text.lstrip("\n"))
    n_blank_lines = len(text) - len(text.lstrip("\n"))  # `opening` does not count them
    closing = _FENCE.search(text, n_blank_lines + opening.end()) if opening else None
    if opening is None or closing is None:
        raise PromptError(
            f"{path}:1: expected front matter between two lines of three dashes, then the template"
        )
    header_start = n_blank_lines + opening.end() + 1
    header = text[header_start : closing.start()]
    values, lines = read_yaml_mapping(header, path, text.count("\n", 0, header_start))
    body_start = min(closing.end() + 1, len(text))
    return FrontMatter(path, values, lines, text[body_start:], text.count("\n", 0, body_start) + 1)


def is_prompt_text(path: Path) -> bool:
    """Return whether a file begins like a prompt file."""
    try:
        with path.open("rb") as file:
            beginning = file.read(_SNIFFED_BYTES)
    except OSError:
        return False
    text = beginning.decode("utf-8-sig", "replace").replace("\r", "\n")
    return _FENCE.match(text.lstrip("\n")) is not None


def read_prompt_text(path: Path) -> str:
    r"""Read a prompt file as text, with newlines as ``\n`` and without a byte-order mark."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise PromptError(f"{path}: cannot be read: {error.strerror or error}") from error
    if len(raw) > MAX_PROMPT_BYTES:
        raise PromptError(f"{path}: larger than {MAX_PROMPT_BYTES} bytes")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PromptError(
            f"{path}: not UTF-8: byte 0x{raw[error.start]:02x} at byte {error.start}"
        ) from error
    return with_newlines(text)


def with_newlines(text: str) -> str:
    r"""Return a text with ``\n`` for every line end, so that roles are found after each of them."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_yaml(text: str) -> Any:
    """Parse a short YAML text, such as an option's value.

    Raises:
        ValueError: It is not YAML.
    """
    try:
        return read_bounded_yaml(text, most_nodes=_MAX_NODES, aliases=True).value
    except YamlError as error:
        raise ValueError(f"{text!r} is not YAML") from error


def read_yaml_mapping(
    text: str, path: Path, lines_before: int = 0, noun: str = "front matter"
) -> tuple[dict[str, Any], dict[str, int]]:
    """Read a YAML mapping without aliases.

    Args:
        text: The mapping.
        path: Its file, for error messages.
        lines_before: Number of lines in the file before the text.
        noun: What the mapping is, for error messages.

    Returns:
        Its values, and the 1-based line of each top-level key.
    """
    try:
        values, node = read_bounded_yaml(text, most_nodes=_MAX_NODES)
    except YamlError as error:
        location = f"{path}" if error.line is None else f"{path}:{lines_before + 1 + error.line}"
        raise PromptError(f"{location}: {noun} {error.problem}") from error
    if not isinstance(node, MappingNode):
        raise PromptError(f"{path}:{lines_before + 1}: {noun} must be a mapping of keys to values")
    keys: list[Any] = [key for key, _ in cast("Any", node).value]
    lines = {str(key.value): lines_before + 1 + int(key.start_mark.line) for key in keys}
    return {str(key): value for key, value in values.items()}, lines
