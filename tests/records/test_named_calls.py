from __future__ import annotations

import json
from typing import Any

import pytest

from fiducial.errors import RecordError
from fiducial.records import Output, ToolCall, decode_record

OUTPUT = {"case_id": "c", "system": "s"}
CALL = ToolCall(name="get_weather", arguments={"city": "Haifa"})


def read(**fields: Any) -> Output:
    return decode_record(json.dumps({**OUTPUT, **fields}).encode(), Output)


def test_calls_may_be_written_as_a_name_with_arguments():
    assert read(tool_calls=[{"get_weather": {"city": "Haifa"}}]).tool_calls == [CALL]
    turns = [[[{"get_weather": {"city": "Haifa"}}], "Sunny."], [[{"name": "get_weather"}]]]
    assert read(turns=turns).turns == [[[CALL], "Sunny."], [[ToolCall(name="get_weather")]]]


@pytest.mark.parametrize(
    "calls", [[{"a": {}, "b": {}}], [{"a": 1}], [{"nam": "a"}], {"a": {}}, [{"function": {}}]]
)
def test_other_calls_are_refused_as_before(calls: Any):
    with pytest.raises(RecordError, match="tool_calls"):
        read(tool_calls=calls)
