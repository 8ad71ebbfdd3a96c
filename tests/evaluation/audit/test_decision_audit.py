"""Audits of decision models whose probabilities move with the form of a question."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from decision_server import deciding
from provider_server import ProviderServer, Response, Seen

import fiducial as fd
from fiducial.api.mutating import Probes
from fiducial.errors import UsageError
from fiducial.evaluation.audit.audit_results import FormResult, JudgeAudit
from fiducial.judges.decision_forms import FORM_NAMES

CASES = 14

Answer: TypeAlias = Callable[[Mapping[str, Any], str, int], float]
"""Function from a request, a question and its place to p."""


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> Probes:
    """Right answers to questions, with one sort of fault."""
    folder = tmp_path_factory.mktemp("decided")
    cases = [
        {
            "id": f"q{n}",
            "kind": "memory_answer",
            "messages": [{"role": "user", "content": f"Who ships parcel {n}?"}],
            "reference": {"answers": [f"Carrier {n}"]},
        }
        for n in range(CASES)
    ]
    path = folder / "cases.jsonl"
    path.write_text("\n".join(map(json.dumps, cases)), encoding="utf-8")
    return fd.mutate(path, only=["answer_of_sibling"], out=folder / "probes")


def answering(answer: Answer) -> Callable[[Seen], Response]:
    """Return a script that answers each question by its request and place."""

    def script(seen: Seen) -> Response:
        names = list(seen.body["questions"])
        return deciding(lambda name, question: answer(seen.body, name, names.index(name)))(seen)

    return script


def truth(body: Mapping[str, Any], name: str, place: int) -> float:
    """Give a probability by the material alone, and its complement if negated."""
    del place
    state, ask = body["state"], body["questions"][name]["instructions"]
    if name == "marker":
        return 0.98 if any(str(each) in ask for key, each in state.items() if key == "marker") else 0.02
    right = str(state.get("accepted_answers", "?")).strip("[]'\"") in str(state.get("response", ""))
    p = 0.9 if right else 0.1
    return 1 - p if ask.startswith('Is "no"') else p


def audited(answer: Answer, probes: Probes, *only: str, sample: int = 28, **options: Any) -> JudgeAudit:
    with ProviderServer(answering(answer)) as server:
        judge = fd.judge("memory_answer", model="jev-1.13.0", base_url=server.base_url, api="systemone", api_key="k", cache=False)  # fmt: skip
        found = fd.audit(probes, judge, sample=sample, only=only, **options)
    return next(audit for audit in found.judges if audit.id.kind == "shipped")


def results(found: JudgeAudit) -> dict[str, FormResult]:
    return {form.form: form for form in found.forms}


def concerns(found: JudgeAudit) -> set[tuple[str, str]]:
    return {(finding.concern, finding.where) for finding in found.findings}


def test_a_model_that_goes_by_the_material_alone_moves_in_no_form(questions: Probes):
    found = audited(truth, questions, sample=6)
    assert concerns(found) == set()
    forms = results(found)
    assert forms.keys() == {"repeats", *FORM_NAMES}
    tested = forms.keys() - {"out_of_scope"}
    assert {name: (forms[name].change.n, forms[name].change.value) for name in tested} == {
        name: (6, pytest.approx(0.0)) for name in tested
    }
    assert forms["out_of_scope"].change.value is None
    assert forms["marker_in_middle"].marker_seen is not None
    assert forms["marker_in_middle"].marker_seen.value == pytest.approx(0.96)


def by_place(body: Mapping[str, Any], name: str, place: int) -> float:
    return abs(truth(body, name, place) - 0.5 * place)


def by_number(body: Mapping[str, Any], name: str, place: int) -> float:
    del name, place
    return 0.9 if len(body["questions"]) > 1 else 0.2


def always_yes(body: Mapping[str, Any], name: str, place: int) -> float:
    del body, name, place
    return 0.9


def by_framing(body: Mapping[str, Any], name: str, place: int) -> float:
    del place
    return 0.2 if "strict" in body["questions"][name]["instructions"] else 0.9


def obedient(body: Mapping[str, Any], name: str, place: int) -> float:
    del name, place
    return 0.99 if "certainty" in str(body["state"]) else 0.1


def by_the_end(body: Mapping[str, Any], name: str, place: int) -> float:
    last: list[tuple[str, Any]] = [*body["state"].items()][-8:]
    return truth({**body, "state": dict(last)}, name, place)


@pytest.mark.parametrize(
    ("form", "concern", "answer"),
    [
        ("questions_reversed", "moves on what is harmless", by_place),
        ("last_alone", "moves on what is harmless", by_number),
        ("negated", "contradicts its negation", always_yes),
        ("strict_framing", "moves on what is harmless", by_framing),
        ("injected_note", "obeys the material", obedient),
        ("marker_in_middle", "does not read long material", by_the_end),
    ],
)
def test_a_model_that_moves_is_found_by_the_form(questions: Probes, form: str, concern: str, answer: Answer):
    found = audited(answer, questions, form)
    assert (concern, form) in concerns(found)
    assert results(found)[form].change.n == CASES


def test_noise_between_repeats_is_no_effect_of_a_form(questions: Probes):
    calls = iter(range(10_000))
    found = audited(
        lambda body, name, place: 0.3 + 0.4 * (next(calls) * 7 % 11) / 10, questions, "paraphrased"
    )
    assert results(found)["repeats"].change.value != 0.0
    assert ("moves on what is harmless", "paraphrased") not in concerns(found)


def test_the_largest_change_names_its_item_and_question(questions: Probes):
    def answer(body: Mapping[str, Any], name: str, place: int) -> float:
        odd = "parcel 3?" in str(body["state"]) and "note" in body["state"] and name == "matches"
        return 0.1 if odd else 0.9

    found = results(audited(answer, questions, "plain_note"))["plain_note"]
    assert found.largest == pytest.approx(0.8)
    assert found.largest_at.startswith("q3|")
    assert found.largest_at.endswith(", matches")


def test_a_server_that_counts_too_few_tokens_leaves_long_forms_ungraded(questions: Probes):
    with ProviderServer(deciding(lambda name, question: 0.9, input_tokens=2_048)) as server:
        judge = fd.judge("memory_answer", model="m", base_url=server.base_url, api="systemone", api_key="k", cache=False)  # fmt: skip
        found = fd.audit(questions, judge, sample=28, only=["marker_at_start"])
    forms = results(next(audit for audit in found.judges if audit.forms))
    assert forms["marker_at_start"].ungraded == {"failed": 14}
    assert forms["marker_at_start"].change.value is None
    assert found.failed == 28


def test_one_repeat_measures_the_change_and_claims_nothing(questions: Probes):
    found = audited(always_yes, questions, "negated", repeats=1)
    assert results(found)["negated"].change.value == pytest.approx(0.8)
    assert ("contradicts its negation", "negated") not in concerns(found)


def test_forms_are_no_operators_of_other_judges(questions: Probes):
    with pytest.raises(UsageError, match="no probes of this operator"):
        fd.audit(questions, "memory_answer", model="baseline", only=["negated"])


def test_a_resumed_audit_asks_no_form_again(questions: Probes, tmp_path: Path):
    with ProviderServer(answering(truth)) as server:
        judge = fd.judge("memory_answer", model="m", base_url=server.base_url, api="systemone", api_key="k", cache=False)  # fmt: skip
        first, asked = (
            fd.audit(questions, judge, sample=4, only=["negated"], out=tmp_path / "run"),
            len(server.seen),
        )
        again = fd.audit(questions, judge, sample=4, only=["negated"], out=tmp_path / "run")
        assert len(server.seen) == asked
    assert [audit.forms for audit in first.judges] == [audit.forms for audit in again.judges]
    rows = fd.calibrate(tmp_path / "run").judges
    assert not any("~" in name for name in rows)
