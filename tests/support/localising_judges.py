"""Scripted judges that name the first wrong step, on the dials' planted faults."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from provider_server import Answer, Response, Script, Seen

_NAME = re.compile(r"\w+\.txt")


class ShownSteps(NamedTuple):
    """Steps shown to a judge, and the first that makes a wrong file; 0 for none."""

    steps: int
    wrong: int


def shown_steps(seen: Seen) -> ShownSteps:
    """Read the numbered steps of a request."""
    lines: list[dict[str, Any]] = [
        json.loads(line) for line in seen.text.splitlines() if line.startswith('{"turn"')
    ]
    asked = {each["turn"]: _name(each["asked"]["content"]) for each in lines if "asked" in each}
    made = {each["step"]: (each["turn"], _name(str(each["call"]))) for each in lines if "call" in each}
    wrong = [step for step, (turn, name) in made.items() if asked[turn] != name]
    return ShownSteps(max(each["step"] for each in lines if "step" in each), min(wrong, default=0))


def _name(text: str) -> str | None:
    found = _NAME.search(text)
    return None if found is None else found[0]


def naming(choose: Callable[[ShownSteps], int | str]) -> Script:
    """A script of a judge that names the step which a function chooses."""

    def script(seen: Seen) -> Response:
        return Answer(f"<S1>step by step</S1>\n<S2>{choose(shown_steps(seen))}</S2>")

    return script


def perfect(shown: ShownSteps) -> int | str:
    """Names the planted step."""
    return shown.wrong or "none"


def off_by_one(shown: ShownSteps) -> int | str:
    """Names the step behind the planted one, the one before at the end."""
    if not shown.wrong:
        return "none"
    return shown.wrong + 1 if shown.wrong < shown.steps else shown.wrong - 1


def last_step(shown: ShownSteps) -> int | str:
    """Names the last step, whatever it is shown."""
    return shown.steps
