"""Answer of a gate as JUnit XML, and as annotations of GitHub Actions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from ..evaluation.past_runs.gate_numbers import Gate

_NOT_XML = re.compile(r"[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MOST = 50
"""Most annotations; GitHub shows ten of a kind in a step."""


def gate_junit(gate: Gate) -> str:
    """Return a test suite with a case a condition.

    One that cannot be told is an error; where an option decides, a failure, or skipped if it counts as passed.
    """
    decided = {"passes": "skipped", "fails": "failure", None: "error"}
    words = {"fails": "failure", "cannot tell": decided[gate.counts_as]}
    counts = Counter(words.get(check.answer) for check in gate.checks)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuite name="fiducial gate" tests="{len(gate.checks)}" failures="{counts["failure"]}" errors="{counts["error"]}" skipped="{counts["skipped"]}">',
    ]
    for check in gate.checks:
        name = f"<testcase classname={_attribute(check.system or 'run')} name={_attribute(check.condition)}"
        word = words.get(check.answer)
        if word is None:
            lines.append(f"  {name}/>")
        else:
            lines.append(
                f"  {name}><{word} message={_attribute(check.why)}>{_text(check.would_tell)}</{word}></testcase>"
            )
    return "\n".join([*lines, "</testsuite>", ""])


def _attribute(text: str) -> str:
    return quoteattr(_NOT_XML.sub("?", text))


def _text(text: str) -> str:
    return escape(_NOT_XML.sub("?", text))


def gate_annotations(gate: Gate) -> Iterator[str]:
    """Yield commands of GitHub Actions that annotate what failed, and regressions."""
    for check in gate.checks:
        if check.answer == "fails":
            yield _annotation("error", f"{check.system}: {check.condition}", check.why)
    for verdict in gate.broke[:_MOST]:
        yield _annotation(
            "warning",
            "regression",
            f"{verdict.case_id} ({verdict.system}), by {verdict.by}: {verdict.error_type or 'fails'}",
        )


def _annotation(level: str, title: str, text: str) -> str:
    return f"::{level} title={_escaped(title, more=True)}::{_escaped(text)}"


def _escaped(text: str, *, more: bool = False) -> str:
    """Escape what ends a command or a property of it."""
    escapes = {"%": "%25", "\r": "%0D", "\n": "%0A"} | ({":": "%3A", ",": "%2C"} if more else {})
    return "".join(escapes.get(character, character) for character in text)
