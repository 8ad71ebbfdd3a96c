"""A prompt of which one rule changes, for tests of better prompts."""

from __future__ import annotations

_PROMPT = """---
name: Mine
description: Judges answers.
model: {api: chat, parameters: {temperature: 0}}
inputs:
  query: {type: string, kind: string}
  response: {type: string, kind: string}
  fence: {type: string, kind: string}
template: {format: {kind: jinja2}, parser: {kind: prompty}}
scale: {minimum: 0, maximum: 1, step: 1}
---
user:
RULE
=== {{fence}} {{query}} {{fence}} {{response}} {{fence}} ===
Reply with 1 or 0 alone.
"""


def ruled_prompt(rule: str, *, tagged: bool = False) -> str:
    """Return the prompt with a rule; its score is a lone number, or in a tag S2."""
    text = _PROMPT.replace("RULE", rule)
    if not tagged:
        return text
    lone, asked = "step: 1}\n", "Reply with 1 or 0 alone."
    return text.replace(lone, f"{lone}parse: {{mode: tags, score: S2}}\n").replace(
        asked, "Reply <S2>1</S2> or 0."
    )
