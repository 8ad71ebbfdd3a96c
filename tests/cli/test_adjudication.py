"""Disagreements of judge and label, decided on the page, and what becomes of the decisions."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from command import fiducial
from review_page import ReviewPage, in_node, key_of

import fiducial as fd
from fiducial.evaluation.labelling.corrections import reference_sha256
from fiducial.records import Verdict, read_records

pytestmark = pytest.mark.usefixtures("few_draws")

HOSTILE = "\x1b[2J</script><script>alert(1)</script>\u202e=1+1"


def case(number: int) -> fd.Case:
    city = f"city{number}"
    return fd.Case(
        id=f"c{number}",
        kind="tool_call",
        messages=[{"role": "user", "content": f"Book a room in {city}."}],
        tools=[{"type": "function", "function": {"name": "book", "description": "Books.", "parameters": {"type": "dict", "properties": {"city": {"type": "string", "description": "Where."}}, "required": ["city"]}}}],
        reference={"calls": [{"name": "book", "arguments": {"city": city}}]},
        tags={"category": "odd" if number % 2 else "even"},
    )  # fmt: skip


def output(number: int) -> fd.Output:
    """Every third output writes the city otherwise, which the checker fails."""
    city = f"City no. {number}" if number % 3 == 0 else f"city{number}"
    return fd.Output(
        case_id=f"c{number}", system="me", tool_calls=[fd.ToolCall(name="book", arguments={"city": city})]
    )


def kind(case: fd.Case, output: fd.Output) -> tuple[float, str]:
    """Passes four that the checker fails, and fails one that it passes."""
    del output
    number = int(case.id[1:])
    return float(number < 12 if number % 3 == 0 else number != 1), HOSTILE


@pytest.fixture(scope="module")
def run_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a run of 30 outputs, and its inputs; nobody changes them."""
    folder = tmp_path_factory.mktemp("adjudicated")
    fd.write_records(folder / "cases.jsonl", map(case, range(30)))
    fd.write_records(folder / "outputs.jsonl", map(output, range(30)))
    judge = fd.judge_function("kind")(kind)
    fd.evaluate(
        folder / "cases.jsonl",
        folder / "outputs.jsonl",
        judges=[fd.judge("kind")],
        judge_on="all",
        out=folder / "run",
    )
    assert judge is kind
    return folder


@pytest.fixture
def run(run_once: Path, tmp_path: Path) -> Path:
    """Return a run of 30 outputs: the label fails four that the judge passes, and passes one."""
    return Path(shutil.copytree(run_once, tmp_path, dirs_exist_ok=True)) / "run"


def decided(
    page: Path, name: str, answers: Mapping[str, float | None], file: Path, *, why: str = "", fault: str = ""
) -> Path:
    """Decide items of a page, by case, with the page's own script; others as the label says."""
    items = ReviewPage(page.read_text()).data["items"]
    scores = {
        key_of(item): answers.get(item["case_id"], float(int(item["case_id"][1:]) % 3 > 0)) for item in items
    }
    state = {
        "answers": {key: {"score": score, "informed": False} for key, score in scores.items()},
        "notes": dict.fromkeys(scores, why),
        "faults": dict.fromkeys(scores, fault),
        "name": name,
    }
    file.write_text(in_node("labelLines(items, state)", items=items, state=state))
    return file


def asked(run: Path, *options: str | Path) -> dict[str, Any]:
    done = fiducial("review", run, "--of", "disagreements", "--json", *options)
    assert (done.code, done.err) == (0, "")
    return json.loads(done.out)


def test_disagreements_are_decided_and_every_number_knows_it(run: Path, tmp_path: Path):
    made = asked(run, "--by", "ann", "--agreements", "100")
    assert (made["of"], made["n"], made["agreements"]) == (5, 30, 25)
    # Of the four that only the judge passes c0, c3 and c6 are right and c9 cannot be decided; c1, which only it fails, is right.
    answers = {"c0": 1.0, "c3": 1.0, "c6": 1.0, "c9": None}
    file = decided(
        Path(made["page"]),
        "ann",
        answers,
        tmp_path / "d.jsonl",
        why="another way to write it",
        fault="reference_too_narrow",
    )
    added = fiducial("review", run, "--add", file)
    assert (added.code, added.err) == (0, "")
    assert f"decisions: {run / 'adjudications.jsonl'} (30 added" in added.out
    found = json.loads(fiducial("calibrate", run, "--json").out)["adjudication"]
    judge = found["judges"]["kind/function"]
    assert judge["disagreements"] == {"rows": 5, "judge_right": 3, "judge_wrong": 1, "undecidable": 1}
    assert judge["as_labelled"]["accuracy"]["value"] == 25 / 30
    assert (judge["adjudicated"]["accuracy"]["value"], judge["adjudicated"]["accuracy"]["n"]) == (28 / 29, 29)
    assert [judge[way]["accuracy"]["value"] for way in ("lowest", "highest")] == [28 / 30, 29 / 30]
    assert judge["corrected"]["accuracy"]["value"] == pytest.approx(28 / 29)
    assert judge["label_errors"]["all"]["corrected"]["value"] == pytest.approx(3 / 29)
    # c3 is odd, c0 and c6 are even.
    assert [judge["label_errors"][name]["found"]["value"] for name in ("even", "odd")] == [2 / 15, 1 / 15]
    assert found["faults"] == {"reference_too_narrow": 30}


def test_terminal_and_report_say_what_was_decided(run: Path, tmp_path: Path):
    made = asked(run, "--by", "ann", "--agreements", "0")
    file = decided(Path(made["page"]), "ann", {}, tmp_path / "d.jsonl", why=HOSTILE)
    assert fiducial("review", run, "--add", file).code == 0
    shown = fiducial("calibrate", run, "-v").out
    assert (
        "kind/function: of 5 disagreements the judge is right in 0, the label in 5; none of 25 agreements was examined"
        in shown
    )
    assert "the adjudicated numbers are the judge's best case" in shown
    assert "\x1b" not in shown
    again = fd.evaluate(
        tmp_path / "cases.jsonl",
        tmp_path / "outputs.jsonl",
        judges=[fd.judge("kind")],
        judge_on="all",
        out=run,
    )
    (trust,) = again.answers.trust
    assert (
        "adjudicated by people: of 5 disagreements the judge is right in 0, the label in 5 (then TPR "
        in trust.why
    )
    assert "kind/function: adjudicated by people: of 5 disagreements the judge is right in 0" in str(again)
    again.report(run / "report.html")
    page = (run / "report.html").read_text()
    assert "adjudicated by people: of 5 disagreements" in page
    assert "<script>alert" not in page


def test_the_page_shows_both_opinions_unnamed_and_expected_beside_got(run: Path):
    made = asked(run, "--agreements", "5")
    text = Path(made["page"]).read_text()
    items = {item["case_id"]: item for item in ReviewPage(text).data["items"]}
    opinions = {block["text"].split(".")[0] for block in items["c3"]["opinions"]}
    assert opinions == {"The output is right", "The output is wrong"}
    assert {block["title"] for item in items.values() for block in item["opinions"]} == {
        "One opinion",
        "Another opinion",
    }
    assert not any(
        name in str(item["opinions"]) for item in items.values() for name in ("kind", "ast/strict")
    )
    first = {item["opinions"][0]["text"].startswith("The output is right") for item in items.values()}
    assert first == {True, False}
    rows = {row["what"]: (row["expected"], row["got"], row["differs"]) for row in items["c3"]["compared"]}
    assert rows == {"call": ("book", "book", False), "city": ('"city3"', '"City no. 3"', True)}
    assert "\\u202e" in items["c3"]["opinions"][0]["text"] + items["c3"]["opinions"][1]["text"]
    assert "<script>alert" not in text


def test_what_a_person_decided_is_not_asked_again(run: Path, tmp_path: Path):
    made = asked(run, "--by", "ann", "--n", "3", "--agreements", "3")
    assert (
        fiducial("review", run, "--add", decided(Path(made["page"]), "ann", {}, tmp_path / "d.jsonl")).code
        == 0
    )
    more = asked(run, "--by", "ann", "--n", "8", "--agreements", "3")
    assert (more["n"], more["labelled_before"]) == (2, 6)
    assert set(more["items"]).isdisjoint(made["items"])
    assert asked(run, "--by", "bob", "--n", "8", "--agreements", "3")["n"] == 8


def test_two_people_are_both_kept_and_what_they_decide_differently_is_undecidable(run: Path, tmp_path: Path):
    for name, answers in (("ann", {"c0": 1.0}), ("bob", {"c0": 0.0})):
        page = Path(asked(run, "--by", name, "--agreements", "0")["page"])
        file = decided(page, name, answers, tmp_path / f"{name}.jsonl")
        assert fiducial("review", run, "--add", file).code == 0
    assert len(list(read_records(run / "adjudications.jsonl", Verdict))) == 10
    found = fd.calibrate(run).adjudication
    assert found is not None
    assert (found.by.people, found.by.contested, found.judges["kind/function"].disagreements.undecidable) == (
        {"ann": 5, "bob": 5},
        1,
        1,
    )
    assert found.by.alike is not None
    assert found.by.alike.value == pytest.approx(4 / 5)


def test_a_file_of_decisions_serves_a_table_too_and_is_no_file_of_labels(run: Path, tmp_path: Path):
    page = Path(asked(run, "--by", "ann", "--agreements", "0")["page"])
    file = decided(page, "ann", {}, tmp_path / "d.jsonl")
    given = fiducial("calibrate", run, "--adjudications", file)
    assert (given.code, "the label in 5" in given.out) == (0, True)
    refused = fiducial(
        "run",
        tmp_path / "cases.jsonl",
        outputs=tmp_path / "outputs.jsonl",
        labels=file,
        out=tmp_path / "other",
    )
    assert refused.code == 2
    assert f"{file}:1: evidence.review.sample: this label decides between a label and a judge" in refused.err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--of", "survivors"), "is not an audit of judges"),
        (("--of", "suspects", "--judge", "nobody"), "--judge nobody: no such judge"),
        (("--of", "disagreements", "--judge", "nobody"), "--judge nobody: no such judge"),
    ],
)
def test_what_cannot_be_drawn_is_exit_code_2_and_one_line(run: Path, args: tuple[str, ...], message: str):
    result = fiducial("review", run, *args)
    assert (result.code, message in result.err, "Traceback" in result.err) == (2, True, False)


def test_suspects_are_put_before_a_person_with_both_opinions(run: Path):
    made = json.loads(fiducial("review", run, "--of", "suspects", "--json").out)
    assert made["sample"] == "suspects"
    items = ReviewPage(Path(made["page"]).read_text()).data["items"]
    assert all(len(item["opinions"]) == 2 for item in items)


def test_every_proposed_command_is_one_that_a_shell_can_read(run: Path):
    made = fiducial("review", run, "--of", "suspects").out
    commands = [line for line in made.splitlines() if line.startswith("  ")]
    assert not any("(" in command for command in commands)
    assert made.splitlines()[-2] == "for the report:"


def test_a_decision_that_is_a_fraction_is_refused(run: Path, tmp_path: Path):
    file = decided(
        Path(asked(run, "--by", "ann")["page"]),
        "ann",
        {"c0": 0.5, "c3": 0.5, "c6": 0.5},
        tmp_path / "d.jsonl",
    )
    result = fiducial("review", run, "--add", file)
    assert (result.code, "an adjudication is 1 (right), 0 (wrong) or undecided" in result.err) == (2, True)
    assert not (run / "adjudications.jsonl").exists()


def lenient(case: fd.Case, output: fd.Output) -> tuple[float, str]:
    """Passes whatever calls the right function with one argument of the right name."""
    del case
    calls = output.tool_calls or []
    return float(
        len(calls) == 1 and calls[0].name == "book" and list(calls[0].arguments) == ["city"]
    ), "looks fine"


@pytest.fixture
def audited(tmp_path: Path) -> Path:
    """An audit of a judge that misses every fault within a value."""
    fd.mutate(map(case, range(6)), out=tmp_path / "probes")
    fd.judge_function("lenient")(lenient)
    fd.audit(tmp_path / "probes", fd.judge("lenient"), out=tmp_path / "audit")
    return tmp_path / "audit"


def test_a_survivor_that_is_no_fault_is_the_probes_error_and_not_the_judges(audited: Path, tmp_path: Path):
    made = json.loads(
        fiducial("review", audited, of="survivors", by="ann", n="1000", agreements="1000", json=True).out
    )
    items = ReviewPage(Path(made["page"]).read_text()).data["items"]
    labels = {str(label.key): label for label in read_records(tmp_path / "probes" / "labels.jsonl", Verdict)}
    missed = [key for key in made["items"] if lenient_missed(labels[key], tmp_path / "probes")]
    assert (made["of"], made["n"] - made["agreements"]) == (len(missed), len(missed))
    printed = fiducial("review", audited, "--of", "survivors", "--n", "5").out
    assert f"5 of {len(missed)} planted faults that every judge but the baseline missed, drawn" in printed
    operator = labels[missed[0]].evidence["operator"]
    mine = [key for key in missed if labels[key].evidence["operator"] == operator]
    # One of them is found right, one cannot be decided; all others are faults, missed or caught.
    scores: dict[str, float | None] = dict.fromkeys(made["items"], 0.0)
    scores |= {mine[0]: 1.0, mine[1]: None}
    state = {
        "answers": {key_of(item): {"score": scores[item_id(item)], "informed": False} for item in items},
        "notes": {},
        "name": "ann",
    }
    file = tmp_path / "d.jsonl"
    file.write_text(in_node("labelLines(items, state)", items=items, state=state))
    assert fiducial("review", audited, "--add", file).code == 0
    found = fd.audit(tmp_path / "probes", fd.judge("lenient"), out=audited)
    assert found.adjudication is not None
    (operators,) = found.adjudication.judges.values()
    (each,) = [adjudicated for adjudicated in operators if adjudicated.operator == operator]
    total = sum(label.evidence["operator"] == operator for label in labels.values())
    caught = total - len(mine)
    assert (each.as_labelled.value, each.as_labelled.n) == (caught / total, total)
    assert (each.adjudicated.value, each.adjudicated.n) == (caught / (total - 2), total - 2)
    assert (each.lowest.n, each.highest.n) == (total - 1, total - 2)
    assert each.label_errors.found.value == pytest.approx(1 / total)
    assert each.label_errors.corrected.value == pytest.approx(1 / (total - 1))
    assert f"{operator} " in str(found)
    assert "labels found wrong, at least" in str(found)


def item_id(item: Mapping[str, Any]) -> str:
    return f"{item['case_id']}|{item['system']}|{item['trial']}"


def lenient_missed(label: Verdict, probes: Path) -> bool:
    outputs = {str(record.key): record for record in read_records(probes / "outputs.jsonl", fd.Output)}
    return label.evidence["plants"] == "fault" and lenient(case(0), outputs[str(label.key)])[0] == 1.0


def test_survivors_of_an_audit_of_the_baseline_alone_are_its_own(tmp_path: Path):
    fd.mutate(map(case, range(6)), out=tmp_path / "probes")
    audit = ("--judge", "tool_call_accuracy", "--model", "baseline", "--out", tmp_path / "audit")
    assert fiducial("audit", "run", tmp_path / "probes", *audit).code == 0
    printed = fiducial("review", tmp_path / "audit", "--of", "survivors", "--n", "1").out
    assert "planted faults that the baseline missed, drawn at random" in printed


def test_survivors_need_the_probes_where_they_were(audited: Path, tmp_path: Path):
    (tmp_path / "probes" / "labels.jsonl").write_text("")
    result = fiducial("review", audited, "--of", "survivors")
    assert (result.code, "is not the file that was written with these probes" in result.err) == (2, True)


def corrected(
    run: Path, tmp_path: Path, answers: dict[str, float | None], references: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Export labels after these decisions; return the corrected cases.

    Cases that are not decided keep their labels.
    """
    page = Path(asked(run, "--by", "ann", "--agreements", "100")["page"])
    file = decided(page, "ann", answers, tmp_path / "d.jsonl", why=HOSTILE, fault="reference_too_narrow")
    verdicts = [
        msgspec.structs.replace(
            record,
            evidence={
                "review": record.evidence["review"] | {"reference": (references or {})[record.case_id]}
            },
        )
        if record.case_id in (references or {})
        else record
        for record in read_records(file, Verdict)
    ]
    fd.write_records(file, verdicts)
    assert fiducial("review", run, "--add", file).code == 0
    done = fiducial("labels", "export", run, "--out", tmp_path / "patch.jsonl", "--json")
    assert (done.code, done.err) == (0, "")
    return json.loads(done.out)


def test_references_are_widened_by_what_was_found_right_and_checking_goes_by_them(run: Path, tmp_path: Path):
    made = corrected(run, tmp_path, {"c0": 1.0, "c3": 1.0})
    assert [each["case_id"] for each in made["corrections"]] == ["c0", "c3"]
    first = made["corrections"][0]
    assert first["reference"]["calls"] == [
        {"name": "book", "arguments": {"city": {"any_of": ["city0", "City no. 0"]}}}
    ]
    assert (first["by"], first["faults"], first["reason"]) == (["ann"], ["reference_too_narrow"], HOSTILE)
    inputs = (tmp_path / "cases.jsonl", "--outputs", tmp_path / "outputs.jsonl")
    patch = ("--labels-patch", tmp_path / "patch.jsonl")
    checked = fiducial("check", *inputs, *patch, "--out", tmp_path / "v.jsonl")
    assert (checked.code, f"corrected cases: {tmp_path / 'v.cases.jsonl'}" in checked.err) == (0, True)
    now = {record.case_id: record.score for record in read_records(tmp_path / "v.jsonl", Verdict)}
    assert {case for case, score in now.items() if score == 1.0 and int(case[1:]) % 3 == 0} == {"c0", "c3"}
    done = fiducial("run", *inputs, *patch, "--out", tmp_path / "again")
    assert (done.code, done.err.count("corrected cases:")) == (0, 1)
    assert fiducial("run", *inputs, *patch, "--out", tmp_path / "again").code == 0
    mended = fd.correct_cases(tmp_path / "cases.jsonl", made["corrections"])
    assert fd.check(mended[0], output(0)).score == 1.0


def test_a_reference_written_on_the_page_is_taken_when_it_says_what_was_decided(run: Path, tmp_path: Path):
    city = "elsewhere, a lone surrogate: \ud800"
    other = json.dumps({"calls": [{"name": "book", "arguments": {"city": city}}]})
    made = corrected(
        run,
        tmp_path,
        {"c1": 0.0, "c2": 0.0, "c4": 0.0},
        {"c1": other, "c2": "[]", "c4": json.dumps({"calls": []})},
    )
    assert [(each["case_id"], each["reference"]) for each in made["corrections"]] == [
        ("c1", json.loads(other))
    ]
    why = {each["item"]: each["why"] for each in made["unsaid"]}
    assert list(why) == ["c2|me|0", "c4|me|0"]
    assert all(each.startswith("the reference that was written cannot be used") for each in why.values())
    once = list(fd.correct_cases(tmp_path / "cases.jsonl", tmp_path / "patch.jsonl"))
    fd.write_records(tmp_path / "once.jsonl", once)
    back = made["corrections"][0] | {"was": reference_sha256(once[1]), "reference": case(1).reference}
    assert list(fd.correct_cases(tmp_path / "once.jsonl", [back])) == [case(n) for n in range(30)]


def test_a_decision_that_no_reference_says_is_listed_and_not_dropped(run: Path, tmp_path: Path):
    made = corrected(run, tmp_path, {"c1": 0.0, "c3": 1.0})
    assert [each["case_id"] for each in made["corrections"]] == ["c3"]
    (left,) = made["unsaid"]
    assert (left["item"], left["found"], left["why"]) == (
        "c1|me|0",
        "wrong",
        "no reference of this kind says so; write one on the review page",
    )
    shown = fiducial("labels", "export", run, "--out", tmp_path / "again.jsonl").out
    assert "1 decision against the checker that no reference expresses:\n  c1|me|0: wrong; " in shown
    assert "\x1b" not in shown


WRONG_PATCHES: list[tuple[dict[str, Any], str]] = [
    ({"case_id": "nobody"}, "1: case_id: no case has the id 'nobody'"),
    ({"was": "0" * 64}, "1: was: the reference of 'c0' in "),
    ({"reference": {"calls": "x"}}, "1: reference"),
    ({"extra": 1}, "1: "),
]


def test_a_patch_for_something_else_is_one_line_and_exit_2(run: Path, tmp_path: Path):
    corrected(run, tmp_path, {"c0": 1.0})
    patch = tmp_path / "patch.jsonl"
    right = json.loads(patch.read_text())
    inputs = (tmp_path / "cases.jsonl", "--outputs", tmp_path / "outputs.jsonl")
    for change, message in WRONG_PATCHES:
        patch.write_text(json.dumps(right | change) + "\n")
        result = fiducial("check", *inputs, "--labels-patch", patch, "--out", tmp_path / "v.jsonl")
        told = (result.code, f"{patch}:{message}" in result.err, "Traceback" in result.err)
        assert told == (2, True, False), (change, result)
        assert not (tmp_path / "v.jsonl").exists()


def test_corrected_cases_take_the_place_of_no_other_file(run: Path, tmp_path: Path):
    corrected(run, tmp_path, {"c0": 1.0})
    (tmp_path / "v.cases.jsonl").write_text("mine")
    inputs = (tmp_path / "cases.jsonl", "--outputs", tmp_path / "outputs.jsonl")
    result = fiducial("check", *inputs, labels_patch=tmp_path / "patch.jsonl", out=tmp_path / "v.jsonl")
    assert (result.code, "v.cases.jsonl: exists, and is not" in result.err) == (2, True)
    assert (tmp_path / "v.cases.jsonl").read_text() == "mine"


def test_without_decisions_there_is_nothing_to_export(run: Path, tmp_path: Path):
    result = fiducial("labels", "export", run, "--out", tmp_path / "patch.jsonl")
    assert (result.code, "no decisions yet" in result.err) == (2, True)
