"""Generator of docs/records.md from types, environments and examples.

Run it with ``python docs/records_page.py``; the examples are in docs/records_examples.jsonl.

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

from fiducial.deterministic.environments import ENVIRONMENTS
from fiducial.judges.catalogue import JUDGED_KINDS
from fiducial.records import (
    KINDS,
    Case,
    Claim,
    ContextItem,
    Criterion,
    Kind,
    Output,
    SimulatedUser,
    Step,
    ToolCall,
    ToolResults,
    Usage,
    Verdict,
    kind_spec,
)

HERE = Path(__file__).parent
PAGE = HERE / "records.md"
EXAMPLES = HERE / "records_examples.jsonl"


class Example(msgspec.Struct, forbid_unknown_fields=True):
    """A case, an output, and its verdict."""

    kind: str
    size: Literal["minimal", "full"]
    case: dict[str, Any]
    output: dict[str, Any]
    score: float | None = None
    outcome: str = "graded"
    files: dict[str, str] = {}
    options: list[str] = []


class KindText(NamedTuple):
    """A kind's task, and what its checker decides."""

    asks: str
    decides: str


TEXTS: dict[Kind, KindText] = {
    "tool_call": KindText(
        "calls with these arguments",
        "always; [strict rules and BFCL's](bfcl-differences.md)",
    ),
    "no_call": KindText("no call: none fits, or too little is known", "always"),
    "any_call": KindText(
        "some call, of any content",
        "if no call was made, or the tools refute one; under `--rules bfcl` always",
    ),
    "executable_call": KindText(
        "calls that return these results",
        "always, with `--functions` ([own-worlds.md](own-worlds.md#functions))",
    ),
    "multi_turn": KindText(
        "a conversation with calls in simulated worlds",
        "by [states and results](own-worlds.md#comparison) after each turn; never without `calls`, or with a simulated user",
    ),
    "memory_answer": KindText(
        "an answer from earlier conversations",
        "an accepted answer alone (passes), no answer, a plain refusal (fail)",
    ),
    "web_search_answer": KindText("an answer from search results", "like `memory_answer`"),
    "artifact": KindText(
        "files in a workspace",
        "always but `eval.type: llm`; code needs `--allow-code` ([artifacts.md](artifacts.md))",
    ),
    "grounded_answer": KindText("an answer supported by the context", "never"),
    "open_answer": KindText("an answer that meets a criterion", "never"),
}

INTRODUCTION = """# Cases, outputs, verdicts

<!-- Made by docs/records_page.py. -->

```sh
fiducial check cases.jsonl --outputs outputs.jsonl --out verdicts.jsonl
```

A *case* is a task and its right answer, an *output* what one system answered, a *verdict* its grade. Files are JSON Lines: UTF-8, one object a line (wrapped here). Fields in bold are required; unknown ones are refused. Examples with every field: [records_examples.jsonl](records_examples.jsonl).
"""

CALLS = """### Accepted calls

`calls` lists the right calls in two forms, which may be mixed:

* **Plain**: `{"name": "book", "arguments": {"city": "Rome", "nights": 2}}` accepts exactly these arguments and values. Markers (objects with only these keys), for an argument or anywhere inside its value, change that:

  * `{"any_of": ["Rome", "Roma"]}`: any of these
  * `{"optional": 2}`: 2, or nothing
  * `{"any_of": [2, 3], "optional": true}`: 2, 3 or nothing
  * `{"any_order": ["Ann", "Bo"]}`: these items in any order
  * `{"in_order": ["Ann", "Bo"]}`: this list; [audits](audits.md) may reverse it as a fault
  * `{"exactly": "sk-AbC1"}`: this value, its texts compared exactly; `{"loosely": "New York"}`: loosely
  * `{"exactly": {"any_of": [1]}}`: the object `{"any_of": [1]}` itself, needed if the tool documents a property of that name there
* **BFCL's**: `{"book": {"city": ["Rome", "Roma"], "nights": [2, ""]}}` lists accepted values per argument; `""` makes it optional. A list value is nested: `{"tags": [["sea", "sun"]]}`. An object in a value may hold a list of accepted values per key.

`match: auto` accepts exactly these calls, in any order unless `ordered: true`; `simple`, `multiple` and `parallel` are BFCL's matching. [How texts, numbers and types compare](bfcl-differences.md).

Checking refuses a `match: auto` case whose tools cannot produce its calls: an unknown tool or argument, a required argument missing from every alternative, no accepted value of the documented type or `enum`. In Java and JavaScript a text may be any expression.
"""

TOOLS = """Tools are OpenAI function documents, with or without the outer `{"type": "function", "function": ...}`. Types are JSON Schema's or BFCL's (`dict`, `float`, `tuple`, `any`; Java's and JavaScript's with `language`).
"""

CALL_FORMS = """OpenAI's form works too: `{"id": ..., "type": "function", "function": {"name": ..., "arguments": ...}}`. Arguments are kept verbatim. Calls in a text reply are decoded by the checker: `[book(city='Rome')]`.
"""


def page() -> str:
    """The whole page."""
    return "\n".join(_lines()).rstrip("\n") + "\n"


def _lines() -> Iterator[str]:
    yield INTRODUCTION
    yield "## Case\n"
    yield from _record(Case)
    yield TOOLS
    yield from _titled("Context item", ContextItem)
    yield from _titled("Simulated user", SimulatedUser)
    yield "## Kinds of cases\n"
    yield "| kind | asks for | the checker decides | judge |"
    yield "|---|---|---|---|"
    for kind, text in _kinds():
        yield f"| [`{kind}`](#{kind}) | {text.asks} | {text.decides} | {_judges(kind)} |"
    yield "\nCustom kinds: [extending.md](extending.md#a-checker-for-a-custom-kind).\n"
    for kind, _ in _kinds():
        yield from _kind(kind)
    yield "## Output\n"
    yield from _record(Output)
    yield from _titled("Call", ToolCall, leave_out=("id", "type", "function"))
    yield CALL_FORMS
    yield from _titled("Results in a turn", ToolResults)
    yield "## Verdict\n"
    yield from _record(Verdict)
    yield from _titled("Usage", Usage)
    yield "## Worlds\n"
    names = ", ".join(f"`{name}`" for name in ENVIRONMENTS)
    yield f"Values for `classes`: {names}, and [custom worlds](own-worlds.md). To list a world's functions:\n"
    yield "```sh"
    yield """python -c "from fiducial.deterministic.environments import ENVIRONMENTS as E; help(E['TravelAPI'])\""""
    yield "```\n"


def _kinds() -> Iterator[tuple[Kind, KindText]]:
    return ((kind, TEXTS[kind]) for kind in KINDS)


def _kind(kind: Kind) -> Iterator[str]:
    yield f"### {kind}\n"
    reference = kind_spec(kind).reference
    if reference is None:
        yield "`reference` keeps the challenge's fields; the [checker](artifacts.md) reads `ground` (`files`, `should_contain`, `should_not_contain`, `case_sensitive`, `eval.type`),"
        yield "`folder`, `name`, `dependencies`, `cutoff`.\n"
    elif kind == "web_search_answer":
        yield "As [`memory_answer`](#memory_answer).\n"
    elif msgspec.structs.fields(reference):
        yield "`reference`:\n"
        yield from _record(reference)
    else:
        yield "`reference` has no fields.\n"
    if kind == "grounded_answer":
        yield from _titled("Claim", Claim, level=4)
    if kind == "open_answer":
        yield "Either `criterion` or `criteria` ([rubrics.md](rubrics.md)).\n"
        yield from _titled("Criterion", Criterion, level=4)
    if kind == "tool_call":
        yield CALLS.replace("### ", "#### ")
    if kind == "multi_turn":
        yield "Calls of unknown functions or arguments are refused.\n"
    for example in examples():
        shown = reference is None or bool(msgspec.structs.fields(reference))
        if (example.kind, example.size) == (kind, "minimal") and shown and kind != "web_search_answer":
            yield from _example(example)


def _example(example: Example) -> Iterator[str]:
    said = example.outcome if example.score is None else f"score {example.score:g}"
    options = f", with `{' '.join(example.options)}`" if example.options else ""
    yield f"Example ({said}{options}):\n"
    yield "```json"
    yield _object(example.case) + "\n"
    yield _object(example.output)
    yield "```\n"


def _object(record: dict[str, Any]) -> str:
    """A record with a line for each field, so that it can be read."""
    return "{" + ",\n ".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in record.items()) + "}"


def _judges(kind: Kind) -> str:
    names = [judge for judge, kinds in JUDGED_KINDS.items() if kind in kinds]
    return ", ".join(f"`{name}`" for name in names)


def _titled(
    title: str, record: type[msgspec.Struct], leave_out: tuple[str, ...] = (), level: int = 3
) -> Iterator[str]:
    yield f"{'#' * level} {title}\n"
    yield from _record(record, leave_out)


def _record(record: type[msgspec.Struct], leave_out: tuple[str, ...] = ()) -> Iterator[str]:
    documented = _documented(record)
    hints = get_type_hints(record)
    for field in msgspec.structs.fields(record):
        if field.name not in leave_out:
            name = f"**`{field.name}`**" if _required(field) else f"`{field.name}`"
            yield f"* {name} ({_called(hints[field.name])}{_default(field)}): {documented[field.name]}"
    yield ""


def _required(field: msgspec.structs.FieldInfo) -> bool:
    return field.required or field.default == "\0"


def _default(field: msgspec.structs.FieldInfo) -> str:
    if _required(field) or field.default is None or field.default is msgspec.NODEFAULT:
        return ""
    return f", default `{json.dumps(field.default)}`"


def _called(kind: Any) -> str:
    """Name a type as JSON does."""
    simple = {
        str: "string",
        int: "integer",
        float: "number",
        bool: "boolean",
        Any: "any",
        dict: "object",
        list[Any]: "list",
        list[list[Step]]: "list of turns",
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


_PLURALS = {"criterion": "criteria"}


def _plural(name: str) -> str:
    parts = [
        part.replace("list of", "lists of", 1)
        if part.startswith("list of")
        else _PLURALS.get(part, part if part.endswith("s") else f"{part}s")
        for part in name.split(" or ")
    ]
    return name if name == "any" or name.startswith("`") else " or ".join(parts)


@cache
def _documented(record: type[msgspec.Struct]) -> dict[str, str]:
    """Return the source's description of each field: from ``Attributes:`` or below the field."""
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


def examples() -> list[Example]:
    """The examples, in the order of the page."""
    return [msgspec.json.decode(line, type=Example) for line in EXAMPLES.read_bytes().splitlines()]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
