"""Function documents as text: JSON, Python signatures, or XML."""

from __future__ import annotations

import json
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from .configurations import DocumentFormat


def render_documents(documents: list[dict[str, Any]], form: DocumentFormat) -> str:
    """Write function documents in one of BFCL's three forms.

    Args:
        documents: As in the data set.
        form: Which form.

    Returns:
        The text.
    """
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
    """The description, and below it in JSON what a signature has no place for."""
    rest = {key: value for key, value in schema.items() if key not in {"type", "description", "default"}}
    return " ".join(
        part
        for part in (schema.get("description", ""), json.dumps(rest, ensure_ascii=False) if rest else "")
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
        needed = "true" if name in required else "false"
        lines.append(
            f"      <param name={quoteattr(name)} type={quoteattr(str(schema.get('type', 'any')))} required={quoteattr(needed)}>"
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
