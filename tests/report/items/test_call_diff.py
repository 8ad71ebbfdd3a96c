from __future__ import annotations

from typing import Any

from each_row import each_row

from fiducial.deterministic import CheckOptions, check
from fiducial.records import Case, Output, ToolCall
from fiducial.report.items.call_diff import CallDiff, call_diffs

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": "",
            "parameters": {
                "type": "object",
                "properties": {
                    "city": {"type": "string"},
                    "nights": {"type": "integer"},
                    "note": {"type": "string"},
                },
                "required": ["city"],
            },
        },
    }
    for name in ("book", "cancel")
]


def case(*calls: dict[str, Any]) -> Case:
    return Case(id="c", kind="tool_call", messages=[{"role": "user", "content": "?"}], tools=TOOLS, reference={"calls": list(calls)})  # fmt: skip


def output(*calls: tuple[str, dict[str, Any]]) -> Output:
    made = [ToolCall(name=name, arguments=arguments) for name, arguments in calls]
    return Output(case_id="c", system="s", tool_calls=made)


def fits(diff: CallDiff) -> dict[str, bool]:
    return {argument.name: argument.fits for argument in diff.arguments}


ROME = {"book": {"city": ["Rome", "Roma"], "nights": [2, ""]}}
OSLO = {"book": {"city": ["Oslo"], "nights": [3]}}


def test_an_accepted_call_fits_argument_by_argument():
    (diff,) = call_diffs(case(ROME), output(("book", {"city": "Roma"})))
    assert diff.fits
    assert fits(diff) == {"city": True, "nights": True}


def test_every_argument_that_differs_is_told_not_the_first_alone():
    (diff,) = call_diffs(case(ROME), output(("book", {"city": "Romme", "nights": 5, "note": "x"})))
    assert fits(diff) == {"city": False, "nights": False, "note": False}
    city, _, note = diff.arguments
    assert (city.given.value if city.given else None, city.accepted) == ("Romme", ["Rome", "Roma"])
    assert note.accepted is None


def test_what_is_left_out_and_has_to_be_given_differs():
    (diff,) = call_diffs(case(OSLO), output(("book", {"city": "Oslo"})))
    assert fits(diff) == {"city": True, "nights": False}
    assert diff.arguments[1].given is None


def test_each_call_stands_beside_the_accepted_call_nearest_to_it_whatever_the_order():
    made = output(("book", {"city": "Oslo", "nights": 4}), ("book", {"city": "Rome", "nights": 2}))
    first, second = call_diffs(case(ROME, OSLO), made)
    assert fits(first) == {"city": True, "nights": False}
    assert second.fits


def test_calls_too_many_and_calls_that_are_missing_are_told():
    made = output(("book", {"city": "Rome"}), ("cancel", {"city": "Rome"}))
    first, extra = call_diffs(case(ROME), made)
    assert first.fits
    assert (extra.made, extra.accepted) == ("cancel", None)
    right, missing = call_diffs(case(ROME, OSLO), output(("book", {"city": "Rome"})))
    assert right.fits
    assert (missing.made, missing.accepted, [argument.name for argument in missing.arguments]) == (
        None,
        "book",
        ["city", "nights"],
    )


def test_another_function_is_beside_the_one_that_is_accepted():
    (diff,) = call_diffs(case(ROME), output(("cancel", {"city": "Rome"})))
    assert (diff.made, diff.accepted) == ("cancel", "book")
    assert not diff.fits
    assert fits(diff)["city"]


@each_row(
    "made",
    [
        [("book", {"city": "Rome"})],
        [("book", {"city": "Rome", "nights": "2"})],
        [("book", {"nights": 2})],
        [("book", {"city": None})],
        [("cancel", {"city": "Rome"})],
        [("book", {"city": "rome"})],
        [],
        [("book", {"city": "Rome"}), ("book", {"city": "Rome"})],
    ],
)
def test_calls_fit_exactly_where_the_strict_checker_passes_them(made: list[tuple[str, dict[str, Any]]]):
    found = call_diffs(case(ROME), output(*made))
    verdict = check(case(ROME), output(*made), CheckOptions(rules="strict"))
    assert all(diff.fits for diff in found) == (verdict.score == 1.0)


def test_what_is_no_call_or_asks_for_none_has_no_rows():
    assert call_diffs(case(ROME), Output(case_id="c", system="s", text="I cannot do that.")) == []
    assert call_diffs(Case(id="c", kind="open_answer", messages=[]), output(("book", {}))) == []
    assert call_diffs(case(ROME), Output(case_id="c", system="s", error="crashed")) == []
    assert call_diffs(case(ROME), output(*[("book", {"city": "Rome"})] * 60)) == []
    assert call_diffs(case({"unknown": {}}), output(("book", {}))) == []
