"""Turn a prompt's template and values into messages.

No value can open or end a message. Role headers such as ``user:`` are replaced before values are inserted, by marks with a random
number, and only these marks open a message. On benign input the messages equal those of promptflow-core.

A template with names alone, as all shipped ones are, is filled without jinja, with the same result (`plain_template`). Jinja is
imported for templates with loops, conditions or filters (`bounded_template`).
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from ..errors import PromptError
from ..records import Message
from .prompt_file import TYPES, InputDeclaration, PromptFile
from .template_limits import FREE_CHARACTERS, TOO_LONG, TemplateLimitError, allowed_characters

_MAX_NAMES = 1000
"""Templates with more names are left to jinja."""
_NAME = re.compile(r"(?<!\{)\{\{ *([A-Za-z_][A-Za-z0-9_]*) *\}\}")
_MARKUP = re.compile(r"\{[{%#]")
_NEWLINE = re.compile(r"\r\n|\r")
_JINJA_NAMES = frozenset({
    "and", "caller", "elif", "else", "false", "False", "if", "in", "is", "kwargs", "loop", "none", "None", "not", "or",
    "range", "self", "super", "true", "True", "varargs",
})  # fmt: skip
"""Words that jinja does not take for names of values."""


def plain_template(source: str) -> Callable[[Mapping[str, Any]], str] | None:
    """Compile a template with names alone; return None for any other.

    The returned function raises TemplateLimitError for a name without a value, or if the text would be far longer than the values.
    """
    pieces = _NAME.split(source)
    texts, names = [_NEWLINE.sub("\n", text) for text in pieces[::2]], pieces[1::2]
    if len(names) > _MAX_NAMES or not _JINJA_NAMES.isdisjoint(names) or any(map(_MARKUP.search, texts)):
        return None

    def render(values: Mapping[str, Any]) -> str:
        missing = next((name for name in names if name not in values), None)
        if missing is not None:
            raise TemplateLimitError(f"{missing!r} is undefined")
        value_texts = {name: str(values[name]) for name in dict.fromkeys(names)}
        parts = [""] * (2 * len(names) + 1)  # texts and values take turns
        parts[::2], parts[1::2] = texts, [value_texts[name] for name in names]
        length = sum(map(len, parts))
        if length > FREE_CHARACTERS and length > allowed_characters(values):
            raise TemplateLimitError(TOO_LONG)
        return "".join(parts)

    return render


Render: TypeAlias = Callable[[Mapping[str, Any]], list[Message]]
"""Function from values by input name to messages."""

_ROLE = re.compile(
    r"^[ \t]*+(?:#[ \t]*+)?(system|user|assistant|developer|tool|function)[ \t]*+:[ \t]*+\n",
    re.IGNORECASE | re.MULTILINE,
)


_RENDERING_ERRORS = (
    TemplateLimitError, ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError,
)  # fmt: skip


def compile_prompt(prompt: PromptFile) -> Render:
    """Compile a prompt to a function that renders it for an item.

    Raises:
        PromptError: The prompt cannot be compiled. The returned function raises it if the prompt cannot be rendered.
    """
    nonce = secrets.token_hex(16)
    source = _mark_roles(prompt, nonce)
    try:
        fill = _compile_template(source)
    except TemplateLimitError as error:
        line = prompt.template_line + error.line - 1
        raise PromptError(f"{prompt.path}:{line}: {error}") from error
    mark = re.compile(f"\0{nonce}:([a-z]+)\0\n?")

    def render(values: Mapping[str, Any]) -> list[Message]:
        all_values = _with_defaults(prompt, values)
        try:
            text = fill(all_values)
        except _RENDERING_ERRORS as error:
            raise PromptError(f"{prompt.path}: the template cannot be rendered: {error}") from error
        before, *parts = mark.split(text)
        if before.strip():
            raise PromptError(f"{prompt.path}: text stands before the first role: {before.strip()[:60]!r}")
        return [
            {"role": role, "content": escape_surrogates(content.strip())}
            for role, content in zip(parts[0::2], parts[1::2], strict=True)
        ]

    return render


def _compile_template(source: str) -> Callable[[Mapping[str, Any]], str]:
    """Return the function that fills a template; it does without jinja if it can."""
    fill = plain_template(source)
    if fill is not None:
        return fill
    from .bounded_template import jinja_template  # noqa: PLC0415 - most templates have names alone

    return jinja_template(source)


def escape_surrogates(text: str) -> str:
    """Escape lone surrogates, which cannot be sent as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode()
    return text


def _mark_roles(prompt: PromptFile, nonce: str) -> str:
    """Return the template with marks instead of role headers."""
    roles: list[str] = []

    def mark(match: re.Match[str]) -> str:
        role = match[1].lower()
        if role in {"tool", "function"}:
            line = prompt.template_line + prompt.template.count("\n", 0, match.start(1))
            raise PromptError(f"{prompt.path}:{line}: a prompt cannot have messages of the role {role}")
        roles.append(role)
        return f"\0{nonce}:{role}\0\n"

    source = _ROLE.sub(mark, prompt.template)
    if not roles:
        raise PromptError(
            f"{prompt.path}:{prompt.template_line}: expected a line such as `system:` or `user:` that opens a message"
        )
    return source


def _with_defaults(prompt: PromptFile, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of every declared input; refuse unknown, missing and wrong values."""
    unknown = sorted(values.keys() - prompt.inputs.keys())
    if unknown:
        raise PromptError(f"{prompt.path}: inputs that are not declared: {', '.join(unknown)}")
    missing = [name for name, declared in prompt.inputs.items() if declared.required and name not in values]
    if missing:
        raise PromptError(f"{prompt.path}: inputs without a value: {', '.join(missing)}")
    return {name: _checked_value(prompt, name, declared, values) for name, declared in prompt.inputs.items()}


def _checked_value(
    prompt: PromptFile, name: str, declared: InputDeclaration, values: Mapping[str, Any]
) -> Any:
    if name not in values:
        return declared.default
    value = values[name]
    # A bool is an int in Python, but not in a declaration.
    is_wrong_bool = isinstance(value, bool) and bool not in TYPES[declared.type]
    if is_wrong_bool or not isinstance(value, TYPES[declared.type]):
        raise PromptError(
            f"{prompt.path}: input {name} is declared as {declared.type}, got {type(value).__name__}"
        )
    return value
