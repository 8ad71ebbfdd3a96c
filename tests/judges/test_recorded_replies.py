"""Recorded replies of a real model stay valid: prompts and inputs have not changed.

``recorded/`` holds items of the built-in suite as it was then, and that model's replies to them. A reply is found by a hash of the whole request.
"""

from __future__ import annotations

import asyncio
from contextlib import closing
from pathlib import Path

from each_row import each_row

from fiducial.evaluation.judging.judge_task import replay_in
from fiducial.judges import judge_output, load_judge
from fiducial.judges.catalogue import JUDGED_KINDS, PromptName, known_prompts
from fiducial.judges.transport.recording import ReplayProvider
from fiducial.records import Case, Output, read_records

HERE = Path(__file__).parent / "recorded"
CASES = {case.id: case for case in read_records(HERE / "cases.jsonl", Case)}
OUTPUTS = list(read_records(HERE / "outputs.jsonl", Output))
RECORDED = [name for name, known in known_prompts().items() if "suite" in known.recorded]


@each_row("name", RECORDED)
def test_the_recorded_reply_is_found_and_read(name: PromptName):
    judge = load_judge(str(name), model="claude", replay=replay_in({}))
    pairs = [(CASES[output.case_id], output) for output in OUTPUTS]
    asked = [(case, output) for case, output in pairs if case.kind in JUDGED_KINDS[name.judge]]
    with closing(ReplayProvider(HERE / "replies.jsonl")) as replies:
        verdicts = [asyncio.run(judge_output(case, output, judge, replies)) for case, output in asked]
    assert len(verdicts) >= 2
    assert [verdict.reason for verdict in verdicts if not verdict.graded] == []


def test_every_judge_that_comes_along_has_recorded_replies():
    assert len({name.judge for name in RECORDED}) == 6
