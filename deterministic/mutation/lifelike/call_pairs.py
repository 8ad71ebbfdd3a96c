"""Write requests from drawn facts, and calls that get one fact wrong as agents do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....records import Output, ToolCall
from ..dials.material import make_call_case
from ..operator import Mutation
from ..right_outputs import REFERENCE_SYSTEM
from ..seeding import generator
from .lifelike_pair import LifelikePair
from .task_materials import TASK_DRAWS
from .value_materials import VALUE_DRAWS

CALL_DRAWS = VALUE_DRAWS | TASK_DRAWS
"""Functions that draw the material for each kind of fault in calls; those of a kind are equally likely."""

DONE_TEXT = "Done: everything you asked for is taken care of."


def call_pair(fault: str, seed: int, number: int) -> LifelikePair:
    """Return a request with right calls, calls with a fault, and their twin.

    The twin makes the same calls as the fault, where they are right: its request has the same wording and other facts. The strict
    checker labels both.
    """
    rng = generator("lifelike", fault, seed, number)
    material = rng.choice(CALL_DRAWS[fault])(rng)
    case_id = f"{fault}-{seed}-{number}"
    case = make_call_case(case_id, material.messages, material.tools, material.right)
    faulty = _output(case_id, material.faulty)
    return LifelikePair(
        case,
        _output(case_id, material.right),
        fault=fault,
        faulty=Mutation(faulty, material.change),
        twin=Mutation(
            faulty,
            "the calls of the fault, which are right here",
            make_call_case(case_id, material.twin_messages, material.tools, material.faulty),
        ),
    )


def _output(case_id: str, calls: Sequence[tuple[str, dict[str, Any]]]) -> Output:
    tool_calls = [ToolCall(name=name, arguments=arguments) for name, arguments in calls]
    return Output(case_id=case_id, system=REFERENCE_SYSTEM, text=DONE_TEXT, tool_calls=tool_calls)
