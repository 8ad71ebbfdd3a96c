"""Records in memory are read by the same rules as files, and errors name the record."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from fiducial.errors import InputError, RecordError
from fiducial.records import Case, CaseIndex, Output, memory_file, read_records

_CASE: dict[str, Any] = {"id": "a", "kind": "open_answer", "reference": {"criterion": "It is short."}}


def test_records_and_mappings_are_read_alike():
    case = Case(id="a", kind="open_answer", reference={"criterion": "It is short."})
    assert list(read_records(memory_file("cases", [case, _CASE | {"id": "b"}]), Case)) == [
        case,
        Case(id="b", kind="open_answer", reference={"criterion": "It is short."}),
    ]


def test_a_bad_record_is_named_by_its_number_and_field():
    with pytest.raises(RecordError, match=r"^cases:2: reference"):
        list(read_records(memory_file("cases", [_CASE, _CASE | {"reference": {}}]), Case))


def test_an_id_that_comes_twice_is_refused_as_in_a_file():
    with pytest.raises(RecordError, match="cases:2: id: the id 'a' is already on line 1"):
        CaseIndex(memory_file("cases", [_CASE, _CASE]))


def test_numbers_of_numpy_are_numbers():
    output = {"case_id": "a", "system": "s", "trial": np.int64(3)}
    assert next(read_records(memory_file("outputs", [output]), Output)).trial == 3


@pytest.mark.parametrize("record", [5, "text", None, ["a"]])
def test_what_is_no_record_is_refused(record: Any):
    with pytest.raises(RecordError, match="outputs:1: expected a record or a mapping"):
        memory_file("outputs", [record])


def test_a_value_without_a_form_in_json_is_refused():
    with pytest.raises(RecordError, match="outputs:1: cannot be written as JSON"):
        memory_file("outputs", [{"case_id": "a", "system": "s", "text": object()}])


def test_lone_surrogates_survive():
    output = Output(case_id="a", system="s", text="\ud800")
    assert list(read_records(memory_file("outputs", [output]), Output)) == [output]


def test_an_error_about_it_can_be_sent_to_another_process():
    error = InputError("no", path=memory_file("cases", [_CASE]), line=1)
    assert str(pickle.loads(pickle.dumps(error))) == "cases:1: no"
