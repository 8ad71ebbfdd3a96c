"""Messenger environment: contacts, one login and a shared outbox."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .world import World, copy_value, error

_NOT_LOGGED_IN = "No user is currently logged in."


class MessageAPI(World):
    """Sends, lists and deletes messages between the users of a workspace."""

    _TABLE = "messages"

    generated_ids: set[int]
    user_count: int
    user_map: dict[str, str]
    inbox: list[dict[str, Any]]
    message_count: int
    current_user: str | None

    def load(self, config: Mapping[str, Any], long_context: bool = False) -> None:  # noqa: FBT001, FBT002 - the contract
        """Start from a scenario; generated identifiers default to an empty set."""
        super().load(config, long_context)
        self.generated_ids = copy_value(config["generated_ids"]) if "generated_ids" in config else set()

    def list_users(self) -> dict[str, Any]:
        """Return the names of all users."""
        return {"user_list": list(self.user_map)}

    def get_user_id(self, user: str) -> dict[str, Any]:
        """Return the identifier of a user, by name."""
        if user not in self.user_map:
            return error(f"User '{user}' not found in the workspace.")
        return {"user_id": self.user_map[user]}

    def message_login(self, user_id: str) -> dict[str, Any]:
        """Log a user in; no password is asked for."""
        if user_id not in self.user_map.values():
            return {"login_status": False, "message": f"User ID '{user_id}' not found."}
        self.current_user = user_id
        return {"login_status": True, "message": f"User '{user_id}' logged in successfully."}

    def message_get_login_status(self) -> dict[str, Any]:
        """Return whether a user is logged in."""
        return {"login_status": bool(self.current_user)}

    def send_message(self, receiver_id: str, message: str) -> dict[str, Any]:
        """Send a message under a fresh five-digit identifier."""
        if not self.current_user:
            return error(_NOT_LOGGED_IN)
        if receiver_id not in self.user_map.values():
            return error(f"Receiver ID '{receiver_id}' not found.")
        message_id = self._fresh_id()
        self.generated_ids.add(message_id)
        self.inbox.append({receiver_id: message})
        self.message_count += 1
        return {
            "sent_status": True,
            "message_id": {"new_id": message_id},
            "message": f"Message sent to '{receiver_id}' successfully.",
        }

    def delete_message(self, receiver_id: str) -> dict[str, Any]:
        """Delete the latest message to a user.

        As in BFCL, the first of identical messages is deleted, and the message count does not change.
        """
        if not self.current_user:
            return error(_NOT_LOGGED_IN)
        for message in reversed(self.inbox):
            if next(iter(message)) == receiver_id:
                self.inbox.remove(message)
                return {
                    "deleted_status": True,
                    "receiver_id": receiver_id,
                    "message": f"Receiver {receiver_id}'s latest message deleted successfully.",
                }
        return error(f"Receiver ID {receiver_id} not found.")

    def view_messages_sent(self) -> dict[str, Any]:
        """Return all messages by receiver, whoever sent them."""
        if not self.current_user:
            return error(_NOT_LOGGED_IN)
        texts: dict[str, list[str]] = {}
        for receiver, text in self._messages():
            texts.setdefault(receiver, []).append(text)
        return {"messages": texts}

    def add_contact(self, user_name: str) -> dict[str, Any]:
        """Add a user; the identifier is the number of users."""
        if user_name in self.user_map:
            return error(f"User name '{user_name}' already exists.")
        self.user_count += 1
        user_id = f"USR{str(self.user_count).zfill(3)}"
        if user_id in self.user_map.values():
            return error(f"User ID '{user_id}' already exists.")
        self.user_map[user_name] = user_id
        return {
            "added_status": True,
            "user_id": user_id,
            "message": f"Contact '{user_name}' added successfully.",
        }

    def search_messages(self, keyword: str) -> dict[str, Any]:
        """Return the messages that contain a text, ignoring case."""
        if not self.current_user:
            return error(_NOT_LOGGED_IN)
        keyword = keyword.lower()
        return {
            "results": [
                {"receiver_id": receiver, "message": text}
                for receiver, text in self._messages()
                if keyword in text.lower()
            ]
        }

    def get_message_stats(self) -> dict[str, Any]:
        """Return the number of messages and the number of their receivers."""
        if not self.current_user:
            return error(_NOT_LOGGED_IN)
        receivers = {receiver for receiver, _ in self._messages()}
        return {"stats": {"received_count": len(self.inbox), "total_contacts": len(receivers)}}

    def _messages(self) -> Iterator[tuple[str, str]]:
        """Yield receiver and text of each message, which the inbox has as a dict with one key."""
        return (next(iter(message.items())) for message in self.inbox)

    def _fresh_id(self) -> int:
        message_id = self._random.randint(10000, 99999)
        while message_id in self.generated_ids:
            message_id = self._random.randint(10000, 99999)
        return message_id
