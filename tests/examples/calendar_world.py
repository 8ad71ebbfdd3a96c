"""Custom environment: a calendar with four calls (docs/own-worlds.md)."""

from __future__ import annotations

from typing import Any


class Calendar:
    """Appointments by id. It has no ``state()``, so its public attributes are what is compared."""

    def load(self, config: dict[str, Any]) -> None:
        """Load a case's appointments: the owner, and events by id.

        The form is ``{"owner": name, "events": {id: {"title", "day", "hour"}}}``.
        """
        self.owner: str = config["owner"]
        self.events: dict[str, dict[str, Any]] = config.get("events", {})
        self._lookups = 0

    def list_events(self, day: str) -> dict[str, Any]:
        """The appointments of a day, by id, earliest first."""
        self._lookups += 1
        found = {key: event for key, event in self.events.items() if event["day"] == day}
        return {"events": dict(sorted(found.items(), key=lambda item: item[1]["hour"]))}

    def add_event(self, title: str, day: str, hour: Any) -> dict[str, Any]:
        """Make an appointment of one hour. The arguments are the agent's: an hour may be anything."""
        if not isinstance(hour, int) or not 0 <= hour <= 23:
            return {"error": f"There is no hour {hour!r}."}
        taken = self._at(day, hour)
        if taken is not None:
            return {"error": f"{day} {hour}:00 is taken by {taken}."}
        event_id = f"event-{len(self.events) + 1}"
        self.events[event_id] = {"title": title, "day": day, "hour": hour}
        return {"id": event_id}

    def move_event(self, event_id: str, day: str, hour: int) -> dict[str, Any]:
        """Move an appointment to another hour."""
        if event_id not in self.events:
            raise KeyError(event_id)
        if self._at(day, hour) is not None:
            return {"error": f"{day} {hour}:00 is taken."}
        self.events[event_id] |= {"day": day, "hour": hour}
        return {"moved": event_id}

    def cancel_event(self, event_id: str) -> dict[str, Any]:
        """Cancel an appointment; its time is free again."""
        return {"cancelled": self.events.pop(event_id)["title"]}

    def _at(self, day: str, hour: int) -> str | None:
        """Whatever is there already."""
        return next(
            (key for key, event in self.events.items() if (event["day"], event["hour"]) == (day, hour)), None
        )
