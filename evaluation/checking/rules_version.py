"""Version of the strict rules by which a run folder was checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...records import TextRule

if TYPE_CHECKING:
    from ...deterministic.options import CheckOptions

RULES_VERSION = 2
"""Version of the strict rules; version 1 ignored what reference and schema say about texts, and compared all loosely."""

EARLIER: TextRule = "loose"
"""How version 1 of the strict rules compared all texts."""


def has_earlier_rules(identity: Mapping[str, Any]) -> bool:
    """Return whether a run was checked by strict rules that compared all texts loosely."""
    return identity.get("rules") == "strict" and "rules_version" not in identity


def text_rule_of(identity: Mapping[str, Any]) -> TextRule | None:
    """Return how a run compares texts that neither a reference nor a schema settles."""
    return EARLIER if has_earlier_rules(identity) else identity.get("text")


def earlier_rules_notes(identity: Mapping[str, Any]) -> list[str]:
    """Return a sentence on the rules of a folder that was checked by an earlier version."""
    return [_NOTE] if has_earlier_rules(identity) else []


_NOTE = "checked under earlier rules, which compare all texts loosely; they apply to this folder"


def rules_facts(options: CheckOptions, identity: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts that tie a run to its rules; a run of an earlier version keeps its rules."""
    facts: dict[str, Any] = {"rules": options.rules}
    if options.rules == "strict":
        facts["text"] = options.text
        if not has_earlier_rules(identity):
            facts["rules_version"] = RULES_VERSION
    return facts
