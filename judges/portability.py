"""What in a prompt file, though fine here, keeps promptflow or prompty from loading it to the same messages."""

from __future__ import annotations

import re

from .prompt_file import PromptFile

_DASHES = re.compile(r"(?<!-)-{3,}+\n")
_DEVELOPER = re.compile(r"^[ \t]*+(?:#[ \t]*+)?developer[ \t]*+:[ \t]*+\n", re.IGNORECASE | re.MULTILINE)
_STATEMENT = re.compile(r"\{%|\{#")


def portability_problems(prompt: PromptFile) -> list[str]:
    """Find what other tools would trip over.

    Args:
        prompt: A prompt file.

    Returns:
        One sentence for each problem; empty when there is none.
    """
    problems: list[str] = []
    if _DASHES.search(prompt.template):
        problems.append("a line of the template ends in three dashes: promptflow ends the front matter there")
    if _DEVELOPER.search(prompt.template):
        problems.append("the template has a developer message: promptflow does not know that role")
    if _STATEMENT.search(prompt.template):
        problems.append(
            "the template has jinja statements or comments: prompty keeps the line breaks after them"
        )
    if not prompt.names_template_format:
        problems.append("there is no `template: {format: {kind: jinja2}, ...}`: prompty needs one")
    if any(not declared.has_kind for declared in prompt.inputs.values()):
        problems.append("an input lacks `kind`: prompty reads the type from there")
    return problems
