"""Evaluate arithmetic on literals as Python does, without running code.

Sizes are bounded, so that a short text cannot fill the memory.
"""

# pyright: reportUnknownMemberType=false
# (typeshed leaves most functions of ``operator`` without types)

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Collection, Hashable
from typing import Any, TypeAlias, cast

from ...errors import DecodingError

MAX_BITS = 14_000
"""Limit on the size of integers, about what Python prints (4,300 digits)."""

MAX_ITEMS = 50_000
"""Limit on the size of texts and collections, in characters and items, including nested ones."""

MAX_REPEATED_ITEMS = 2_000
"""Limit on the size of a repeated text or collection, such as ``[0] * n``. It is lower, since a reply has room for thousands of them."""

_BINARY: dict[type[ast.operator], Any] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.BitAnd: operator.and_,
    ast.MatMult: operator.matmul,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Invert: operator.invert,
    ast.Not: operator.not_,
}
_WIDE_FORMAT = re.compile(r"\*|\d{4}")
"""In a ``%`` format: a width that is a value (``%*d``), or has four digits."""

# A number in a ``%`` format may be a width or a precision.
_NUMBER = re.compile(r"\d+")


Evaluate: TypeAlias = Callable[[ast.expr], Any]
"""Returns the value of a part of an expression."""


class UnpackedDictError(Exception):
    """A dict is unpacked with ``**`` in a dict; callers raise their own error for it."""


def evaluate_arithmetic(node: ast.expr) -> Any:
    """Return Python's value of an expression of literals, collections and operators.

    Raises:
        DecodingError: It contains anything else (a name, a call ...), has no value, or its value would be too large.
    """
    evaluator = EVALUATORS.get(type(node))
    if evaluator is None:
        raise DecodingError(f"{type(node).__name__} is not a literal or arithmetic on literals")
    try:
        return evaluator(node, evaluate_arithmetic)
    except UnpackedDictError as error:
        raise DecodingError("a dict is unpacked with ** inside another") from error
    except (TypeError, ValueError, ArithmeticError, LookupError) as error:
        raise DecodingError(f"an expression without a value: {error}") from error


def _apply(operation: ast.operator, left: Any, right: Any) -> Any:
    if _may_be_too_large(operation, left, right):
        raise OverflowError(f"the result of {type(operation).__name__} would be too large")
    return _BINARY[type(operation)](left, right)


def _may_be_too_large(operation: ast.operator, left: Any, right: Any) -> bool:
    """Estimate the size of a result from those of its operands, before it is computed."""
    match operation:
        case ast.Pow():
            return abs(_int_or_zero(left)) > 1 and _int_or_zero(right) * _bits(left) > MAX_BITS
        case ast.LShift():
            return _int_or_zero(right) + _bits(left) > MAX_BITS
        case ast.Mult():
            return (
                _size(left) * _int_or_zero(right) > MAX_REPEATED_ITEMS
                or _size(right) * _int_or_zero(left) > MAX_REPEATED_ITEMS
                or _bits(left) + _bits(right) > MAX_BITS
            )
        case ast.Add():
            return _size(left) + _size(right) > MAX_ITEMS
        case ast.Mod():
            return _may_format_too_much(left, right)
        case _:
            return False


def _int_or_zero(value: Any) -> int:
    return value if isinstance(value, int) else 0


def _bits(value: Any) -> int:
    return value.bit_length() if isinstance(value, int) else 0


def _size(value: Any) -> int:
    """Count characters and items, including nested ones: about n * n in ``[[0] * n] * n``."""
    if isinstance(value, str | bytes):
        return len(value)
    if isinstance(value, list | tuple | set | frozenset):
        items = cast("Collection[Any]", value)
        return len(items) + sum(map(_size, items))
    if isinstance(value, dict):
        pairs = cast("dict[Any, Any]", value)
        return len(pairs) + sum(map(_size, pairs.keys())) + sum(map(_size, pairs.values()))
    return 0


def _may_format_too_much(template: Any, values: Any) -> bool:
    """Return whether the result of a ``%`` format may be too long."""
    if isinstance(template, bytes):
        template = template.decode("latin-1")
    if not isinstance(template, str):
        return False
    if _WIDE_FORMAT.search(template):
        return True
    padding = sum(map(int, _NUMBER.findall(template)))
    # Each ``%`` may print all values: ``%(name)s`` can repeat one.
    return padding + template.count("%") * _printed_length(values) > MAX_ITEMS


def _printed_length(value: Any) -> int:
    """Estimate the length of a value as text; a collection counts all items in it."""
    if isinstance(value, int):
        return value.bit_length() // 3 + 1  # a decimal digit takes more than 3 bits
    if isinstance(value, float | complex):
        return len(f"{value:f}")
    if isinstance(value, dict):
        pairs = cast("dict[Any, Any]", value)
        return _printed_length([*pairs.keys(), *pairs.values()])
    if isinstance(value, list | tuple | set | frozenset):
        items = cast("Collection[Any]", value)
        return len(items) + sum(map(_printed_length, items))
    return len(value) if isinstance(value, str | bytes) else 0


def _evaluate_dict(node: ast.Dict, evaluate: Evaluate) -> dict[Hashable, Any]:
    values: dict[Hashable, Any] = {}
    for key, item in zip(node.keys, node.values, strict=True):
        if key is None:
            raise UnpackedDictError
        values[evaluate(key)] = evaluate(item)
    return values


EVALUATORS: dict[type[ast.expr], Callable[[Any, Evaluate], Any]] = {
    ast.Constant: lambda node, _evaluate: node.value,
    ast.UnaryOp: lambda node, evaluate: _UNARY[type(node.op)](evaluate(node.operand)),
    ast.BinOp: lambda node, evaluate: _apply(node.op, evaluate(node.left), evaluate(node.right)),
    ast.Subscript: lambda node, evaluate: evaluate(node.value)[evaluate(node.slice)],
    ast.List: lambda node, evaluate: [evaluate(item) for item in node.elts],
    ast.Tuple: lambda node, evaluate: tuple([evaluate(item) for item in node.elts]),
    ast.Set: lambda node, evaluate: {evaluate(item) for item in node.elts},
    ast.Dict: _evaluate_dict,
}
"""Evaluators by kind of expression. Each takes the expression and a function that evaluates its parts; Python's errors are not caught."""
