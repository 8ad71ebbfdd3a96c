"""Function documents of the simulated APIs, which BFCL keeps apart from its entries."""

from __future__ import annotations

from itertools import chain
from typing import Any

from ...errors import RecordError
from .sources import DataSource, read_objects

_FILES = {
    "GorillaFileSystem": "gorilla_file_system",
    "MathAPI": "math_api",
    "MessageAPI": "message_api",
    "TwitterAPI": "posting_api",
    "TicketAPI": "ticket_api",
    "TradingBot": "trading_bot",
    "TravelAPI": "travel_booking",
    "VehicleControlAPI": "vehicle_control",
    "WebSearchAPI": "web_search",
    "MemoryAPI_kv": "memory_kv",
    "MemoryAPI_vector": "memory_vector",
    "MemoryAPI_rec_sum": "memory_rec_sum",
}


class ClassDocuments:
    """The documents of each class, read when a class is first asked for.

    Args:
        source: Where BFCL's files are.
    """

    def __init__(self, source: DataSource) -> None:
        self._source = source
        self._known: dict[str, list[dict[str, Any]]] = {}

    def of(
        self, entry: dict[str, Any], place: str, line: int
    ) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """What a system is offered at the start of an entry, and what is given back in a later turn.

        Args:
            entry: An entry with ``involved_classes``.
            place: Its file, named in errors.
            line: Its line, named in errors.

        Returns:
            Both in the order of the classes.

        Raises:
            RecordError: The entry names a class that has no documents.
        """
        withheld = set(chain.from_iterable(entry.get("missed_function", {}).values()))
        offered: list[dict[str, Any]] = []
        later: list[dict[str, Any]] = []
        for class_name in entry.get("involved_classes", []):
            if class_name not in _FILES:
                raise RecordError(
                    f"no function documents are known for class {class_name!r}",
                    path=place,
                    line=line,
                    field="involved_classes",
                )
            for document in self._of(class_name):
                (later if document["name"] in withheld else offered).append(document)
        return offered, later

    def _of(self, class_name: str) -> list[dict[str, Any]]:
        if class_name not in self._known:
            path = f"multi_turn_func_doc/{_FILES[class_name]}.json"
            self._known[class_name] = [document for _, document in read_objects(self._source, path)]
        return self._known[class_name]
