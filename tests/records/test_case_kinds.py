"""Kinds of case: one table, parts that load, and users' kinds beside them."""

from __future__ import annotations

import subprocess
import sys
from itertools import product
from pathlib import Path

import msgspec
from each_row import each_row
from source_tree import OTHER_MEANINGS, ROOT, kinds_meant, kinds_named

import fiducial as fd
from fiducial.judges.catalogue import JUDGED_KINDS
from fiducial.records import KINDS, KindSpec, RowContents, is_kind, kind_of_row, kind_spec, load_function
from fiducial.records.case import NoReference


@each_row("spec", KINDS.values())
def test_the_parts_of_a_kind_can_be_loaded(spec: KindSpec):
    named = [name for name in (spec.checker, spec.validate_reference, spec.right) if name is not None]
    assert all(callable(load_function(name)) for name in named)
    assert (spec.checked_by is None) is (spec.checker is None)


def test_every_kind_has_one_judge():
    assert sorted(kind for kinds in JUDGED_KINDS.values() for kind in kinds) == sorted(KINDS)


def test_a_users_kind_is_described_as_those_that_come_along():
    class Query(msgspec.Struct):
        query: str

    def passes(case: fd.Case, output: fd.Output) -> bool:
        return case.id == output.case_id

    fd.checker("sql_described", reference=Query)(passes)
    assert (is_kind("sql_described"), kind_spec("sql_described").reference) == (True, Query)
    fd.checker("sql_described")(passes)
    assert kind_spec("sql_described") == KindSpec(name="sql_described")
    assert kind_spec("never heard of").family == "custom"


def test_at_most_three_files_name_a_kind():
    assert {kind: files for kind, files in kinds_meant().items() if len(files) > 3} == {}


def test_words_for_kinds_that_mean_something_else_still_stand_where_they_are_listed():
    named = {kind: {str(path.relative_to(ROOT)) for path in files} for kind, files in kinds_named().items()}
    assert all(files <= named[kind] for kind, files in OTHER_MEANINGS.items())


def test_only_kinds_without_named_calls_say_whether_a_call_is_due():
    told = {name: spec.call for name, spec in KINDS.items() if spec.call is not None}
    assert told == {"no_call": "none", "any_call": "any"}
    assert all(KINDS[name].reference is NoReference for name in told)


@each_row(
    ("held", "kind"),
    [
        ("expected_calls criterion accepted_answers calls_made context", "tool_call"),
        ("criterion accepted_answers calls_made context", "open_answer"),
        ("accepted_answers calls_made context", "web_search_answer"),
        ("accepted_answers calls_made", "memory_answer"),
        ("calls_made context", "any_call"),
        ("context", "grounded_answer"),
        ("", "open_answer"),
    ],
)
def test_the_most_decisive_content_of_a_row_makes_its_kind(held: str, kind: str):
    assert kind_of_row(RowContents(**dict.fromkeys(held.split(), True))) == kind


def test_every_row_makes_a_case_of_some_kind_and_no_two_kinds_ask_for_the_same():
    asked = [row for spec in KINDS.values() for row in spec.rows]
    assert len(set(asked)) == len(asked)
    assert {kind_of_row(RowContents(*held)) for held in product([False, True], repeat=5)} <= KINDS.keys()


def test_plain_kinds_are_made_by_rows_without_a_reference():
    assert {name for name, spec in KINDS.items() if spec.plain} == {
        "any_call",
        "grounded_answer",
        "open_answer",
    }


_NEW_KIND = """
from msgspec.structs import replace

from fiducial.records import KINDS

KINDS["translation"] = replace(KINDS["memory_answer"], name="translation", rows=())

import fiducial as fd

messages = [{"role": "user", "content": "Translate Haus."}]
case = fd.Case(id="a", kind="translation", messages=messages, reference={"answers": ["house"]})
output = fd.Output(case_id="a", system="s", text="house")
print(fd.check(case, output).score)
run = fd.evaluate([case], [output], judges=["memory_answer@baseline"], judge_on="all")
print(sorted((verdict.by, verdict.score) for verdict in run.verdicts))
print({probe.family for probe in fd.mutate([case]).manifest.operators})
"""


def test_a_new_kind_is_checked_judged_and_mutated_by_its_entry_alone(tmp_path: Path):
    ended = subprocess.run(
        [sys.executable, "-c", _NEW_KIND], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ended.stdout.splitlines() == [
        "1.0",
        "[('answer/strict', 1.0), ('memory_answer/lexical@baseline', 1.0)]",
        "{'answer'}",
    ], ended.stderr
