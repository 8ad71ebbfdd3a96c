from random import Random

import fiducial as fd
from fiducial.deterministic.mutation import Rung

NAMES = [
    first + last for first in ("Ada", "Ben", "Cleo", "Dara") for last in ("Abel", "Costa", "Egede", "Galli")
]
SEND = {
    "name": "send",
    "description": "Send the minutes to people.",
    "parameters": {
        "type": "object",
        "properties": {"to": {"type": "array", "items": {"type": "string"}, "description": "Names."}},
        "required": ["to"],
    },
}


@fd.dial(
    "recipients",
    family="tool_call",
    levels=(1, 2, 4, 8, 16),
    unit="recipients",
    about="one of the recipients is wrong",
)
def recipients(seed: int, level: int) -> Rung:
    rng = Random(f"recipients {seed}")
    names = rng.sample(NAMES, len(NAMES))
    right, place = names[:level], rng.randrange(level)
    wrong = [*right[:place], right[place] + "i", *right[place + 1 :]]
    case = fd.Case(
        id="recipients",
        kind="tool_call",
        messages=[{"role": "user", "content": f"Send the minutes to {', '.join(right)}."}],
        tools=[SEND],
        reference={"calls": [{"name": "send", "arguments": {"to": right}}]},
    )
    sent = [
        fd.Output(case_id=case.id, system="made", tool_calls=[fd.ToolCall(name="send", arguments={"to": to})])
        for to in (right, wrong)
    ]
    return Rung(case, sent[0], sent[1], f"{wrong[place]} for {right[place]}")
