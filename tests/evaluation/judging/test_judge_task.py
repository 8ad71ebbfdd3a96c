"""What calls return, for judges that are shown it."""

from __future__ import annotations

from typing import Any

import pytest

from fiducial.evaluation.judging.judge_task import replay_in
from fiducial.evaluation.judging.tasks import judge_task
from fiducial.judges import load_judge
from fiducial.records import Case, Output


class Bell:
    """Rings."""

    def load(self, config: dict[str, Any]) -> None:
        self.tone: str = config.get("tone", "dull")

    def ring(self) -> str:
        return self.tone


def case_of(**fields: Any) -> Case:
    reference = {"classes": ["Bell"], "initial_config": {"Bell": {"tone": "clear"}}, "calls": [["ring()"]]}
    settings: dict[str, Any] = {"id": "bell", "kind": "multi_turn", "reference": reference}
    return Case(**settings | fields)


OUTPUT = Output(case_id="bell", system="s", turns=[["[ring()]"]])


def test_calls_are_executed_in_worlds_of_ones_own():
    episode = replay_in({"Bell": Bell})(case_of(), OUTPUT)
    assert episode is not None
    assert list(episode[0][0].results) == ["clear"]


@pytest.mark.parametrize(
    "case", [case_of(kind="open_answer"), case_of(reference={"classes": [], "calls": [[]]})]
)
def test_a_case_without_worlds_has_nothing_to_execute(case: Case):
    assert replay_in({"Bell": Bell})(case, OUTPUT) is None


def test_what_a_judge_is_shown_is_part_of_its_fingerprint(tmp_path: Any):
    shipped = load_judge("task_completion/reasons", model="m").fingerprint
    assert judge_task("task_completion/reasons", "m").id.fingerprint == shipped
    own = tmp_path / "own.prompty"
    own.write_text(
        "---\ninputs:\n  transcript: {type: string}\nscale: {minimum: 0, maximum: 1, step: 1}\n---\nuser:\n{{transcript}}"
    )
    blind, seeing = load_judge(str(own), model="m"), load_judge(str(own), model="m", replay=replay_in({}))
    assert blind.fingerprint != seeing.fingerprint
    assert seeing.fingerprint == load_judge(str(own), model="m", replay=replay_in({"Bell": Bell})).fingerprint
