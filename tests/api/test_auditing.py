"""`fd.mutate` and `fd.audit`: probes in memory or in a folder, and judges asked about them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import fiducial as fd
from fiducial.data import demo_path
from fiducial.errors import InputError, UsageError
from fiducial.report.document import as_lines

FILES = demo_path("cases.jsonl"), demo_path("outputs.jsonl")


@pytest.fixture(scope="module")
def operators() -> list[str]:
    """Two operators that apply to the built-in suite, as its first cases say."""
    first = [case for case, _ in zip(fd.read_records(FILES[0], fd.Case), range(12), strict=False)]
    return [operator.name for operator in fd.mutate(first).manifest.operators][:2]


@pytest.fixture(autouse=True)
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with nothing in it."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_an_audit_in_memory_writes_nothing(empty: Path, operators: list[str]):
    probes = fd.mutate(*FILES, only=operators)
    found = fd.audit(probes, "tool_call_accuracy", model="baseline", sample=5)
    assert found.judges
    assert list(empty.iterdir()) == []


def test_an_audit_in_a_folder_finds_the_same(empty: Path, operators: list[str]):
    fd.mutate(*FILES, only=operators, out="probes")
    in_memory = fd.audit(fd.mutate(*FILES, only=operators), "tool_call_accuracy", model="baseline", sample=5)
    judge = fd.judge("tool_call_accuracy", model="baseline")
    assert fd.audit("probes", judge, sample=5, out="audit") == in_memory
    assert (empty / "audit" / "audit.json").exists()


def test_it_works_inside_a_running_loop(operators: list[str]):
    async def notebook() -> int:
        probes = fd.mutate(*FILES, only=operators)
        return len(fd.audit(probes, "tool_call_accuracy", model="baseline", sample=2).judges)

    assert asyncio.run(notebook()) == 1


def test_an_operator_that_is_none_is_refused_by_name():
    with pytest.raises(UsageError, match="only=typo: no such operator; there are"):
        fd.mutate(*FILES, only=["typo"])


def test_a_judge_all_of_whose_verdicts_failed_has_no_findings(operators: list[str]):
    def broken(output: str, expected: str) -> float:
        raise ZeroDivisionError("division by zero")

    judge = fd.judge_from(broken, name="zz")
    found = fd.audit(fd.mutate(*FILES, only=operators), judge, sample=2)
    said = "zz/metric graded nothing: all verdicts failed, most common: ZeroDivisionError: division by zero."
    text, screen = str(found).splitlines(), as_lines(found.screen())
    assert text[0] == said
    assert not any(line.strip().startswith(("found:", "comparison")) for line in text)
    assert " ".join(screen) == said


def test_what_are_no_probes_is_refused(empty: Path):
    with pytest.raises(InputError, match="not a folder of probes"):
        fd.audit(empty, "tool_call_accuracy", model="baseline")
