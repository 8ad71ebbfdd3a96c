"""A card is resumed after failures, and anybody makes it again from the recorded replies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import fiducial
from provider_server import ProviderServer, Response, Seen, Status, in_the_form_asked_for

from fiducial.evaluation.audit.cards.audit_sets import audit_set
from fiducial.evaluation.audit.probe_folder import read_facts

pytestmark = pytest.mark.slow  # all probes of a kind, over loopback


def card_in(folder: Path, *options: str | Path) -> dict[str, Any]:
    asked = ("audit", "card", "--judge", "memory_answer/reasons", "--model", "m", *options)
    assert fiducial(*asked, "--out", folder / "card.json").code in {0, 3}
    return json.loads((folder / "card.json").read_text("utf-8"))


def test_failed_calls_are_made_again_and_recorded_replies_make_the_same_card(
    server: ProviderServer, tmp_path: Path
):
    good = in_the_form_asked_for()

    def half(seen: Seen) -> Response:
        return good(seen) if len(server.seen) <= 40 else Status(500)

    replies = tmp_path / "replies.jsonl"
    reach = ("--base-url", server.base_url, "--no-cache", "--attempts", "1", "--record", replies)
    server.script = half
    first = card_in(tmp_path, *reach)
    failed = first["shares"]["ungraded"]["failed"]
    asked, server.script = len(server.seen), good
    resumed = card_in(tmp_path, *reach)
    assert len(server.seen) - asked <= failed < sum(first["kinds"].values())
    assert resumed["shares"]["ungraded"] == {}
    (tmp_path / "theirs").mkdir()
    again = card_in(tmp_path / "theirs", "--replay", replies)
    assert {key for key in again if again[key] != resumed[key]} <= {"cost", "made"}
    probes, _ = audit_set()
    order = [[*fact.key] for fact in read_facts(probes)]
    misses = [[each["case_id"], each["system"], each["trial"]] for each in again["misses"]]
    assert misses == [each for each in order if each in misses]
