"""Decode calls written as XML: ``<functions><function name="f">...</function></functions>``.

Other text may surround them. The parser gets the text from the root element on, so it cannot declare a document type or entities to
expand.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import DecodingError
from ...records.python_syntax import bounded_code, parse_expression

if TYPE_CHECKING:
    from xml.etree import ElementTree as ET

_OPENING = "<functions>"
_CLOSING = "</functions>"

_MAX_QUOTED_LENGTH = 60
"""Longer values are cut in messages, in characters."""


def decode_verbose_xml_calls(text: str) -> list[dict[str, dict[str, Any]]]:
    """Read calls whose arguments are ``<param name= value= type=/>``, in ``<params>`` or not."""
    return [_make_call(function, _verbose_parameters(function)) for function in _find_functions(text)]


def decode_concise_xml_calls(text: str) -> list[dict[str, dict[str, Any]]]:
    """Read calls whose arguments are ``<param name= type=>value</param>``."""
    return [_make_call(function, _concise_parameters(function)) for function in _find_functions(text)]


def _find_functions(text: str) -> list[ET.Element]:
    start = text.find(_OPENING)
    end = text.find(_CLOSING, start) if start >= 0 else -1
    if end < 0:
        raise DecodingError(f"expected the calls between {_OPENING} and {_CLOSING}, found no such pair")
    from xml.etree import ElementTree as ET  # noqa: PLC0415 - few replies are XML

    code = bounded_code(text[start : end + len(_CLOSING)])
    try:
        root = ET.fromstring(code)  # noqa: S314 - see the module's docstring: no entities can be declared
    except (ET.ParseError, ValueError) as error:
        raise DecodingError(f"not well-formed XML: {error}") from error
    return root.findall("function")


class _Parameter(NamedTuple):
    name: str
    text: str
    kind: str


def _verbose_parameters(function: ET.Element) -> list[_Parameter]:
    params = function.find("params")
    parent = function if params is None else params
    return [
        _Parameter(_attribute(param, "name"), param.get("value", ""), param.get("type", "string"))
        for param in parent.findall("param")
    ]


def _concise_parameters(function: ET.Element) -> list[_Parameter]:
    return [
        _Parameter(_attribute(param, "name"), (param.text or "").strip(), param.get("type", "string"))
        for param in function.findall("param")
    ]


def _make_call(function: ET.Element, parameters: list[_Parameter]) -> dict[str, dict[str, Any]]:
    return {
        _attribute(function, "name"): {name: _convert_value(text, kind) for name, text, kind in parameters}
    }


def _attribute(element: ET.Element, name: str) -> str:
    value = element.get(name)
    if value is None:
        raise DecodingError(f"a <{element.tag}> lacks its {name}")
    return value


def _convert_value(text: str, kind: str) -> Any:
    convert = _CONVERSIONS.get(kind)
    if convert is None:
        return text
    try:
        return convert(text)
    except (ValueError, TypeError, RecursionError, MemoryError) as error:
        raise DecodingError(f"{text[:_MAX_QUOTED_LENGTH]!r} is not of type {kind}") from error


def _read_literal(text: str) -> Any:
    return ast.literal_eval(parse_expression(text.lstrip(" \t")))


_CONVERSIONS: dict[str, Callable[[str], Any]] = {
    "integer": int,
    "float": float,
    "boolean": lambda text: text.lower() == "true",
    "null": lambda _text: None,
    "array": _read_literal,
    "tuple": _read_literal,
    "object": _read_literal,
    "dict": _read_literal,
}
