"""A judge audited on made-up probes: says what score it gives, and analyses it."""

from __future__ import annotations

from collections.abc import Callable

from judge_ids import judge_id

from fiducial.calibration.pass_threshold import PassThreshold
from fiducial.evaluation.audit.analysis import judge_audit
from fiducial.evaluation.audit.audit_results import JudgeAudit
from fiducial.evaluation.audit.probe_folder import ProbeFacts
from fiducial.evaluation.audit.sampling import ChosenProbes
from fiducial.evaluation.audit.scored import scored_probes
from fiducial.records import ItemKey, Verdict

ABOUT = {
    "fault_a": "a fault",
    "fault_b": "another",
    "twin_a": "a twin",
    "attack_a": "an attack",
    "control_a": "its control",
}
PLANTS = {
    "fault_a": "fault",
    "fault_b": "fault",
    "twin_a": "twin",
    "attack_a": "attack",
    "control_a": "control",
}
ITEMS = 80

Says = Callable[[ProbeFacts, int], float | None]


def make_chosen() -> ChosenProbes:
    probes: dict[ItemKey, ProbeFacts] = {}
    originals: set[ItemKey] = set()
    for number in range(ITEMS):
        source = ItemKey(f"case-{number}", "agent", 0)
        originals.add(source)
        probes[source] = ProbeFacts(source, "original", "nothing", source, 1.0, "")
        for operator, plants in PLANTS.items():
            key = ItemKey(source.case_id, f"agent~{operator}", 0)
            probes[key] = ProbeFacts(key, operator, plants, source, float(plants == "twin"), "changed")
    return ChosenProbes(probes, frozenset(originals))


CHOSEN = make_chosen()


def verdicts(says: Says, by: str = "judge") -> list[Verdict]:
    found: list[Verdict] = []
    for facts in CHOSEN.probes.values():
        for repeat in range(2 if facts.plants == "nothing" else 1):
            score = says(facts, repeat)
            outcome = "unparsable" if score is None else "graded"
            found.append(
                Verdict(
                    case_id=facts.key.case_id,
                    system=facts.key.system,
                    by=by,
                    source="judge",
                    outcome=outcome,
                    score=score,
                    repeat=repeat,
                    reason="so it seems",
                )
            )
    return found


def audit(says: Says) -> JudgeAudit:
    scored = scored_probes(verdicts(says), CHOSEN.probes, {}, {})["judge"]
    return judge_audit(
        "judge",
        judge_id("judge"),
        scored,
        CHOSEN,
        about=ABOUT,
        controls={"attack_a": "control_a"},
        threshold=PassThreshold(),
    )


def found(says: Says) -> set[tuple[str, str]]:
    return {(finding.concern, finding.where) for finding in audit(says).findings}
