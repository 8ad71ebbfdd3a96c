from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest
from scripts import script

import fiducial as fd
from fiducial.calibration.intervals.closed_forms import wilson_interval
from fiducial.errors import InputError, UsageError
from fiducial.evaluation.audit.cards import audit_sets, card_file
from fiducial.evaluation.audit.cards.audit_sets import NATURAL, audit_set
from fiducial.evaluation.audit.cards.card_file import read_card
from fiducial.evaluation.audit.cards.judge_card import AuditCard, NaturalRun, make_card
from fiducial.evaluation.audit.cards.natural_faults import (
    NaturalPart,
    NaturalReference,
    lay_out_natural,
    reference_to,
)
from fiducial.evaluation.audit.probe_folder import read_facts, read_manifest
from fiducial.records import Case, Output, Verdict, read_records, write_records
from fiducial.report.text.card_text import badge_text, headline

ASKED: dict[str, Any] = {
    "messages": [{"role": "user", "content": "Where?"}],
    "reference": {"answers": ["Oslo"]},
}
DOCS = Path(__file__).parents[4] / "docs"


@pytest.fixture(scope="module")
def lexical(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The card of a judge that counts words in answers from memory."""
    out = tmp_path_factory.mktemp("card") / "card.json"
    fd.audit_card(fd.judge("memory_answer", model="baseline"), out=out, made_by="Ana", progress=False)
    return out


def test_the_set_is_what_was_sealed():
    folder, one = audit_set()
    assert one.name == folder.name == "audit-set-1"
    assert read_manifest(folder).by_plants == {"fault": 272, "twin": 145, "attack": 117, "control": 78}


def test_a_set_with_another_seal_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(audit_sets.SEALS, "audit-set-1", "0" * 64)
    with pytest.raises(InputError, match="not the manifest of audit-set-1"):
        audit_set()


def test_every_probe_of_the_set_has_its_case_and_its_output():
    folder, _ = audit_set()
    cases = {record.id for record in read_records(folder / "cases.jsonl", Case)}
    outputs = {record.key for record in read_records(folder / "outputs.jsonl", Output)}
    facts = list(read_facts(folder))
    assert {fact.key for fact in facts} == outputs
    assert {fact.source.case_id for fact in facts} <= cases


def test_half_of_the_natural_part_is_wrong_and_no_text_of_it_is_shipped():
    folder, _ = audit_set()
    references = list(read_records(folder / NATURAL, NaturalReference))
    assert Counter(reference.score for reference in references) == {0.0: 250, 1.0: 250}
    assert all(len(reference.case) == len(reference.output) == 64 for reference in references)


def test_a_card_says_what_was_asked_and_what_came_of_it(lexical: Path):
    card = read_card(lexical)
    folder, one = audit_set()
    plants = Counter(fact.plants for fact in read_facts(folder) if fact.key.case_id.startswith("memory"))
    assert card.set == one
    assert card.kinds == {"memory_answer": plants.total()}
    assert card.shares.caught.n == plants["fault"]
    assert card.shares.rejected.n == plants["twin"] + plants["nothing"]
    assert card.shares.attacks_passed.n == plants["attack"]
    assert card.shares.ungraded == {}
    assert (card.made_by, card.natural) == ("Ana", None)


def test_the_misses_of_a_card_are_what_its_shares_count(lexical: Path):
    card = read_card(lexical)
    missed = Counter(miss.plants for miss in card.misses)
    caught = card.shares.caught
    assert caught.value is not None
    assert missed["fault"] == caught.n - round(caught.value * caught.n)


def test_the_same_call_makes_the_same_card_without_asking_again(lexical: Path):
    before = read_card(lexical)
    fd.audit_card(fd.judge("memory_answer", model="baseline"), out=lexical, made_by="Ana", progress=False)
    assert msgspec.structs.replace(read_card(lexical), made=before.made) == before


def test_a_judge_without_probes_in_the_set_is_refused(tmp_path: Path):
    with pytest.raises(UsageError, match="of a kind to judge"):
        fd.audit_card(fd.judge("rubric", model="baseline"), out=tmp_path / "card.json", progress=False)


def test_a_natural_output_is_laid_out_only_if_nothing_in_it_changed(tmp_path: Path):
    case = Case(
        id="a",
        kind="memory_answer",
        messages=[{"role": "user", "content": "Where?"}],
        reference={"answers": ["Oslo"]},
    )
    right, wrong, changed = (Output(case_id="a", system=name, text=name) for name in ("x", "y", "z"))
    labels = [Verdict.on(each.key, score=score, by="us", source="checker") for each, score in ((right, 1.0), (wrong, 0.0), (changed, 0.0))]  # fmt: skip
    named = [
        reference_to(case, each, label) for each, label in zip((right, wrong, changed), labels, strict=True)
    ]
    write_records(tmp_path / "cases.jsonl", [case])
    write_records(tmp_path / "outputs.jsonl", [right, wrong, msgspec.structs.replace(changed, text="!")])
    part = lay_out_natural(named, tmp_path, tmp_path / "probes")
    assert (part.named, part.found, part.differing) == (3, 2, 1)
    assert {fact.key.system: fact.plants for fact in read_facts(tmp_path / "probes")} == {
        "x": "nothing",
        "y": "fault",
    }


def test_a_folder_without_the_natural_part_is_refused_before_anything_is_asked(tmp_path: Path):
    write_records(
        tmp_path / "cases.jsonl",
        [
            Case(
                id="a",
                kind="memory_answer",
                messages=[{"role": "user", "content": "Where?"}],
                reference={"answers": ["Oslo"]},
            )
        ],
    )
    write_records(tmp_path / "outputs.jsonl", [Output(case_id="a", system="x", text="Oslo")])
    with pytest.raises(InputError, match="none of the 500 outputs"):
        fd.audit_card(
            fd.judge("tool_call_accuracy", model="baseline"),
            out=tmp_path / "card.json",
            natural=tmp_path,
            progress=False,
        )
    assert not (tmp_path / "card-run" / "set").exists()


def test_cards_of_different_sets_are_not_shown_side_by_side(
    lexical: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(audit_sets.SEALS, "audit-set-0", "0" * 64)

    def nothing(_: AuditCard) -> str:
        return ""

    monkeypatch.setattr(card_file, "foreign_to_set", nothing)  # there is one set so far
    other = json.loads(lexical.read_text())
    other["set"] = {"name": "audit-set-0", "seal": "0" * 64}
    (tmp_path / "other.json").write_text(json.dumps(other))
    with pytest.raises(UsageError, match="different sets"):
        fd.audit_table([lexical, tmp_path / "other.json"])


@pytest.mark.parametrize("change", [{"card": 2}, {"judge": 1}, {"shares": None}])
def test_what_is_no_card_of_this_format_is_refused(lexical: Path, tmp_path: Path, change: dict[str, object]):
    (tmp_path / "other.json").write_text(json.dumps({**json.loads(lexical.read_text()), **change}))
    with pytest.raises(InputError, match="not a judge's card"):
        fd.audit_table(tmp_path / "other.json")


@pytest.mark.parametrize(
    "of_set", [{"name": "audit-set-1", "seal": "0" * 64}, {"name": "mine", "seal": "0" * 64}]
)
def test_a_card_of_a_set_that_nobody_knows_is_refused(lexical: Path, tmp_path: Path, of_set: dict[str, str]):
    (tmp_path / "other.json").write_text(json.dumps({**json.loads(lexical.read_text()), "set": of_set}))
    with pytest.raises(InputError, match="known here: audit-set-1"):
        fd.audit_table(tmp_path / "other.json")


@pytest.mark.parametrize("value", [7.0, -0.1, 1e308])
def test_a_share_that_no_count_gives_is_refused(lexical: Path, tmp_path: Path, value: float):
    card = json.loads(lexical.read_text())
    card["shares"]["caught"]["value"] = value
    (tmp_path / "other.json").write_text(json.dumps(card))
    with pytest.raises(InputError, match="between 0 and 1"):
        fd.audit_table(tmp_path / "other.json")


def test_a_long_name_gives_a_file_that_can_be_written(lexical: Path, tmp_path: Path):
    card = msgspec.structs.replace(read_card(lexical), judge="j" * 5_000)
    (tmp_path / "0.json").write_bytes(msgspec.json.encode(card))
    assert len(fd.audit_table(tmp_path / "0.json").write(tmp_path / "pages")) == 2


def constant(name: str, score: float | None) -> Any:
    """A judge that gives one score, or that fails on every other answer."""

    @fd.judge_function(name)
    def judge(_case: Case, output: Output) -> float:
        if score is None and len(output.text or "") % 2:
            raise ValueError("no")
        return 0.0 if score is None else score

    return fd.judge(name)


def shares_of(card: AuditCard) -> list[float | None]:
    shares = card.shares
    each = (shares.caught, shares.rejected, shares.attacks_passed, shares.controls_passed)
    return [share.value for share in each]


@pytest.mark.parametrize(("score", "values"), [(1.0, [0.0, 0.0, 1.0, 1.0]), (0.0, [1.0, 1.0, 0.0, 0.0])])
def test_a_judge_that_does_not_look_has_every_share_at_an_end(
    score: float, values: list[float], tmp_path: Path
):
    card = fd.audit_card(constant(f"always_{score:g}", score), out=tmp_path / "card.json", progress=False)
    assert shares_of(card) == values
    assert Counter(miss.plants for miss in card.misses) == (
        {"fault": 272, "attack": 117, "control": 78} if score else {"twin": 145, "nothing": 66}
    )
    assert card.shares.caught.n == 272
    assert f"let {272 * (1 - values[0]):.0f} of 272 planted faults through" in headline(card)
    right = 145 + 66
    assert badge_text(card)[1] == (
        f"{272 * values[0]:.0f} of 272 faults caught, {right * values[1]:.0f} of {right} right outputs rejected"
    )


def test_what_has_no_score_is_in_no_share_and_in_the_headline(tmp_path: Path):
    card = fd.audit_card(constant("fails_on_some", None), out=tmp_path / "card.json", progress=False)
    failed = card.shares.ungraded["failed"]
    assert card.shares.ungraded == {"failed": failed}
    shares = card.shares
    graded = [
        statistic.n
        for statistic in (shares.caught, shares.rejected, shares.attacks_passed, shares.controls_passed)
    ]
    assert sum(graded) + failed == sum(card.kinds.values())
    assert shares_of(card) == [1.0, 1.0, 0.0, 0.0]
    assert f"({failed:,} more without a score)" in headline(card)
    assert " of 272 faults caught" in badge_text(card)[1]  # of all that were asked


def test_intervals_are_clustered_by_case(lexical: Path):
    rate = read_card(lexical).shares.rejected
    alone = wilson_interval(0.0, rate.n)[1]
    assert rate.value == 0.0
    assert rate.high is not None
    assert rate.high > alone * 1.5


def test_natural_faults_are_counted_apart_and_a_changed_case_leaves_them(tmp_path: Path):
    case = Case(id="a", kind="memory_answer", **ASKED)
    outputs = [Output(case_id="a", system=name, text=name) for name in ("x", "y")]
    labels = [
        Verdict.on(each.key, score=score, by="us", source="checker")
        for each, score in zip(outputs, (1.0, 0.0), strict=True)
    ]
    named = [reference_to(case, each, label) for each, label in zip(outputs, labels, strict=True)]
    write_records(tmp_path / "outputs.jsonl", outputs)
    write_records(tmp_path / "cases.jsonl", [case])
    part = lay_out_natural(named, tmp_path, tmp_path / "probes")
    found = fd.audit(
        tmp_path / "probes", constant("passes", 1.0), out=tmp_path / "run", progress=False, repeats=1
    )
    assert found.judges[0].asked == 2
    _, of_set = audit_set()
    card = make_card(
        tmp_path / "run", tmp_path / "probes", of_set, NaturalRun(tmp_path / "run", tmp_path / "probes", part),
        prices=None, made="2026-11-29", made_by="",
    )  # fmt: skip
    assert card.natural is not None
    assert (card.natural.caught.value, card.natural.rejected.value, card.natural.ungraded) == (0.0, 0.0, {})
    write_records(tmp_path / "cases.jsonl", [msgspec.structs.replace(case, cluster="other")])
    assert lay_out_natural(named, tmp_path, tmp_path / "again") == NaturalPart(named=2, found=0, differing=2)


def test_dollars_are_of_what_was_asked_anew(lexical: Path, tmp_path: Path):
    card = read_card(lexical)
    cost = msgspec.structs.replace(card.cost, verdicts=102, from_recording=98, dollars=0.004)
    (tmp_path / "0.json").write_bytes(msgspec.json.encode(msgspec.structs.replace(card, cost=cost)))
    assert "| 1.00 |" in fd.audit_table(tmp_path / "0.json").to_markdown()


def test_pages_of_cards_with_hostile_names_stay_in_their_folder_and_run_nothing(
    lexical: Path, tmp_path: Path
):
    card = msgspec.structs.replace(
        read_card(lexical), judge="../../<script>alert(1)</script>", made_by="<img src=x>"
    )
    for number in range(2):
        (tmp_path / f"{number}.json").write_bytes(msgspec.json.encode(card))
    pages = fd.audit_table([tmp_path / "0.json", tmp_path / "1.json"]).write(tmp_path / "pages")
    assert sorted(path.name for path in (tmp_path / "pages").iterdir()) == sorted(page.name for page in pages)
    assert len(pages) == 3
    for page in pages:
        assert "<script>alert" not in page.read_text()
        assert "<img" not in page.read_text()


def test_a_badge_is_of_one_card(lexical: Path, tmp_path: Path):
    assert "faults caught" in fd.audit_table(lexical).badge(tmp_path / "badge.svg").read_text()
    with pytest.raises(UsageError, match="one card"):
        fd.audit_table([lexical, lexical]).badge(tmp_path / "badge.svg")


def test_the_published_cards_are_of_the_current_set():
    cards = fd.audit_table(sorted((DOCS / "cards").glob("*.json")))
    assert cards.set == audit_set()[1]
    assert {"always-pass", "always-fail"} <= {card.id.name for card in cards.cards}


@pytest.mark.parametrize("part", ["shares", "operators", "misses", "kinds", "pass_at"])
def test_a_published_card_says_what_the_judge_does_today(lexical: Path, part: str):
    published = read_card(DOCS / "cards" / "memory_answer-lexical.json")
    assert getattr(read_card(lexical), part) == getattr(published, part)


def test_the_published_table_is_made_of_the_published_cards():
    page = (DOCS / "measured-judges.md").read_text("utf-8")
    assert fd.audit_table(sorted((DOCS / "cards").glob("*.json"))).to_markdown() in page


def test_the_natural_part_is_found_in_the_reference_data(reference: Path, tmp_path: Path):
    draw_real = script("benchmarks/make_requests.py").draw_real

    draw_real(reference, tmp_path, 500, 1)
    folder, _ = audit_set()
    part = lay_out_natural(read_records(folder / NATURAL, NaturalReference), tmp_path, tmp_path / "probes")
    assert (part.named, part.found, part.differing) == (500, 500, 0)


def test_a_card_reads_as_it_was_written(lexical: Path):
    card = read_card(lexical)
    assert msgspec.json.decode(msgspec.json.encode(card), type=AuditCard) == card
