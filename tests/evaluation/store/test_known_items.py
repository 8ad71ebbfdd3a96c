from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from fiducial.errors import RecordError
from fiducial.evaluation.store.journal import VerdictJournal
from fiducial.evaluation.store.kept_inputs import RunInputs
from fiducial.evaluation.store.known_items import part_test, require_known
from fiducial.evaluation.store.run_store import RunStore
from fiducial.judges.statements import JudgedStatement, statement_output
from fiducial.records import Case, ItemKey, JudgeId, Output, Verdict, write_records

pytestmark = pytest.mark.attack("run folders and files")

OUTPUTS = [
    Output(case_id="a", system="s", text=""),
    Output(case_id="a", system="s", text="", trial=1),
    Output(case_id="b", system="s", text=""),
    Output(case_id="b", system="t", text=""),
]


@pytest.fixture
def inputs(tmp_path: Path) -> RunInputs:
    write_records(tmp_path / "cases.jsonl", (Case(id=name, kind="any_call") for name in "ab"))
    write_records(tmp_path / "one.jsonl", OUTPUTS[:2])
    write_records(tmp_path / "two.jsonl", OUTPUTS[2:])
    return RunInputs((tmp_path / "cases.jsonl",), (tmp_path / "one.jsonl", tmp_path / "two.jsonl"))


@contextmanager
def journal_on(path: Path, *outputs: Output) -> Generator[VerdictJournal]:
    with VerdictJournal(path) as journal:
        for output in outputs:
            verdict = Verdict(
                case_id=output.case_id, system=output.system, by="c", source="checker", outcome="undecided"
            )
            journal.append(msgspec.structs.replace(verdict, trial=output.trial))
        journal.flush()
        yield journal


def statement_of(output: Output) -> Output:
    return statement_output(output, JudgedStatement("Rome is in Italy.", None))


@pytest.mark.parametrize("of_statements", [False, True])
def test_verdicts_are_known_only_where_the_run_has_their_outputs(
    inputs: RunInputs, tmp_path: Path, of_statements: bool
):
    those = [statement_of(output) for output in OUTPUTS] if of_statements else OUTPUTS
    fewer = inputs._replace(outputs=inputs.outputs[:1])
    message = r"verdicts\.jsonl:3: 's' has no output for case 'b', trial 0"
    with journal_on(tmp_path / "verdicts.jsonl", *those) as journal:
        require_known(journal, inputs, {"s", "t"})
        with pytest.raises(RecordError, match=message):
            require_known(journal, fewer, {"s", "t"})


@pytest.mark.parametrize("n", [0, 1, 2])
def test_outputs_without_a_verdict_are_no_problem(inputs: RunInputs, tmp_path: Path, n: int):
    with journal_on(tmp_path / "verdicts.jsonl", *OUTPUTS[:n]) as journal:
        require_known(journal, inputs, {"s", "t"})
        assert len(journal.standing) == n


@pytest.mark.parametrize(
    "key",
    [("a", "s", 2), ("b", "s", 1), ("a", "t", 0), ("a", "s", 2**62), ("b", "t", -1)],
)
@pytest.mark.parametrize("of_a_statement", [False, True])
def test_a_verdict_on_an_output_that_is_not_there_is_refused_with_its_line(
    inputs: RunInputs, tmp_path: Path, key: tuple[str, str, int], of_a_statement: bool
):
    case, system, trial = key
    other = msgspec.structs.replace(Output(case_id=case, system=system, text=""), trial=trial)
    strange = statement_of(other) if of_a_statement else other
    message = f"{system!r} has no output for case {case!r}, trial {trial}"
    with (
        journal_on(tmp_path / "verdicts.jsonl", *OUTPUTS, strange) as journal,
        pytest.raises(RecordError, match=re.escape(f"verdicts.jsonl:5: {message}")),
    ):
        require_known(journal, inputs, {"s", "t"})


def judged(case_id: str, *, combined: bool = False) -> Verdict:
    judge = JudgeId(kind="share" if combined else "shipped", name="groundedness", fingerprint="ab")
    by = "statements/share" if combined else "groundedness"
    return Verdict.on(ItemKey(case_id, "s", 0), source="judge", by=by, judge=judge, score=1.0)


@pytest.mark.parametrize("checked", [False, True])
def test_a_statement_is_a_part_and_an_output_is_none(tmp_path: Path, checked: bool):
    rows = [judged("a#1"), judged("a", combined=True), judged("b#1")]
    if checked:
        rows += [
            Verdict(case_id=case_id, system="s", by="c", source="checker", outcome="undecided")
            for case_id in ("a", "b#1")
        ]
    write_records(tmp_path / "verdicts.jsonl", rows)
    with RunStore(tmp_path) as store:
        is_part = part_test(store.verdicts.standing, store.roster)
        parts = {key.case_id for key in (verdict.key for verdict in rows) if is_part(key)}
    assert parts == {"a#1"}  # no judge combined verdicts for a case "b", so "b#1" is the id of a case
