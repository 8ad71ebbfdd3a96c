from __future__ import annotations

from typing import Any

from each_row import each_row

from fiducial.deterministic.finding import Finding
from fiducial.deterministic.multi_turn.trajectory import check_trajectory
from fiducial.deterministic.options import CheckOptions, Rules
from fiducial.records import Output

from .conftest import world_case


class Tree:
    """A world whose nodes know their parent, or are nested."""

    def load(self, config: dict[str, Any]) -> None:
        self.root: dict[str, Any] = {"parent": None, "children": []}

    def add(self, label: object) -> str:
        self.root["children"].append({"parent": self.root, "children": [], "label": label})
        return "added"

    def nest(self, leaf: object) -> str:
        node: list[Any] = [leaf]
        for _ in range(399):
            node = [node]
        self.root["children"].append(node)
        return "nested"


def checked(reference: list[list[str]], calls: list[list[str]], rules: Rules) -> Finding:
    """Return the finding for calls of a system in the tree, by turn."""
    case = world_case(reference, "Tree")
    turns: list[Any] = [[f"[{', '.join(turn)}]", "done"] for turn in calls]
    output = Output(case_id=case.id, system="s", turns=turns)
    return check_trajectory(case, output, CheckOptions(environments={"Tree": Tree}, rules=rules))


@each_row("rules", ["strict", "bfcl"])
@each_row("reference", [[["add(label=1)"]], [["nest(leaf=1)"]], [["add(label=1)"], ["add(label=2)"]]])
def test_a_state_that_is_deep_or_contains_itself_is_compared(reference: list[list[str]], rules: Rules):
    assert checked(reference, reference, rules).valid
    wrong = [*reference[:-1], [call.replace("=", "=1") for call in reference[-1]]]
    finding = checked(reference, wrong, rules)
    assert finding.error_type == "multi_turn:instance_state_mismatch"
    assert finding.evidence["path"].startswith("Tree.root['children'][")


def test_a_change_where_the_reference_calls_nothing_is_named():
    finding = checked([[], ["add(label=1)"]], [["add(label=2)"], ["add(label=1)"]], "strict")
    assert finding.reason == "turn 1 of 2: 'add(label=2)' changed the state; the reference changes nothing"
