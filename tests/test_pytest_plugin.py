"""The pytest plugin, as a project of the user's has it."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from typing import TypeAlias

import pytest
from provider_server import ProviderServer, in_the_form_asked_for

import fiducial as fd

Run: TypeAlias = Callable[..., pytest.RunResult]

PROMPT = """\
---
name: polite
scale: {minimum: 0, maximum: 1}
inputs:
  query: {type: string}
  response: {type: string}
---
system:
Is the answer polite? 1 or 0, and nothing else.

user:
{{query}}
{{response}}
"""

TEST = """
def test_refund(judge_from_cassette):
    judge = judge_from_cassette("polite.prompty", model="m", base_url=%r, api_key="k", cache=False)
    verdict = judge(query="Where is my money?", response="On its way, dear customer.")
    assert verdict.score == 1.0
"""


@pytest.fixture
def own_process() -> bool:
    """Return whether the project's tests run in a process of their own."""
    return False


@pytest.fixture
def project(
    pytester: pytest.Pytester, server: ProviderServer, monkeypatch: pytest.MonkeyPatch, own_process: bool
) -> Run:
    """Return a project with one test that uses a judge, with the plugin as installed."""
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    server.script = in_the_form_asked_for()
    pytester.makeini("[pytest]")
    pytester.mkdir("tests")
    (pytester.path / "tests" / "polite.prompty").write_text(PROMPT)
    (pytester.path / "tests" / "test_refund.py").write_text(TEST % server.base_url)
    known = any(point.value == "fiducial.pytest_plugin" for point in entry_points(group="pytest11"))
    loaded = () if known else ("-p", "fiducial.pytest_plugin")
    run = pytester.runpytest_subprocess if own_process else pytester.runpytest_inprocess
    return lambda *args: run(*loaded, "-p", "no:cacheprovider", *args)


def cassette(pytester: pytest.Pytester) -> Path:
    return pytester.path / "tests" / "cassettes" / "test_refund.jsonl"


def test_what_was_recorded_once_is_answered_without_a_model_from_then_on(
    project: Run, pytester: pytest.Pytester, server: ProviderServer
):
    project("--fiducial-record").assert_outcomes(passed=1)
    assert (len(server.seen), len(cassette(pytester).read_text().splitlines())) == (1, 1)
    project().assert_outcomes(passed=1)
    project("--fiducial-record").assert_outcomes(passed=1)
    assert (len(server.seen), len(cassette(pytester).read_text().splitlines())) == (1, 1)


def test_a_deleted_cassette_is_recorded_from_the_model_not_from_the_reply_cache(
    project: Run, pytester: pytest.Pytester, server: ProviderServer
):
    cached = (TEST % server.base_url).replace(
        "cache=False", f"cache={str(pytester.path / 'replies.sqlite')!r}"
    )
    (pytester.path / "tests" / "test_refund.py").write_text(cached)
    project("--fiducial-record").assert_outcomes(passed=1)
    cassette(pytester).unlink()
    project("--fiducial-record").assert_outcomes(passed=1)
    assert len(server.seen) == 2


def test_a_changed_prompt_fails_and_the_question_is_named(
    project: Run, pytester: pytest.Pytester, server: ProviderServer
):
    project("--fiducial-record")
    (pytester.path / "tests" / "polite.prompty").write_text(PROMPT.replace("polite?", "very polite?"))
    result = project()
    result.assert_outcomes(failed=1)
    told = (
        """polite/custom@m about 'call' "Where is my money?" "On its way, dear customer.": """
        "*tests/cassettes/test_refund.jsonl holds no reply to this question: prompt, model, parameters or item are new; "
        "record it with `pytest --fiducial-record`"
    )
    result.stdout.fnmatch_lines([told])
    assert "direct cause" not in result.stdout.str()
    assert len(server.seen) == 1


def test_without_a_cassette_nothing_is_asked_and_the_test_fails(project: Run, server: ProviderServer):
    result = project()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*: no cassette *test_refund.jsonl; record it with `pytest --fiducial-record`"]
    )
    assert server.seen == []


def test_in_a_ci_nothing_is_ever_asked(project: Run, server: ProviderServer, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CI", "true")
    result = project("--fiducial-record")
    assert (result.ret, server.seen) == (pytest.ExitCode.USAGE_ERROR, [])
    result.stderr.fnmatch_lines(["*--fiducial-record: no recording in CI*"])


@pytest.mark.slow
@pytest.mark.parametrize("own_process", [True])
def test_workers_record_into_one_file_and_answer_from_it(
    project: Run, pytester: pytest.Pytester, server: ProviderServer
):
    test = TEST % server.base_url
    more = (test.replace("test_refund", f"test_{n}").replace("money?", f"money {n}?") for n in range(6))
    (pytester.path / "tests" / "test_refund.py").write_text("\n".join(more))
    project("-n", "2", "--fiducial-record").assert_outcomes(passed=6)
    assert (len(server.seen), len(cassette(pytester).read_text().splitlines())) == (6, 6)
    project("-n", "2").assert_outcomes(passed=6)
    assert len(server.seen) == 6


def test_a_cassette_may_have_another_name_and_be_elsewhere(
    project: Run, pytester: pytest.Pytester, server: ProviderServer
):
    pytester.makeini("[pytest]\nfiducial_cassettes = kept")
    test = (TEST % server.base_url).replace('"polite.prompty", ', '"polite.prompty", "refunds", ')
    (pytester.path / "tests" / "test_refund.py").write_text(test)
    project("--fiducial-record").assert_outcomes(passed=1)
    assert (pytester.path / "kept" / "refunds.jsonl").exists()


@pytest.mark.parametrize("asking", [(), ("--fiducial-record",)], ids=["replayed", "recorded"])
def test_options_are_those_of_judge_with_or_without_a_model_to_ask(
    project: Run, pytester: pytest.Pytester, server: ProviderServer, asking: tuple[str, ...]
):
    test = (TEST % server.base_url).replace("cache=False", "temprature=1")
    (pytester.path / "tests" / "test_refund.py").write_text(test)
    result = project(*asking)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *UsageError: fd.judge has no argument temprature=; see help(fd.judge)*"])
    assert server.seen == []


@pytest.mark.parametrize("own_process", [True])
def test_starting_pytest_imports_nothing_of_ours_that_is_heavy(project: Run, pytester: pytest.Pytester):
    heavy = (
        "openai",
        "numpy",
        "pandas",
        "jinja2",
        "aiohttp",
        "msgspec",
        "promptflow",
        "fiducial.api",
        "fiducial.judges",
    )
    (pytester.path / "tests" / "test_refund.py").write_text(
        "import sys\n\ndef test_start():\n"
        "    assert 'fiducial.pytest_plugin' in sys.modules\n"
        f"    assert [name for name in {heavy!r} if name in sys.modules] == []\n"
    )
    project("-p", "no:anyio", "-p", "no:hypothesispytest").assert_outcomes(passed=1)


GATED = """
import pytest

pytestmark = pytest.mark.fiducial_gate(minimum={"overall": 0.5})


def test_passes(fiducial_gate):
    fiducial_gate("results.xml")


@pytest.mark.fiducial_gate(minimum={"overall": 0.95})
def test_cannot_tell(fiducial_gate):
    fiducial_gate("results.xml")


@pytest.mark.fiducial_gate(minimum={"overall": 0.95}, cannot_tell="pass")
def test_may_pass(fiducial_gate):
    fiducial_gate("results.xml")


def test_fails(fiducial_gate):
    fiducial_gate("worse.xml", "results.xml", minimum={}, max_drop=0.1, cannot_tell="pass")
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return results of tests by name of a file.

    They are gated once, because numpy loads once: pytester drops all modules that are new since it began.
    """
    texts: dict[str, str] = {}
    for name, inside in (("results.xml", ""), ("worse.xml", "<failure/>")):
        tests = "".join(f"<testcase name='t{n}'>{inside}</testcase>" for n in range(40))
        texts[name] = f"<testsuite>{tests}</testsuite>"
    folder = tmp_path_factory.mktemp("results")
    for name, text in texts.items():
        (folder / name).write_text(text)
    gate = fd.gate(folder / "worse.xml", folder / "results.xml", minimum={"overall": 0.95}, max_drop=0.1)
    assert gate.answer == "fails"
    return texts


def test_a_marker_gives_the_limits_of_a_gate(
    results: dict[str, str], project: Run, pytester: pytest.Pytester
):
    for name, text in results.items():
        (pytester.path / name).write_text(text)
    (pytester.path / "tests" / "test_gate.py").write_text(GATED)
    result = project("--strict-markers", "tests/test_gate.py")
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(
        ["*Cannot tell: logged: min overall=0.95*", "*Fails: logged: max drop 0.1: -1.0000*"]
    )
