"""Writes docs/records.md from the types, the worlds, and the examples beside it: ``python docs/records_page.py``.

A test compares the page with what this makes, and checks every example.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

import msgspec

from fiducial.deterministic.environments import ENVIRONMENTS, World
from fiducial.judges.catalogue import DEFAULT_VARIANTS, JUDGED_KINDS
from fiducial.records import (
    BUILT_IN_KINDS,
    REFERENCES,
    Case,
    Claim,
    ContextItem,
    Kind,
    Output,
    ToolCall,
    ToolResults,
    Usage,
    Verdict,
)

HERE = Path(__file__).parent
PAGE = HERE / "records.md"
EXAMPLES = HERE / "records_examples.jsonl"


class Example(msgspec.Struct, forbid_unknown_fields=True):
    """A case, an output for it, and what `fiducial check` says of that."""

    kind: str
    size: Literal["minimal", "full"]
    case: dict[str, Any]
    output: dict[str, Any]
    score: float | None = None
    outcome: str = "graded"
    files: dict[str, str] = {}
    options: list[str] = []


class KindText(NamedTuple):
    """What is said of a kind: what it asks for, and what its checker decides."""

    asks: str
    decides: str


KINDS: dict[str, KindText] = {
    "tool_call": KindText(
        "one call or several, with these arguments",
        "always; [strict rules and BFCL's](bfcl-differences.md)",
    ),
    "no_call": KindText("no call, since none fits or too little is known", "always"),
    "any_call": KindText(
        "some call, whatever is in it",
        "that none was made; a call that was made is left to the judge (under `--rules bfcl` it passes)",
    ),
    "executable_call": KindText(
        "calls that give these results when they are run",
        "always, with the functions that `--functions` names ([own-worlds.md](own-worlds.md))",
    ),
    "multi_turn": KindText(
        "a conversation in which calls change simulated worlds",
        "always, by states and results after each turn ([own-worlds.md](own-worlds.md))",
    ),
    "memory_answer": KindText(
        "an answer from what was said before",
        "an accepted answer and nothing else passes, none or a plain refusal fails; the rest is left to the judge",
    ),
    "web_search_answer": KindText("an answer from search results", "as of `memory_answer`"),
    "artifact": KindText(
        "files in a workspace",
        "always but for `eval.type: llm`; code is run only with `--allow-code` ([artifacts.md](artifacts.md))",
    ),
    "grounded_answer": KindText("an answer that says nothing but what the context supports", "never"),
    "open_answer": KindText("whatever meets a criterion", "never"),
}

INTRODUCTION = """# Cases, outputs, verdicts

<!-- Made by docs/records_page.py from the types; a test compares. -->

Files are JSON Lines: UTF-8, one object a line. A field that is not listed here is refused, with the fields there are and the nearest one. What has a
default may be left out. Examples are broken over several lines to be read; in a file each record is one line.
"""

CALLS = """### Accepted calls

`calls` lists the calls that are right, in either of two forms, which may be mixed:

* **The plain form**, `{"name": "book", "arguments": {"city": "Rome", "nights": 2}}`: exactly these arguments with exactly these values, and no others.
  An empty text is an empty text. Five spellings say otherwise, or more, for an argument or anywhere within its value:

  | spelling | means |
  |---|---|
  | `{"any_of": ["Rome", "Roma"]}` | any one of these |
  | `{"optional": 2}` | 2, or left out |
  | `{"any_of": [2, 3], "optional": true}` | 2 or 3, or left out |
  | `{"any_order": ["Ann", "Bo"]}` | this list, its items in any order |
  | `{"in_order": ["Ann", "Bo"]}` | this list, as without the spelling; said so, the order is also what [audits](audits.md) try a judge with |
  | `{"exactly": {"any_of": [1]}}` | the object `{"any_of": [1]}` itself |

  An object whose only keys are among `any_of`, `any_order`, `in_order`, `optional` and `exactly` is read as a spelling. Where the tool documents a property of such a name in that place, the
  case is refused until `exactly` says which is meant; within `exactly` nothing is a spelling.
* **BFCL's form**, `{"book": {"city": ["Rome", "Roma"], "nights": [2, ""]}}`: a list of acceptable values for each argument; `""` among them means that it may be left
  out. A value that is itself a list stands in a list: `{"tags": [["sea", "sun"]]}`. An object in a value may hold a list of acceptable values for each key.

`match: auto` looks these calls up among all tools by name and wants exactly them, in any order unless `ordered: true`. The order of the tools never matters.
`simple`, `multiple` and `parallel` are BFCL's own ways and come with its data. How texts, numbers and types compare is up to [the rules](bfcl-differences.md).

`run`, `check` and `audit mutate` refuse a case (with `match: auto`) whose own tools cannot produce its calls: there is no such tool or argument, a required argument
is given by no alternative, or no accepted value is of a type (or among the `enum`) that the tool documents. Where a document says nothing, everything fits; a
documented default always does. In Java and JavaScript a text may be any expression.
"""

TOOLS = """Tools are function documents as OpenAI has them, with the outer `{"type": "function", "function": ...}` or without. Type names may be JSON Schema's or BFCL's
(`dict`, `float`, `tuple`, `any`; Java's and JavaScript's with `language`). A message's content may be a text or parts; text parts become their text.
"""

CALL_FORMS = """A call may be written as OpenAI does, `{"id": ..., "type": "function", "function": {"name": ..., "arguments": ...}}`; arguments are kept verbatim. A text
reply is decoded by the checker: `[book(city='Rome')]`.
"""


def page() -> str:
    """The whole page."""
    return "\n".join(_lines()).rstrip("\n") + "\n"


def _lines() -> Iterator[str]:
    yield INTRODUCTION
    yield from _example(next(example for example in examples() if example.kind == "tool_call"))
    yield "Which kinds there are, with examples of each: [below](#kinds-of-cases).\n"
    yield "## Case\n"
    yield from _record(Case)
    yield TOOLS
    yield from _titled("Context item", ContextItem)
    yield "## Kinds of cases\n"
    yield "| kind | asks for | the checker decides | judge |"
    yield "|---|---|---|---|"
    for kind, text in _kinds():
        yield f"| [`{kind}`](#{kind}) | {text.asks} | {text.decides} | {_judges(kind)} |"
    yield "\nKinds of your own: [extending.md](extending.md#a-checker-for-a-kind-of-your-own).\n"
    for kind, _ in _kinds():
        yield from _kind(kind)
    yield "## Output\n"
    yield from _record(Output)
    yield from _titled("Call", ToolCall, leave_out=("id", "type", "function"))
    yield CALL_FORMS
    yield from _titled("Results among the steps of a turn", ToolResults)
    yield "## Verdict\n"
    yield from _record(Verdict)
    yield from _titled("Usage", Usage)
    yield "## Worlds\n"
    yield "What `classes` of a `multi_turn` case may name, and what can be called there. Worlds of your own: [own-worlds.md](own-worlds.md).\n"
    for name, world in ENVIRONMENTS.items():
        yield from _world(name, world)


def _kinds() -> Iterator[tuple[Kind, KindText]]:
    return ((kind, KINDS[kind]) for kind in BUILT_IN_KINDS)


def _kind(kind: Kind) -> Iterator[str]:
    yield f"### {kind}\n"
    reference = REFERENCES.get(kind)
    if reference is None:
        yield "The reference keeps the challenge's own fields; a checker reads `ground` (`files`, `should_contain`, `should_not_contain`, `case_sensitive`, `eval.type`),"
        yield "`folder`, `name`, `dependencies` and `cutoff` ([artifacts.md](artifacts.md)).\n"
    elif msgspec.structs.fields(reference):
        yield "`reference`:\n"
        yield from _record(reference)
    else:
        yield "`reference` has no fields.\n"
    if kind == "grounded_answer":
        yield from _titled("Claim", Claim, level=4)
    if kind == "tool_call":
        yield CALLS.replace("### ", "#### ")
    if kind == "multi_turn":
        yield "A case is refused whose worlds do not have the functions and arguments that its calls name.\n"
    for example in examples():
        if example.kind == kind:
            yield from _example(example)


def _example(example: Example) -> Iterator[str]:
    said = f"is left {example.outcome}" if example.score is None else f"scores {example.score:g}"
    options = f", with `{' '.join(example.options)}`" if example.options else ""
    yield f"{example.size.capitalize()}; the output {said}{options}:\n"
    yield "```json"
    yield _object(example.case) + "\n"
    yield _object(example.output)
    yield "```\n"


def _object(record: dict[str, Any]) -> str:
    """A record with a line for each field, so that it can be read."""
    return "{" + ",\n ".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in record.items()) + "}"


def _judges(kind: Kind) -> str:
    names = [judge for judge, kinds in JUDGED_KINDS.items() if kind in kinds]
    return ", ".join(f"`{name}` (`{DEFAULT_VARIANTS[name]}`)" for name in names)


def _titled(
    title: str, record: type[msgspec.Struct], leave_out: tuple[str, ...] = (), level: int = 3
) -> Iterator[str]:
    yield f"{'#' * level} {title}\n"
    yield from _record(record, leave_out)


def _record(record: type[msgspec.Struct], leave_out: tuple[str, ...] = ()) -> Iterator[str]:
    documented = _documented(record)
    hints = get_type_hints(record)
    yield "| field | is | |"
    yield "|---|---|---|"
    for field in msgspec.structs.fields(record):
        if field.name not in leave_out:
            yield f"| `{field.name}` | {_called(hints[field.name])}{_default(field)} | {documented[field.name]} |"
    yield ""


def _default(field: msgspec.structs.FieldInfo) -> str:
    if field.required or field.default == "\0":
        return ", required"
    if field.default is None or field.default is msgspec.NODEFAULT:
        return ""
    return f", default `{json.dumps(field.default)}`"


def _called(kind: Any) -> str:
    """A type as a person calls it."""
    simple = {
        str: "text",
        int: "whole number",
        float: "number",
        bool: "true or false",
        Any: "anything",
        dict: "object",
    }
    origin, inner = get_origin(kind), get_args(kind)
    if kind in simple or origin is dict:
        return simple[dict if origin is dict else kind]
    if origin is Literal:
        return ", ".join(f"`{value}`" for value in inner)
    if origin is list:
        return f"list of {_plural(_called(inner[0]))}"
    if inner:
        return " or ".join(dict.fromkeys(_called(part) for part in inner if part is not type(None)))
    return _CAPITAL.sub(" ", kind.__name__).lower()


_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")


def _plural(name: str) -> str:
    parts = [
        part.replace("list of", "lists of") if part.startswith("list") else f"{part}s"
        for part in name.split(" or ")
    ]
    return name if name == "anything" or name.startswith("`") else " or ".join(parts)


@cache
def _documented(record: type[msgspec.Struct]) -> dict[str, str]:
    """What the source says of each field: in the docstring's list of attributes, or under the field."""
    (node,) = ast.parse(inspect.getsource(record)).body
    assert isinstance(node, ast.ClassDef)
    told: dict[str, str] = {}
    for field, text in zip(node.body, node.body[1:], strict=False):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(text, ast.Expr)
            and isinstance(text.value, ast.Constant)
        ):
            assert isinstance(field.target, ast.Name)
            told[field.target.id] = str(text.value.value)
    _, _, listed = (inspect.getdoc(record) or "").partition("Attributes:\n")
    name = ""
    for line in listed.splitlines():
        if line.startswith("    ") and not line.startswith("     "):
            name, _, text = line.strip().partition(": ")
            told[name] = text
        elif name:
            told[name] += f" {line.strip()}"
    return {
        field: " ".join(text.replace("``", "`").split()).replace("|", "\\|") for field, text in told.items()
    }


def _world(name: str, world: type[World]) -> Iterator[str]:
    yield f"### {name}\n"
    yield f"{_first_line(world)}\n"
    yield "| function | |"
    yield "|---|---|"
    for method, function in inspect.getmembers(world, inspect.isfunction):
        if not method.startswith("_") and method not in {"load", "state"}:
            yield f"| `{method}{_parameters(function)}` | {_first_line(function)} |"
    yield ""


def _parameters(function: Any) -> str:
    parameters = list(inspect.signature(function).parameters.values())[1:]
    shown = [
        each.name if each.default is each.empty else f"{each.name}={_written(each.default)}"
        for each in parameters
    ]
    return f"({', '.join(shown)})"


def _written(default: Any) -> str:
    return repr(default) if default is None or isinstance(default, str | int | float) else "..."


def _first_line(documented: Any) -> str:
    return (
        (inspect.getdoc(documented) or "")
        .partition("\n\n")[0]
        .replace("\n", " ")
        .replace("``", "`")
        .replace("|", "\\|")
    )


def examples() -> list[Example]:
    """The examples, in the order of the page."""
    return [msgspec.json.decode(line, type=Example) for line in EXAMPLES.read_bytes().splitlines()]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
