"""Environments of BFCL: classes of simulated worlds, in which an agent's calls are executed.

An environment has ``load(config, long_context=False)``, API methods, and ``state()``; see `World`.
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
"""Built-in environments by the names that cases use, which are BFCL's class names."""
