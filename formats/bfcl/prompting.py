"""The messages that a prompt-mode system receives for a BFCL case: instructions, function documents, and the question."""

from __future__ import annotations

from string import Template
from typing import Any

import msgspec

from ...records import Case, Message
from .configurations import DEFAULT, Configuration
from .document_text import render_documents
from .wording import sections, template

_LANGUAGES = {"java": "Java", "javascript": "JavaScript"}

_HEADINGS = {
    "opening": "Task",
    "answer": "Answer",
    "answer_tagged": "Answer",
    "turns": "Turns",
    "functions": "Functions",
}
"""What stands over each section when the prompt is Markdown."""


def assemble_prompt(case: Case) -> list[Message]:
    """The messages with which a prompt-mode system is first asked.

    A system message of the entry itself is kept, below the instructions. Of a conversation of several turns the first is given: the
    rest depends on what the system answers.

    Args:
        case: A case read from BFCL; its tags name the configuration where it is not the default.

    Returns:
        Chat messages, the system message first.
    """
    instructions = _instructions(case, _configuration(case))
    messages = list(case.turns[0]) if case.turns else []
    if messages and messages[0]["role"] == "system":
        own = messages.pop(0)
        instructions = f"{instructions}\n\n{own['content']}"
    return [{"role": "system", "content": instructions}, *messages]


def _configuration(case: Case) -> Configuration:
    chosen = {name: case.tags[name] for name in Configuration.__struct_fields__ if name in case.tags}
    return msgspec.convert({**msgspec.to_builtins(DEFAULT), **chosen}, Configuration)


def _instructions(case: Case, configuration: Configuration) -> str:
    texts = sections(f"{configuration.style}.md")
    documents = [_for_inference(tool["function"], case) for tool in case.tools]
    values = {
        "form": sections("forms.md")[configuration.ret_fmt],
        "document_form": configuration.func_doc_fmt,
        "documents": render_documents(documents, configuration.func_doc_fmt),
    }
    names = ("opening", "answer_tagged" if configuration.tool_call_tag else "answer", "turns", "functions")
    parts = [(name, Template(texts[name]).substitute(values)) for name in names]
    if configuration.prompt_fmt == "markdown":
        return "\n\n".join(f"## {_HEADINGS[name]}\n\n{text}" for name, text in parts)
    return "\n\n".join(text for _, text in parts)


def _for_inference(document: dict[str, Any], case: Case) -> dict[str, Any]:
    """The document as a system sees it: Java and JavaScript values are asked for as source text."""
    language = _LANGUAGES.get(case.reference.get("language", ""))
    if language is None:
        return document
    note = Template(template("source_syntax.txt")).substitute(language=language)
    parameters = document["parameters"]
    properties = {
        name: {
            **schema,
            "type": "string",
            "description": f"{schema.get('description', '')} ({language} type: {schema['type']})".strip(),
        }
        for name, schema in parameters.get("properties", {}).items()
    }
    return {
        **document,
        "description": f"{document.get('description', '')} {note}".strip(),
        "parameters": {**parameters, "properties": properties},
    }
