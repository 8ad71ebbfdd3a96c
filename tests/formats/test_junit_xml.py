"""JUnit XML of test runners: what each test becomes, and XML that is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from each_row import each_row

import fiducial as fd
from fiducial.errors import InputError

PYTEST = Path(__file__).parent / "samples/junit/pytest.xml"


def xml(folder: Path, *tests: str) -> Path:
    path = folder / "tests.xml"
    path.write_text(f"<testsuites><testsuite name='s'>{''.join(tests)}</testsuite></testsuites>", "utf-8")
    return path


def grades(path: Path) -> dict[tuple[str, int], float | None]:
    return {(verdict.case_id, verdict.trial): verdict.score for verdict in fd.read(path).verdicts}


def test_results_of_pytest_are_read_test_by_test():
    reading = fd.read(PYTEST)
    scores = {verdict.case_id: verdict.score for verdict in reading.verdicts}
    assert reading.format == "junit"
    assert scores == {
        **dict.fromkeys([f"test_agent::test_ok[{n}]" for n in ("1", "2", "a|b", "x<y>&\"'")], 1.0),
        "test_agent::test_bad": 0.0,
        "test_agent::test_broken": 0.0,
        "test_agent::test_both": 0.0,
        "test_agent::test_late": 0.0,
        "test_agent::test_skip": None,
        "test_agent::test_xfail": None,
        "test_agent::test_xpass": 0.0,
        "test_agent.TestA::test_ok": 1.0,
    }
    assert {verdict.source for verdict in reading.verdicts} == {"checker"}
    assert "expected 2" in str(reading.verdicts[4].reason)
    assert [skipped.reason for skipped in reading.skipped] == [
        "test_agent::test_both stands 2 times: read as one test that fails if any of them does"
    ]


def test_properties_are_tags_by_which_tests_are_gated():
    gate = fd.gate(PYTEST, minimum=["risk=high:overall=0.3", "overall=0.9"], no_new_failures=["risk=high"])
    assert [check.answer for check in gate.checks] == ["passes", "fails", "passes"]
    assert (gate.outputs, gate.graded) == (12, 10)


def test_two_files_are_compared_test_by_test(tmp_path: Path):
    was = [f"<testcase classname='t' name='{n}'/>" for n in range(40)]
    now = [
        each if n < 10 else each.replace("/>", "><failure message='no'/></testcase>")
        for n, each in enumerate(was)
    ]
    (tmp_path / "a").mkdir()
    gate = fd.gate(xml(tmp_path, *now), xml(tmp_path / "a", *was))
    assert (gate.answer, len(gate.broke), gate.broke[0].by) == ("fails", 30, "junit")


def test_a_test_skipped_in_both_files_is_told_once_for_each(tmp_path: Path):
    tests = [f"<testcase classname='t' name='{n}'/>" for n in range(20)]
    skipped = "<testcase classname='t' name='s'><skipped/></testcase>"
    (tmp_path / "a").mkdir()
    both = fd.gate(xml(tmp_path, *tests, skipped), xml(tmp_path / "a", *tests, skipped)).checks[0]
    assert "1 ungraded before and 1 ungraded after" in both.why
    assert both.would_tell == "grades of the 2 ungraded outputs, 1 before and 1 after"
    one = fd.gate(
        xml(tmp_path, *tests, skipped), xml(tmp_path / "a", *tests, skipped.replace("<skipped/>", ""))
    )
    assert one.checks[0].would_tell == "grades of the 1 ungraded output, 1 after"


@each_row(
    ("test", "scores"),
    [
        ("<testcase name='a'/>", {("a", 0): 1.0}),
        ("<testcase name='a' file='f.py'/>", {("f.py::a", 0): 1.0}),
        ("<testcase name='a'><error>crashed</error></testcase>", {("a", 0): 0.0}),
        ("<testcase name='a'><skipped/></testcase>", {("a", 0): None}),
        ("<testcase name='a'/><testcase name='a'><failure/></testcase>", {("a", 0): 0.0}),
        ("<testcase name='a'><failure/></testcase><testcase name='a'/>", {("a", 0): 0.0}),
        ("<testcase name='a'><skipped/></testcase><testcase name='a'/>", {("a", 0): 1.0}),
        ("<testcase name='a'><flakyFailure message='x'/></testcase>", {("a", 0): 0.0, ("a", 1): 1.0}),
        (
            "<testcase name='a'><flakyError/></testcase><testcase name='a'><flakyError/></testcase>",
            {("a", 0): 0.0, ("a", 1): 0.0, ("a", 2): 1.0},
        ),
        ("<testcase name='a'><failure/><rerunFailure/></testcase>", {("a", 0): 0.0, ("a", 1): 0.0}),
        ("<testcase name='a'><system-out><![CDATA[<failure/>]]></system-out></testcase>", {("a", 0): 1.0}),
    ],
)
def test_an_element_says_whether_its_test_passed(
    tmp_path: Path, test: str, scores: dict[tuple[str, int], float | None]
):
    assert grades(xml(tmp_path, test)) == scores


def test_a_suite_may_be_the_root_and_have_any_encoding(tmp_path: Path):
    path = tmp_path / "results"
    text = "<?xml version='1.0' encoding='utf-16'?><testsuite><testcase name='\u00e9'/></testsuite>"
    path.write_bytes(text.encode("utf-16"))
    assert grades(path) == {("\u00e9", 0): 1.0}


BOMB = "<!DOCTYPE testsuites [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;'>]>"
OUTSIDE = "<!DOCTYPE testsuites [<!ENTITY a SYSTEM 'file:///etc/passwd'>]>"


@each_row(
    ("text", "problem"),
    [
        (f"{BOMB}<testsuites><testcase name='&b;'/></testsuites>", "document type"),
        (
            f"{OUTSIDE}<testsuites><testcase name='a'><failure>&a;</failure></testcase></testsuites>",
            "document type",
        ),
        ("<!DOCTYPE testsuites SYSTEM 'http://127.0.0.1/x.dtd'><testsuites/>", "document type"),
        ("<testsuites><testcase name='&a;'/></testsuites>", "undefined entity"),
        ("<testsuites><testcase name='a'>", "no element found"),
        ("<testsuites><testcase/></testsuites>", "without a name"),
        (f"<testsuites>{'<x>' * 60}{'</x>' * 60}</testsuites>", "nested"),
        ("<html><testsuites/></html>", "got 'html'"),
    ],
)
def test_xml_that_no_test_runner_writes_is_refused(tmp_path: Path, text: str, problem: str):
    path = tmp_path / "tests.xml"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match=problem):
        fd.read(path)


def test_long_texts_are_cut_and_names_kept(tmp_path: Path):
    path = xml(
        tmp_path,
        f"<testcase name='a'><failure message='{'m' * 100_000}'>{'t' * 100_000}</failure></testcase>",
    )
    [verdict] = fd.read(path).verdicts
    assert len(verdict.reason or "") == 2_000


@each_row(
    ("state", "score"),
    [
        ("status='notrun' result='suppressed'", None),
        ("status='run' result='skipped'", None),
        ("status='disabled'", None),
        ("status='fail'", 0.0),
        ("status='Failed'", 0.0),
        ("status='notrun' result='error'", 0.0),
        ("status='run' result='completed'", 1.0),
        ("status='passed'", 1.0),
        ("status='something else'", 1.0),
    ],
)  # fmt: skip
def test_a_state_that_is_an_attribute_alone_counts(
    state: str, score: float | None, tmp_path_factory: pytest.TempPathFactory
):
    path = xml(tmp_path_factory.mktemp("junit"), f"<testcase classname='t' name='a' {state}/>")
    assert grades(path) == {("t::a", 0): score}


def test_what_an_element_says_of_a_failure_is_its_reason(tmp_path: Path):
    path = xml(tmp_path, "<testcase name='a' status='fail'><failure message='expected 2'/></testcase>")
    assert [verdict.reason for verdict in fd.read(path).verdicts] == ["expected 2"]


def test_a_tag_that_a_branch_dropped_still_counts_for_a_minimum(tmp_path: Path):
    tag = "<properties><property name='risk' value='high'/></properties>"
    was = [f"<testcase name='{n}'>{tag}</testcase>" for n in range(40)]
    now = [f"<testcase name='{n}'><failure/></testcase>" if n < 20 else was[n] for n in range(40)]
    before, after = (tmp_path / name for name in ("before", "after"))
    for folder, tests in ((before, was), (after, now)):
        folder.mkdir()
        xml(folder, *tests)
    minimum = ["risk=high:overall=0.8"]
    assert fd.gate(xml(after, *now), minimum=minimum).answer == "passes"
    gate = fd.gate(xml(after, *now), xml(before, *was), minimum=minimum)
    assert [check.answer for check in gate.checks] == ["fails"]
