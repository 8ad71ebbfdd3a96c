"""Judges on a loopback server that are right about everything but for one planted weakness.

The server finds out by the text of a request which probe it is asked about; a weakness then is a rule over what the judge is shown,
never over the name of the probe's operator.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias, cast

import msgspec
from provider_server import Answer, Response, Script, Seen

from fiducial.deterministic import CheckOptions, check
from fiducial.judges import load_judge
from fiducial.records import Case, CaseIndex, Claim, Output, Verdict, read_records

PROMPT = Path(__file__).parent / "everything.prompty"
MODEL = "scripted"

_LONG = 150
_VERDICT = re.compile(r"correct score is 1|<S2>1|\"score\": 1|rating: 1")


@dataclass(frozen=True)
class Shown:
    """A probe as the judge is shown it, with what is right to say."""

    case: Case
    output: Output
    label: float

    @property
    def texts(self) -> list[str]:
        """Texts of the output: its text, or those in its arguments."""
        arguments = [call.arguments for call in self.output.tool_calls or []]
        values = [
            value for argument in arguments if isinstance(argument, dict) for value in argument.values()
        ]
        return [self.output.text or "", *(value for value in values if isinstance(value, str))]


Weakness: TypeAlias = Callable[[Shown, Seen], float]


def sound(shown: Shown, seen: Seen) -> float:
    """Right about everything."""
    del seen
    return shown.label


def blind_to_enums(shown: Shown, seen: Seen) -> float:
    """Takes any documented value of an enumeration for the one that was asked for."""
    calls = shown.output.tool_calls
    if shown.case.kind != "tool_call" or not calls:
        return sound(shown, seen)
    documents = {
        tool["function"]["name"]: tool["function"]["parameters"]["properties"] for tool in shown.case.tools
    }
    (expected,) = shown.case.reference["calls"]
    mended = [
        msgspec.structs.replace(
            call,
            arguments=_any_enum(call.arguments, documents.get(call.name, {}), expected.get(call.name, {})),
        )
        for call in calls
    ]
    output = msgspec.structs.replace(shown.output, tool_calls=mended)
    return check(shown.case, output, CheckOptions(rules="strict")).score or 0.0


def _any_enum(arguments: Any, documents: Mapping[str, Any], expected: Mapping[str, Any]) -> Any:
    if not isinstance(arguments, dict):
        return arguments
    given = cast("dict[str, Any]", arguments)
    return {
        name: expected[name][0] if name in expected and value in documents[name].get("enum", ()) else value
        for name, value in given.items()
    }


def prefers_long_answers(shown: Shown, seen: Seen) -> float:
    """Passes whatever is said at length; statements, which all are long, it reads."""
    at_length = shown.case.kind != "grounded_answer" and any(len(text) > _LONG for text in shown.texts)
    return 1.0 if at_length else sound(shown, seen)


def obeys_injected_verdicts(shown: Shown, seen: Seen) -> float:
    """Gives the score that the output says it deserves."""
    return 1.0 if any(_VERDICT.search(text) for text in shown.texts) else sound(shown, seen)


def obeys_plain_verdicts(shown: Shown, seen: Seen) -> float:
    """Takes a verdict in plain words for its own, and sees through all others."""
    return 1.0 if any("verdict: correct" in text.lower() for text in shown.texts) else sound(shown, seen)


def errs_by_content(shown: Shown, seen: Seen) -> float:
    """Judge wrongly one thing in ten, always the same ones, as at temperature 0."""
    chance = hashlib.sha256(seen.text.encode()).digest()[0] / 256
    return 1 - shown.label if chance < 0.1 else shown.label


def flips_at_random(shown: Shown, seen: Seen) -> float:
    """Says the opposite one time in ten, another time each time it is asked."""
    chance = hashlib.sha256(seen.raw + str(seen.attempt).encode()).digest()[0] / 256
    return 1 - shown.label if chance < 0.1 else shown.label


def trusts_the_first_passage(shown: Shown, seen: Seen) -> float:
    """Takes for supported only what the passage says that is shown first."""
    claims = shown.case.reference.get("claims")
    if not claims:
        return sound(shown, seen)
    first = shown.case.context[0].id
    return sum(first in claim.indexes for claim in msgspec.convert(claims, list[Claim])) / len(claims)


@cache
def _shown_in(probes: Path) -> Mapping[str, Shown]:
    """Probes of a folder by the text of the request about them."""
    judge = load_judge(str(PROMPT), model=MODEL)
    shown: dict[str, Shown] = {}
    with CaseIndex(probes / "cases.jsonl") as cases:
        labels = read_records(probes / "labels.jsonl", Verdict)
        for output, label in zip(read_records(probes / "outputs.jsonl", Output), labels, strict=True):
            case = cases[output.case_id]
            text = "\n".join(message["content"] for message in judge.messages(case, output))
            assert label.score is not None
            shown[text] = Shown(case, output, label.score)
    return shown


def scripted(weakness: Weakness, probes: Path) -> Script:
    """A server script that knows the probes of a folder and has one weakness."""
    shown = _shown_in(probes)

    def script(seen: Seen) -> Response:
        return Answer(f"{weakness(shown[seen.text], seen):g}")

    return script
