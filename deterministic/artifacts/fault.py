"""What can be wrong with a workspace, as an exception that a checker turns into a graded 0."""

from __future__ import annotations


class WorkspaceFault(Exception):  # noqa: N818 - named after `finding.fault`, which it becomes
    """The workspace fails the challenge, whatever its other files say.

    Args:
        error_type: The kind of fault.
        reason: One sentence for a person.
    """

    def __init__(self, error_type: str, reason: str) -> None:
        self.error_type = error_type
        self.reason = reason
        super().__init__(reason)


def shown(name: str) -> str:
    """The name of a file, fit to be written anywhere: bytes that are no UTF-8 are escaped."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")
