"""Which requests are still without a reply."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ...judges import CallError, Judge, NotApplicableError, Reply, Request, Work, make_request, read_reply

Lookup = Callable[[Request], Reply | None]
"""From a request to its reply, where there is one already."""


def open_requests(judge: Judge, work: Iterable[Work], known: Lookup) -> Iterator[Request]:
    """What a judge has to be asked still: each question once, and once more where its reply cannot be read.

    Args:
        judge: Who judges.
        work: Cases, outputs and repetitions.
        known: The replies that are there already.

    Yields:
        Requests; outputs that are alike call for the same one.

    Raises:
        PromptError: The prompt cannot be rendered.
    """
    for case, output, repeat in work:
        try:
            messages = judge.messages(case, output)
        except NotApplicableError:
            continue
        request = make_request(judge.model, messages, judge.parameters, repeat=repeat)
        reply = _reply(request, known)
        if reply is not None:
            if read_reply(reply, judge.beside(case, output)).outcome != "unparsable":
                continue
            request = make_request(judge.model, messages, judge.parameters, repeat=repeat, attempt=1)
            if _reply(request, known) is not None:
                continue
        yield request


def once(requests: Iterable[Request], asked: set[str]) -> Iterator[Request]:
    """Each request once, since providers refuse a batch that asks something twice.

    Args:
        requests: What is to be asked.
        asked: Keys of requests that are passed over; grows by what is let through.

    Yields:
        The others.
    """
    for request in requests:
        if request.key not in asked:
            asked.add(request.key)
            yield request


def _reply(request: Request, known: Lookup) -> Reply | None:
    try:
        return known(request)
    except CallError:
        return None
