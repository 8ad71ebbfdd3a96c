"""Messages of a prompt-mode BFCL case: instructions, function documents, question."""

from __future__ import annotations

import json
from string import Template
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import msgspec

from ...records import Case, Message
from ...records.typed_values import convert
from .configurations import DEFAULT, Configuration, DocumentFormat
from .template_files import sections, template


def render_documents(documents: list[dict[str, Any]], form: DocumentFormat) -> str:
    """Write function documents in one of BFCL's three forms."""
    if form == "json":
        return json.dumps(documents, indent=4, ensure_ascii=False)
    if form == "python":
        return "\n\n".join(_as_python(document) for document in documents)
    return "\n".join(["<functions>", *(_as_xml(document) for document in documents), "</functions>"])


def _as_python(document: dict[str, Any]) -> str:
    required, properties = _parameters(document)
    signature = ", ".join(
        f"{name}: {schema.get('type', 'any')}{_default(schema, required=name in required)}"
        for name, schema in properties.items()
    )
    lines = [f"def {document['name']}({signature}):", f'    """{document.get("description", "")}']
    if properties:
        lines += ["", "    Args:"]
        lines += [f"        {name}: {_details(schema)}" for name, schema in properties.items()]
    return "\n".join([*lines, '    """'])


def _default(schema: dict[str, Any], *, required: bool) -> str:
    if "default" in schema:
        return f" = {schema['default']!r}"
    return "" if required else " = ..."


def _details(schema: dict[str, Any]) -> str:
    """Return the description, followed by JSON of details that a signature cannot express."""
    other_details = {
        key: value for key, value in schema.items() if key not in {"type", "description", "default"}
    }
    return " ".join(
        part
        for part in (
            schema.get("description", ""),
            json.dumps(other_details, ensure_ascii=False) if other_details else "",
        )
        if part
    )


def _as_xml(document: dict[str, Any]) -> str:
    required, properties = _parameters(document)
    lines = [
        f"  <function name={quoteattr(document['name'])}>",
        f"    <description>{escape(document.get('description', ''))}</description>",
        "    <params>",
    ]
    for name, schema in properties.items():
        required_text = "true" if name in required else "false"
        lines.append(
            f"      <param name={quoteattr(name)} type={quoteattr(str(schema.get('type', 'any')))} required={quoteattr(required_text)}>"
            f"{escape(_details(schema))}{_xml_default(schema)}</param>"
        )
    return "\n".join([*lines, "    </params>", "  </function>"])


def _xml_default(schema: dict[str, Any]) -> str:
    if "default" not in schema:
        return ""
    return f"<default>{escape(json.dumps(schema['default'], ensure_ascii=False))}</default>"


def _parameters(document: dict[str, Any]) -> tuple[list[str], dict[str, dict[str, Any]]]:
    parameters = document.get("parameters", {})
    return parameters.get("required", []), parameters.get("properties", {})


_LANGUAGE_NAMES = {"java": "Java", "javascript": "JavaScript"}

_HEADINGS = {
    "opening": "Task",
    "answer": "Answer",
    "answer_tagged": "Answer",
    "turns": "Turns",
    "functions": "Functions",
}
"""Headings of the sections of a Markdown prompt."""


def assemble_prompt(case: Case) -> list[Message]:
    """Assemble the first messages to a prompt-mode system.

    A system message of the entry is kept, below the instructions. Only the first turn is included,
    since later ones depend on the system's answers.

    Args:
        case: A case read from BFCL; its tags name a configuration other than the default.
    """
    instructions = _instructions(case, _configuration(case))
    messages = list(case.turns[0]) if case.turns else []
    if messages and messages[0]["role"] == "system":
        entry_message = messages.pop(0)
        instructions = f"{instructions}\n\n{entry_message['content']}"
    return [{"role": "system", "content": instructions}, *messages]


def _configuration(case: Case) -> Configuration:
    names = Configuration.__struct_fields__
    if not case.tags.keys() >= {*names}:
        return DEFAULT  # tags of other cases may have one of these names
    try:
        return convert({name: case.tags[name] for name in names}, Configuration)
    except msgspec.ValidationError:
        return DEFAULT


def documents_text(documents: list[dict[str, Any]], case: Case) -> str:
    """Return function documents in the format of a case's prompt."""
    shown_documents = [for_inference(document, case) for document in documents]
    return render_documents(shown_documents, _configuration(case).func_doc_fmt)


def _instructions(case: Case, configuration: Configuration) -> str:
    text_by_section = sections(f"{configuration.style}.md")
    values = {
        "form": sections("forms.md")[configuration.ret_fmt],
        "document_form": configuration.func_doc_fmt,
        "documents": documents_text([tool["function"] for tool in case.tools], case),
    }
    names = ("opening", "answer_tagged" if configuration.tool_call_tag else "answer", "turns", "functions")
    parts = [(name, Template(text_by_section[name]).substitute(values)) for name in names]
    if configuration.prompt_fmt == "markdown":
        return "\n\n".join(f"## {_HEADINGS[name]}\n\n{text}" for name, text in parts)
    return "\n\n".join(text for _, text in parts)


def for_inference(document: dict[str, Any], case: Case) -> dict[str, Any]:
    """Return a function's document as shown to a system.

    Java and JavaScript values are requested as source text; a Python document is unchanged.
    """
    language = _LANGUAGE_NAMES.get(case.reference.get("language", ""))
    if language is None:
        return document
    note = Template(template("source_syntax.txt")).substitute(language=language)
    parameters: dict[str, Any] = document.get("parameters") or {}
    properties = {
        name: {
            **schema,
            "type": "string",
            "description": f"{schema.get('description', '')} ({language} type: {schema.get('type', 'any')})".strip(),
        }
        for name, schema in _parameters(document)[1].items()
    }
    return {
        **document,
        "description": f"{document.get('description', '')} {note}".strip(),
        "parameters": {**parameters, "properties": properties},
    }
