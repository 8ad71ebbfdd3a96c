"""Recorded replies in data/replies: each still applies, and items without one are listed."""

from __future__ import annotations

import json
from functools import cache

from demo_suite import cases, outputs
from each_row import each_row

from fiducial.api.demo import MODEL
from fiducial.data import demo_path
from fiducial.evaluation.judging.tasks import judge_task
from fiducial.judges import make_request
from fiducial.judges.catalogue import known_prompts
from fiducial.judges.transport.recording import Recorded
from fiducial.records import ItemKey, read_records

_PROMPTS = [str(name) for name, known in known_prompts().items() if "suite" in known.recorded]


@cache
def _recorded() -> frozenset[str]:
    return frozenset(reply.key for reply in read_records(demo_path("replies/suite.jsonl"), Recorded))


@cache
def _asked(prompt: str) -> dict[ItemKey, str]:
    """The key of what a judge is asked about each output of its kinds."""
    task = judge_task(prompt, MODEL)
    judge = task.prompt_judge
    assert judge is not None
    found: dict[ItemKey, str] = {}
    for output in outputs().values():
        case = cases()[output.case_id]
        if task.judges_kind(case.kind):
            messages = judge.messages(case, output)
            found[output.key] = make_request(judge.model, messages, judge.parameters, repeat=0).key
    return found


@each_row("prompt", _PROMPTS)
def test_what_has_no_reply_is_listed(prompt: str):
    """Fails when a prompt, case or output changes.

    Record anew, or run benchmarks/recorded_audit.py --keep.
    """
    listed = {ItemKey(*row) for row in json.loads(demo_path("replies/unanswered.json").read_bytes())}
    asked = _asked(prompt)
    assert {key for key, request in asked.items() if request not in _recorded()} == listed & asked.keys()


def test_no_reply_is_kept_that_applies_to_nothing():
    assert _recorded() <= {request for prompt in _PROMPTS for request in _asked(prompt).values()}
    assert len(_recorded()) > 1_600
