"""Support desk environment: a queue of tickets."""

from __future__ import annotations

from typing import Any

from .world import World, error

_EDITABLE = ("title", "description", "status", "priority")
_LOWEST_PRIORITY, _HIGHEST_PRIORITY = 1, 5


class TicketAPI(World):
    """Opens, edits, resolves and closes support tickets."""

    _TABLE = "tickets"

    ticket_queue: list[dict[str, Any]]
    ticket_counter: int
    current_user: str | None

    def create_ticket(self, title: str, description: str = "", priority: int = 1) -> dict[str, Any]:
        """Open a ticket under the next number."""
        if not self.current_user:
            return error("User not authenticated. Please log in to create a ticket.")
        if priority < _LOWEST_PRIORITY or priority > _HIGHEST_PRIORITY:
            return error("Invalid priority. Priority must be between 1 and 5.")
        ticket = {
            "id": self.ticket_counter,
            "title": title,
            "description": description,
            "status": "Open",
            "priority": priority,
            "created_by": self.current_user,
        }
        self.ticket_queue.append(ticket)
        self.ticket_counter += 1
        return ticket

    def get_ticket(self, ticket_id: int) -> dict[str, Any]:
        """Return one ticket; needs no login."""
        return self._find(ticket_id) or _not_found(ticket_id)

    def close_ticket(self, ticket_id: int) -> dict[str, Any]:
        """Close a ticket that is not closed."""
        return self._end(ticket_id, "Closed")

    def resolve_ticket(self, ticket_id: int, resolution: str) -> dict[str, Any]:
        """Resolve a ticket that is not resolved, with a resolution text."""
        return self._end(ticket_id, "Resolved", resolution=resolution)

    def _end(self, ticket_id: int, status: str, **more: str) -> dict[str, Any]:
        ticket = self._find(ticket_id)
        if not ticket:
            return _not_found(ticket_id)
        if ticket["status"] == status:
            return error(f"Ticket with ID {ticket_id} is already {status.lower()}.")
        ticket.update({"status": status, **more})
        return {"status": f"Ticket {ticket_id} has been {status.lower()} successfully."}

    def edit_ticket(self, ticket_id: int, updates: dict[str, Any]) -> dict[str, Any]:
        """Change some fields of a ticket; null leaves a field unchanged."""
        ticket = self._find(ticket_id)
        if not ticket:
            return _not_found(ticket_id)
        # BFCL lists them in the order of a set, which varies by process; here it is the caller's order.
        invalid = [field for field in updates if field not in _EDITABLE]
        if invalid:
            return error(f"Invalid fields for update: {', '.join(invalid)}")
        ticket.update({field: value for field, value in updates.items() if value is not None})
        return {"status": f"Ticket {ticket_id} has been updated successfully."}

    def ticket_login(self, username: str, password: str) -> dict[str, Any]:
        """Log in under any name with any password that is not empty."""
        if username and password:
            self.current_user = username
            return {"success": True}
        return {"success": False}

    def ticket_get_login_status(self) -> dict[str, Any]:
        """Return whether a user is logged in."""
        return {"login_status": bool(self.current_user)}

    def logout(self) -> dict[str, Any]:
        """Log out; false when nobody was logged in."""
        if not self.current_user:
            return {"success": False}
        self.current_user = None
        return {"success": True}

    def get_user_tickets(self, status: str | None = None) -> list[dict[str, Any]]:
        """Return the current user's tickets, or those with one status, ignoring case."""
        if not self.current_user:
            return [error("User not authenticated. Please log in to view tickets.")]
        mine = [ticket for ticket in self.ticket_queue if ticket["created_by"] == self.current_user]
        if status:
            return [ticket for ticket in mine if ticket["status"].lower() == status.lower()]
        return mine

    def _find(self, ticket_id: int) -> dict[str, Any] | None:
        return next((ticket for ticket in self.ticket_queue if ticket["id"] == ticket_id), None)


def _not_found(ticket_id: int) -> dict[str, Any]:
    return error(f"Ticket with ID {ticket_id} not found.")
