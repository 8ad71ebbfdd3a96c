"""Lists that Python and numpy print."""

from __future__ import annotations

import pytest

from fiducial.formats.printed_lists import printed_list

NUMPY = """[{'message.role': 'assistant', 'message.tool_calls': array([{'tool_call.id': 'a', 'tool_call.function.name': 'book',
       'tool_call.function.arguments': '{"city": "Rome"}'}
       {'tool_call.id': 'b', 'tool_call.function.name': 'book', 'tool_call.function.arguments': '{"city": "It\\'s"}'}], dtype=object)}
 {'message.role': 'user', 'message.content': '} {'}]"""


@pytest.mark.parametrize(
    "written", [NUMPY, NUMPY.replace("}\n", "},\n").replace("array(", "").replace(", dtype=object)", "")]
)
def test_a_list_that_python_or_numpy_printed_is_read(written: str):
    first, second = printed_list(written) or []
    assert [call["tool_call.id"] for call in first["message.tool_calls"]] == ["a", "b"]
    assert second["message.content"] == "} {"


@pytest.mark.parametrize(
    "text", ["[{'a': f()}]", "[{'a': 1}", "{'a': 1}", "[" * 5000, "[{'a': 1}" + " " * 1_000_000 + "]"]
)
def test_text_that_is_no_printed_list_is_none(text: str):
    assert printed_list(text) is None
