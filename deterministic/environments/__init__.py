"""Simulated worlds: execute an agent's calls and compare the end state.

A world is a class with ``load(config, long_context=False)``, API methods, and ``state()``; see ``World``.
"""

from __future__ import annotations

from .file_system import GorillaFileSystem
from .maths import MathAPI
from .messages import MessageAPI
from .posts import TwitterAPI
from .tickets import TicketAPI
from .trading import TradingBot
from .travel import TravelAPI
from .vehicle import VehicleControlAPI
from .world import World

__all__ = ["ENVIRONMENTS", "World"]

ENVIRONMENTS: dict[str, type[World]] = {
    world.__name__: world
    for world in (
        GorillaFileSystem,
        MathAPI,
        MessageAPI,
        TwitterAPI,
        TicketAPI,
        TradingBot,
        TravelAPI,
        VehicleControlAPI,
    )
}
"""Built-in worlds by the names in scenarios, which are BFCL's class names."""
