"""Could anybody meet a case's reference? Where not, the case is refused before it fails every system."""

from __future__ import annotations

from ..records import Case
from .checkers import CheckOptions


def require_meetable(case: Case, options: CheckOptions) -> None:
    """Refuse a case whose reference asks for what its own tools, worlds or functions do not have.

    Args:
        case: A case of any kind; most ask for nothing that could be looked up.
        options: Knows the worlds of the user's own.

    Raises:
        InputError: Nobody could meet it; the message names the case, ``field`` the field.
    """
    if case.kind == "tool_call":
        from .ast.producible import require_producible  # noqa: PLC0415 - loaded when the first case comes

        require_producible(case)
    elif case.kind == "multi_turn":
        from .multi_turn.playable import require_playable  # noqa: PLC0415 - brings the simulated worlds with it

        require_playable(case, options.environments)
    elif case.kind == "executable_call":
        from .executable.checker import reference_of  # noqa: PLC0415 - likewise

        reference_of(case)
