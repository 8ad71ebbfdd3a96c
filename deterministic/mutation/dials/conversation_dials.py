"""Dials of conversations in a simulated file system: number of turns, position of the fault."""

from __future__ import annotations

from typing import Any

from ....records import OF_CONVERSATIONS, Case, Output
from ..right_outputs import REFERENCE_SYSTEM
from .dial import Dial, Rung
from .material import TEXT, dial_rng, random_index, random_names, tool, user, with_item

_TURNS = 32
_TOUCH = tool("touch", "Make an empty file in the current directory.", {"file_name": (TEXT, "Its name.")})


def turns_played(seed: int, level: int) -> Rung:
    """Play ``level`` turns; in a random one, the file made has another name."""
    rng = dial_rng("turns_played", seed)
    return _make_files(seed, level, random_index(rng, level))


def fault_back(seed: int, level: int) -> Rung:
    """Play 32 turns; ``level`` turns before the end, the file made has another name."""
    return _make_files(seed, _TURNS, _TURNS - level)


def _make_files(seed: int, length: int, index: int) -> Rung:
    rng = dial_rng("files", seed)
    # Last name, random number and position: ``holm_42_0.txt``.
    names = [
        f"{name.split()[1].lower()}_{rng.randint(10, 99)}_{number}.txt"
        for number, name in enumerate(random_names(rng, _TURNS))
    ]
    files = names[:length]
    stem, number, _ = files[index].split("_")
    wrong_name = files[index].replace(f"{stem}_{number}", f"{stem}_{int(number) + 1}")
    config: dict[str, Any] = {"GorillaFileSystem": {"root": {"desk": {"type": "directory", "contents": {}}}}}
    calls = [[f"touch(file_name='{name}')"] for name in files]
    case = Case(
        id="dial",
        kind="multi_turn",
        messages=[[user(f"Make an empty file {name}.")] for name in files],
        tools=[_TOUCH],
        reference={"classes": ["GorillaFileSystem"], "initial_config": config, "calls": calls},
    )
    right_turns = [[f"[touch(file_name='{name}')]"] for name in files]
    faulty_turns = with_item(right_turns, index, [f"[touch(file_name='{wrong_name}')]"])
    return Rung(
        case,
        Output(case_id="dial", system=REFERENCE_SYSTEM, turns=[list(turn) for turn in right_turns]),
        Output(case_id="dial", system=REFERENCE_SYSTEM, turns=[list(turn) for turn in faulty_turns]),
        f"turn {index + 1} of {length} makes {wrong_name}, not {files[index]}",
    )


_LEVELS = (1, 2, 3, 4, 6, 8, 12, 16, 24, _TURNS)

CONVERSATION_DIALS = (
    Dial("turns_played", OF_CONVERSATIONS, turns_played, _LEVELS, "turns", "in a random turn, a file with another name is made"),
    Dial("fault_back", OF_CONVERSATIONS, fault_back, _LEVELS, "turns before the end",
         f"in one of {_TURNS} turns, a file with another name is made"),
)  # fmt: skip
"""Dials of conversations."""
