"""The part of jinja that prompts are written in: what loops, joins and changes values, up to a bound, and nothing that grows without one.

A prompt file may be anybody's, and is rendered in this process, thousands of times. What it may use is looked up in what jinja parsed of
it. What it does is counted: turns of loops, and characters that are read, made and printed, of which there may be so many for those that
are shown. docs/decisions/0021-prompt-templates-are-a-part-of-jinja.md says why there is no process of their own instead.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from functools import wraps
from itertools import islice
from typing import Any, cast

import jinja2
from jinja2 import nodes
from jinja2.exceptions import SecurityError
from jinja2.filters import FILTERS
from jinja2.sandbox import ImmutableSandboxedEnvironment, safe_range
from jinja2.visitor import NodeTransformer

from ..errors import FiducialError

MAX_TOKENS = 20_000
MAX_DEPTH = 100
MAX_TURNS = 100_000
"""Turns of all loops in one rendering."""
MAX_SECONDS = 10.0
"""Of this thread's own time, for a rendering that loops."""
_FREE, _TIMES = 1 << 26, 32
"""Characters of work in one rendering: so many, and so many times those of the values."""
_CALL = 64
"""What calling a filter or a test counts, however short its value."""
_ITEM = 32
"""What an item of a list counts, beside a character of a text."""
_LARGEST_FACTOR = 1e18
_MOST_DIGITS = 20
_MOST_INDENT = 100


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


_NODES: tuple[type[nodes.Node], ...] = tuple(
    getattr(nodes, name)
    for name in _names(
        "Template Output TemplateData Name Const If For Assign Getattr Getitem Slice Call Keyword Filter Test Compare Operand And Or "
        "Not Neg Pos CondExpr Concat Add Sub Mul Div FloorDiv Mod List Tuple Dict Pair"
    )
)
"""What templates may be made of."""

_JINJA: Mapping[str, Callable[..., Any]] = cast("Any", FILTERS)
_FILTERS = _names(
    "abs capitalize count d default dictsort first float int items last length list lower map max min reject rejectattr reverse safe "
    "select selectattr sort string title trim truncate unique upper wordcount"
)
"""jinja's filters as they are; `_own_filters` are those that are held to bounds."""

_WALKS = _names("list map max min reject select sort title unique")
"""Those that take a text letter by letter."""

_METHODS = _names(
    "capitalize count endswith find get index isalnum isalpha isdigit items keys lower lstrip rstrip split splitlines startswith "
    "strip title upper values cycle changed"
)
"""What may be called of values, and of a loop."""


class TemplateLimitError(FiducialError):
    """A template uses what prompts may not use, or takes more than they may; with the line where that is known."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.line = line


def bounded_template(source: str) -> Callable[[Mapping[str, Any]], str]:
    """Compile a template.

    Returns:
        From values to text. It raises TemplateLimitError where rendering takes too much, and what jinja raises.

    Raises:
        jinja2.TemplateSyntaxError: It is not jinja.
        TemplateLimitError: It uses what prompts may not use, is nested too deeply or too long.
    """
    environment = _Bounded()
    environment.begin({"source": source})  # constants are worked out already
    try:
        if sum(1 for _ in islice(environment.lex(source), MAX_TOKENS + 1)) > MAX_TOKENS:
            raise TemplateLimitError(f"the template has more than {MAX_TOKENS:,} parts")
        parsed = environment.parse(source)
        _refuse_unbounded(parsed)
        template = environment.from_string(_Counted(environment).visit(parsed))
    except (RecursionError, SyntaxError, MemoryError) as error:
        raise TemplateLimitError("the template is nested too deeply") from error

    def render(values: Mapping[str, Any]) -> str:
        spend = environment.begin(values).spend
        parts: list[str] = []
        for part in template.root_render_func(template.new_context(dict(values))):
            spend(len(part))
            parts.append(part)
        return "".join(parts)

    return render


def _refuse_unbounded(template: nodes.Template) -> None:
    left: list[tuple[nodes.Node, int]] = [(template, 0)]
    while left:
        node, depth = left.pop()
        if depth > MAX_DEPTH:
            raise TemplateLimitError("the template is nested too deeply", node.lineno)
        if not isinstance(node, _NODES):
            raise TemplateLimitError(f"prompts use no {type(node).__name__.lower()}", node.lineno)
        if isinstance(node, nodes.For) and node.recursive:
            raise TemplateLimitError("prompts use no recursive loops", node.lineno)
        # Lists of lists of the same lists are short, and texts without end.
        made = (
            isinstance(node, nodes.List | nodes.Tuple | nodes.Dict) and getattr(node, "ctx", "load") == "load"
        )
        if made and any(node.find_all((nodes.Name, nodes.Call, nodes.Filter))):
            raise TemplateLimitError("prompts make no lists of values, only of constants", node.lineno)
        left += [(child, depth + 1) for child in node.iter_child_nodes()]


class _Counted(NodeTransformer):
    """Has loops and slices counted, and what joins texts bounded."""

    def __init__(self, environment: jinja2.Environment) -> None:
        self._environment = environment

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802 - jinja's name
        self.generic_visit(node)
        node.iter = self._filtered(node.iter, " turns")
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802 - jinja's name
        self.generic_visit(node)
        return self._filtered(nodes.List(node.nodes, lineno=node.lineno), "join")

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Node:  # noqa: N802 - jinja's name
        self.generic_visit(node)
        return self._filtered(node, " copied") if isinstance(node.arg, nodes.Slice) else node

    def _filtered(self, node: nodes.Node, name: str) -> nodes.Node:
        made = nodes.Filter(cast("nodes.Expr", node), name, [], [], None, None, lineno=node.lineno)
        return made.set_environment(self._environment)


class _Work:
    """What one rendering has taken, and may take. Most take so little that nobody asks how much they may."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values
        self._characters = self._turns = 0
        self._allowed = _FREE
        self._until: float | None = None

    def spend(self, characters: int) -> None:
        """Count characters that are read, made or printed."""
        self._characters += characters
        if self._characters > self._allowed:
            self._allowed = _FREE + _TIMES * sum(len(str(value)) for value in self._values.values())
            if self._characters > self._allowed:
                raise TemplateLimitError("the template makes far more text than it is given")

    def turn(self) -> None:
        """Count a turn of a loop."""
        now = time.thread_time()
        self._until = now + MAX_SECONDS if self._until is None else self._until
        self._turns += 1
        if self._turns > MAX_TURNS or now > self._until:
            raise TemplateLimitError(
                f"the template's loops take more than {MAX_TURNS:,} turns, or {MAX_SECONDS:g} s"
            )


class _Bounded(ImmutableSandboxedEnvironment):
    """jinja's sandbox with bounds."""

    intercepted_binops = frozenset({"+", "-", "*", "/", "//", "%", "**"})

    def __init__(self) -> None:
        super().__init__(
            trim_blocks=True, keep_trailing_newline=True, undefined=jinja2.StrictUndefined, autoescape=False
        )
        self._local = threading.local()
        self.globals = {"range": safe_range}
        self.filters = {name: self._charged(name, _JINJA[name]) for name in _FILTERS} | self._own_filters()

    def begin(self, values: Mapping[str, Any]) -> _Work:
        """Begin to count anew, in this thread."""
        work = self._local.work = _Work(values)
        return work

    def _spend(self, characters: int) -> None:
        work: _Work = self._local.work
        work.spend(characters)

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Work out what may grow only where it stays small."""
        numbers = isinstance(left, int | float) and isinstance(right, int | float)
        if operator == "+" and not numbers:
            self._spend(_size(left) + _size(right))
        elif operator == "**" or not numbers:
            raise SecurityError(f"prompts use {operator} for numbers alone, and no powers")
        elif operator == "*" and max(abs(left), abs(right)) > _LARGEST_FACTOR:
            raise SecurityError("prompts multiply no numbers as large as that")
        return super().call_binop(context, operator, left, right)

    def is_safe_callable(self, obj: Any) -> bool:
        """Whether a function may be called: of those that values have, some; of jinja's, ``range``."""
        return obj is safe_range or (
            getattr(obj, "__name__", None) in _METHODS and super().is_safe_callable(obj)
        )

    def call(self, context: Any, obj: Any, *args: Any, **kwargs: Any) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride] - its own names begin with underscores
        """Call a function of a value's."""
        self._spend(_CALL + _size(getattr(obj, "__self__", None)))
        found = super().call(context, obj, *args, **kwargs)
        self._spend(_size(found))
        return found

    def call_test(self, name: str, value: Any, args: Any = None, *rest: Any, **kwargs: Any) -> Any:
        """Try each of many values, perhaps against one that is long."""
        self._spend(_CALL + sum(map(_size, args or ())))
        return super().call_test(name, value, args, *rest, **kwargs)

    def _charged(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        place = int(hasattr(function, "jinja_pass_arg"))
        walks = name in _WALKS

        @wraps(function)
        def charged(*args: Any, **kwargs: Any) -> Any:
            items = _ITEM * len(args[place]) if walks and isinstance(args[place], str) else _size(args[place])
            self._spend(_CALL + items)
            found = function(*args, **kwargs)
            self._spend(_size(found))
            return found

        return charged

    def _own_filters(self) -> dict[str, Callable[..., Any]]:
        def turns(values: Iterable[Any]) -> Iterator[Any]:
            work: _Work = self._local.work
            for value in values:
                work.turn()
                yield value

        def copied(value: Any) -> Any:
            self._spend(_size(value))
            return value

        def join(values: Iterable[Any], between: Any = "", attribute: str | None = None) -> str:
            if attribute is not None:
                values = (self.getattr(value, attribute) for value in values)
            texts, between = list(map(str, values)), str(between)
            self._spend(_CALL + sum(map(len, texts)) + len(texts) * (len(between) + _ITEM))
            return between.join(texts)

        def replace(value: Any, old: Any, new: Any, count: int = -1) -> str:
            text, old, new = str(value), str(old), str(new)
            self._spend(_CALL + len(text) + text.count(old) * len(new))
            return text.replace(old, new, count)

        def indent(value: Any, width: int | str = 4, first: bool = False, blank: bool = False) -> str:  # noqa: FBT001, FBT002 - as jinja has it
            text, margin = str(value), width if isinstance(width, str) else " " * min(width, _MOST_INDENT)
            self._spend(_CALL + len(text) + (len(text.splitlines()) + 1) * len(margin))
            return _JINJA["indent"](text, margin, first, blank)

        @jinja2.pass_eval_context
        def tojson(context: Any, value: Any, indent: int | None = None) -> str:
            found = _JINJA["tojson"](context, value, None if indent is None else min(indent, _MOST_INDENT))
            self._spend(_CALL + len(found))
            return found

        def rounded(value: float, precision: int = 0, method: str = "common") -> float:
            return _JINJA["round"](value, max(0, min(precision, _MOST_DIGITS)), method)

        own = {"join": join, "replace": replace, "indent": indent, "tojson": tojson, "round": rounded}
        return {**own, " turns": turns, " copied": copied}  # which no template can name


def _size(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    return _ITEM * len(cast("Sized", value)) if isinstance(value, list | tuple | dict | range) else _CALL
