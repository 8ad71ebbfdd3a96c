from __future__ import annotations

import pytest
from each_row import each_row

from fiducial.errors import RecordError
from fiducial.records import NO_USAGE, Usage, Verdict, decode_record, encode_record

LINE = b'{"case_id":"c","system":"s","by":"j@m","source":"judge","outcome":"graded","score":1.0,"usage":%s}'


def test_usages_add_up_by_field():
    first = Usage(calls=2, prompt_tokens=100, completion_tokens=10, reasked=1, cached_tokens=60, retried=1)
    second = Usage(calls=1, prompt_tokens=50, completion_tokens=5, cached_tokens=20)
    total = Usage(calls=3, prompt_tokens=150, completion_tokens=15, reasked=1, cached_tokens=80, retried=1)
    assert first + second == total


def test_a_sum_counts_the_verdicts_that_came_free():
    free = Usage(calls=0, cached=True)
    assert sum([free, Usage(), free], NO_USAGE).cached == 2


def test_nothing_spent_adds_nothing():
    usage = Usage(calls=3, prompt_tokens=7, dollars=0.5)
    assert NO_USAGE + usage == usage + NO_USAGE == usage
    assert sum([], NO_USAGE) == NO_USAGE


def test_dollars_add_up_where_all_calls_have_a_price():
    assert sum([Usage(dollars=0.25), Usage(dollars=0.5)], NO_USAGE).dollars == 0.75
    assert (Usage(dollars=0.25) + Usage(calls=0, cached=True)).dollars == 0.25


def test_dollars_are_unknown_rather_than_less_where_a_call_has_no_price():
    usages = [Usage(dollars=0.25), Usage(prompt_tokens=9), Usage(dollars=0.5)]
    assert sum(usages, NO_USAGE).dollars is None
    assert sum(reversed(usages), NO_USAGE).dollars is None
    assert (NO_USAGE + NO_USAGE).dollars is None


def test_only_calls_are_paid_for():
    called = Usage(calls=1, prompt_tokens=100)
    assert called.paid == called
    assert Usage(calls=0, prompt_tokens=100, cached=True).paid == NO_USAGE


@each_row(
    "usage",
    [b'{"calls":0,"cached":true}', b'{"prompt_tokens":12,"completion_tokens":3}', b'{"calls":2,"reasked":1}'],
)
def test_verdicts_of_earlier_versions_are_read_and_written_unchanged(usage: bytes):
    verdict = decode_record(LINE % usage, Verdict)
    assert verdict.usage is not None
    assert encode_record(verdict).rstrip() == LINE % usage


def test_whether_a_reply_came_free_is_no_text():
    with pytest.raises(RecordError, match="cached"):
        decode_record(LINE % b'{"cached":"yes"}', Verdict)


@each_row(
    "usage",
    [
        b'{"cached":-3}',
        b'{"cached_tokens":-1}',
        b'{"calls":-1}',
        b'{"prompt_tokens":-5}',
        b'{"dollars":-0.5}',
    ],
)
def test_nothing_that_is_counted_is_negative(usage: bytes):
    with pytest.raises(RecordError, match=r"usage\.\w+: Expected .* >= 0"):
        decode_record(LINE % usage, Verdict)


def test_a_sum_is_read_from_a_line_as_it_was_written():
    verdict = decode_record(LINE % b'{"calls":0,"cached":2}', Verdict)
    assert verdict.usage == sum([Usage(calls=0, cached=True)] * 2, NO_USAGE)
