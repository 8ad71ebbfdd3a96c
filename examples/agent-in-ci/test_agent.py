import fiducial as fd

from agent import answer


@fd.agent("booking")
def booking(case):
    reply = answer(case.messages)
    return fd.Output(
        case_id=case.id,
        system="booking",
        text=reply.get("text"),
        tool_calls=[fd.ToolCall(**call) for call in reply.get("tool_calls", [])] or None,
    )


def test_bookings_are_right():
    run = fd.evaluate("cases.jsonl", booking)
    fd.assert_rate(run.systems["booking"].overall, at_least=0.8)
