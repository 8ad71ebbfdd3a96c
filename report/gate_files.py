"""A gate's answer for continuous integration: JUnit XML, and annotations of GitHub Actions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from ..evaluation.past_runs.gate_numbers import Gate

# Characters that XML 1.0 forbids, even escaped.
_NOT_XML = re.compile(r"[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MAX_ANNOTATIONS = 50
"""Most annotations; GitHub shows ten of a kind in a step."""


def gate_junit(gate: Gate) -> str:
    """Return a gate as a JUnit test suite, with a test case per condition.

    A condition that cannot be told is an error. If an option says how it counts, it is a failure or, if it counts as
    passed, skipped.
    """
    untold_words = {"passes": "skipped", "fails": "failure", None: "error"}
    word_by_answer = {"fails": "failure", "cannot tell": untold_words[gate.counts_as]}
    counts = Counter(word_by_answer.get(check.answer) for check in gate.checks)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuite name="fiducial gate" tests="{len(gate.checks)}" failures="{counts["failure"]}" errors="{counts["error"]}" skipped="{counts["skipped"]}">',
    ]
    for check in gate.checks:
        name = f"<testcase classname={_attribute(check.system or 'run')} name={_attribute(check.condition)}"
        result = word_by_answer.get(check.answer)
        if result is None:
            lines.append(f"  {name}/>")
        else:
            lines.append(
                f"  {name}><{result} message={_attribute(check.why)}>{_text(check.would_tell)}</{result}></testcase>"
            )
    return "\n".join([*lines, "</testsuite>", ""])


def _attribute(text: str) -> str:
    return quoteattr(_NOT_XML.sub("?", text))


def _text(text: str) -> str:
    return escape(_NOT_XML.sub("?", text))


def gate_annotations(gate: Gate) -> Iterator[str]:
    """Yield GitHub workflow commands: errors for failed conditions, warnings for regressions."""
    for check in gate.checks:
        if check.answer == "fails":
            yield _annotation("error", f"{check.system}: {check.condition}", check.why)
    for verdict in gate.broke[:_MAX_ANNOTATIONS]:
        yield _annotation(
            "warning",
            "regression",
            f"{verdict.case_id} ({verdict.system}), by {verdict.by}: {verdict.error_type or 'fails'}",
        )


def _annotation(level: str, title: str, text: str) -> str:
    return f"::{level} title={_escaped(title, more=True)}::{_escaped(text)}"


def _escaped(text: str, *, more: bool = False) -> str:
    """Escape a text for a workflow command; with ``more``, for a property of one."""
    escapes = {"%": "%25", "\r": "%0D", "\n": "%0A"} | ({":": "%3A", ",": "%2C"} if more else {})
    return "".join(escapes.get(character, character) for character in text)
