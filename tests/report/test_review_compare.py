from __future__ import annotations

from fiducial.records import Case, Output, ToolCall
from fiducial.report.review_compare import compared


def case_of(*calls: object) -> Case:
    return Case(id="c", kind="tool_call", reference={"calls": list(calls)})


def output_of(*calls: ToolCall) -> Output:
    return Output(case_id="c", system="s", tool_calls=list(calls))


def test_calls_of_one_function_in_another_order_are_compared_with_the_ones_like_them():
    case = case_of({"book": {"city": ["Rome"]}}, {"book": {"city": ["Oslo"]}})
    output = output_of(
        ToolCall(name="book", arguments={"city": "Oslo"}), ToolCall(name="book", arguments={"city": "Rome"})
    )
    lines = compared(case, output)
    assert [(line.what, line.expected, line.got) for line in lines] == [
        ("call", "book", "book"),
        ("city", '"Rome"', '"Rome"'),
        ("call", "book", "book"),
        ("city", '"Oslo"', '"Oslo"'),
    ]
    assert not any(line.differs for line in lines)


def test_a_call_that_is_missing_and_one_too_many_are_named():
    case = case_of({"book": {"city": ["Rome"]}})
    lines = compared(case, output_of(ToolCall(name="cancel", arguments={})))
    assert [(line.expected, line.got, line.differs) for line in lines] == [
        ("book", "(not called)", True),
        ("(none)", "cancel", True),
    ]
