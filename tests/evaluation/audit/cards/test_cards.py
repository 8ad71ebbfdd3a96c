from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from scripts import script

import fiducial as fd
from fiducial.errors import InputError, UsageError
from fiducial.evaluation.audit.cards import audit_sets
from fiducial.evaluation.audit.cards.audit_sets import NATURAL, audit_set
from fiducial.evaluation.audit.cards.judge_card import JudgeCard, read_card
from fiducial.evaluation.audit.cards.natural_faults import NaturalReference, lay_out_natural, reference_to
from fiducial.evaluation.audit.probe_folder import read_facts, read_manifest
from fiducial.records import Case, Output, Verdict, read_records, write_records

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
    cases = {each.id for each in read_records(folder / "cases.jsonl", Case)}
    outputs = {each.key for each in read_records(folder / "outputs.jsonl", Output)}
    facts = list(read_facts(folder))
    assert {each.key for each in facts} == outputs
    assert {each.source.case_id for each in facts} <= cases


def test_half_of_the_natural_part_is_wrong_and_no_text_of_it_is_shipped():
    folder, _ = audit_set()
    references = list(read_records(folder / NATURAL, NaturalReference))
    assert Counter(each.score for each in references) == {0.0: 250, 1.0: 250}
    assert all(len(each.case) == len(each.output) == 64 for each in references)


def test_a_card_says_what_was_asked_and_what_came_of_it(lexical: Path):
    card = read_card(lexical)
    folder, one = audit_set()
    plants = Counter(each.plants for each in read_facts(folder) if each.key.case_id.startswith("memory"))
    assert card.set == one
    assert card.kinds == {"memory_answer": plants.total()}
    assert card.shares.caught.n == plants["fault"]
    assert card.shares.rejected.n == plants["twin"] + plants["nothing"]
    assert card.shares.attacks_passed.n == plants["attack"]
    assert card.shares.ungraded == {}
    assert (card.made_by, card.natural) == ("Ana", None)


def test_the_misses_of_a_card_are_what_its_shares_count(lexical: Path):
    card = read_card(lexical)
    missed = Counter(each.plants for each in card.misses)
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
    assert {each.key.system: each.plants for each in read_facts(tmp_path / "probes")} == {
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


def test_cards_of_different_sets_are_not_shown_side_by_side(lexical: Path, tmp_path: Path):
    other = json.loads(lexical.read_text())
    other["set"]["seal"] = "0" * 64
    (tmp_path / "other.json").write_text(json.dumps(other))
    with pytest.raises(UsageError, match="different sets"):
        fd.audit_table([lexical, tmp_path / "other.json"])


@pytest.mark.parametrize("change", [{"card": 2}, {"judge": 1}, {"shares": None}])
def test_what_is_no_card_of_this_format_is_refused(lexical: Path, tmp_path: Path, change: dict[str, object]):
    (tmp_path / "other.json").write_text(json.dumps({**json.loads(lexical.read_text()), **change}))
    with pytest.raises(InputError, match="not a judge's card"):
        fd.audit_table(tmp_path / "other.json")


def test_pages_of_cards_with_hostile_names_stay_in_their_folder_and_run_nothing(
    lexical: Path, tmp_path: Path
):
    card = msgspec.structs.replace(
        read_card(lexical), judge="../../<script>alert(1)</script>", made_by="<img src=x>"
    )
    for number in range(2):
        (tmp_path / f"{number}.json").write_bytes(msgspec.json.encode(card))
    pages = fd.audit_table([tmp_path / "0.json", tmp_path / "1.json"]).write(tmp_path / "pages")
    assert sorted(each.name for each in (tmp_path / "pages").iterdir()) == sorted(each.name for each in pages)
    assert len(pages) == 3
    for each in pages:
        assert "<script>alert" not in each.read_text()
        assert "<img" not in each.read_text()


def test_a_badge_is_of_one_card(lexical: Path, tmp_path: Path):
    assert "faults caught" in fd.audit_table(lexical).badge(tmp_path / "badge.svg").read_text()
    with pytest.raises(UsageError, match="one card"):
        fd.audit_table([lexical, lexical]).badge(tmp_path / "badge.svg")


def test_the_published_cards_are_of_the_current_set():
    cards = fd.audit_table(sorted((DOCS / "cards").glob("*.json")))
    assert cards.set == audit_set()[1]
    assert {"always-pass", "always-fail"} <= {each.id.name for each in cards.cards}


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
    assert msgspec.json.decode(msgspec.json.encode(card), type=JudgeCard) == card
