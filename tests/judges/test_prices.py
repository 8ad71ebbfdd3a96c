from __future__ import annotations

import pytest
from each_row import each_row
from msgspec.structs import replace

from fiducial.errors import UsageError
from fiducial.judges.prices import Prices, dollars_of, listed_prices, price_list, with_dollars
from fiducial.records import NO_USAGE, Usage


def test_the_list_knows_a_common_model_and_says_so_when_it_does_not_know_one():
    known = listed_prices("gpt-4.1-mini")
    assert known is not None
    assert known.completion > known.prompt > 0
    assert listed_prices("a-model-of-my-own") is None


def test_a_price_is_for_a_million_tokens():
    assert Prices(2.0, 10.0).cost(500_000, 100_000) == 2.0


def test_the_users_price_wins_over_the_list_and_one_for_a_model_over_one_for_all():
    find = price_list(["1/2", "gpt-4.1-mini=3/4"])
    assert find("gpt-4.1-mini") == Prices(3, 4)
    assert find("gpt-4.1") == Prices(1, 2)


def test_tokens_that_the_provider_had_cached_cost_less_where_their_price_is_known():
    assert Prices(2.0, 10.0, 0.5).cost(500_000, 100_000, 400_000) == 1.4
    assert Prices(2.0, 10.0).cost(500_000, 100_000, 400_000) == 2.0
    assert price_list(["m=2/10/0.5"])("m") == Prices(2, 10, 0.5)
    known = listed_prices("gpt-4.1-mini")
    assert known is not None
    assert known.cached is not None
    assert 0 < known.cached < known.prompt


def test_no_more_tokens_are_cheaper_than_there_are():
    assert Prices(2.0, 10.0, 0.5).cost(100_000, 0, 1_000_000) == 0.05


def test_a_model_name_may_hold_what_separates_prices():
    assert price_list(["org/model=v2=0.1/0.2"])("org/model=v2") == Prices(0.1, 0.2)


@each_row("text", ["", "1", "1/", "/2", "m=1", "1/2/3/4", "1/2/x", "-1/2", "1.2.3/4", "nan/1", "1e3/2"])
def test_what_is_no_price_is_refused_with_an_example(text: str):
    with pytest.raises(UsageError, match=r"0\.4/1\.6"):
        price_list([text])


def test_tokens_cost_nothing_that_could_be_told_where_there_are_none_or_no_price_is_known():
    prices = price_list(["m=2/10/0.5"])
    assert dollars_of(prices, "m", 500_000, 100_000) == 2.0
    assert dollars_of(prices, "m", 500_000, 100_000, 400_000) == 1.4
    assert dollars_of(prices, "m", 0, 0) is None
    assert dollars_of(prices, "no-such-model-anywhere", 1, 1) is None


def test_a_usage_gets_the_dollars_of_its_tokens_unless_it_has_them():
    prices = price_list(["m=2/10/0.5"])
    usage = Usage(prompt_tokens=500_000, completion_tokens=100_000, cached_tokens=400_000)
    assert with_dollars(usage, "m", prices).dollars == 1.4
    assert with_dollars(replace(usage, dollars=0.1), "m", prices).dollars == 0.1


def test_a_usage_without_a_price_has_no_dollars():
    usage = Usage(prompt_tokens=500_000)
    assert with_dollars(usage, "m", None).dollars is None
    assert with_dollars(usage, "no-such-model-anywhere", price_list()).dollars is None
    assert with_dollars(NO_USAGE, "m", price_list(["1/2"])).dollars is None


def test_the_tokens_of_a_usage_without_a_call_cost_nothing():
    free = Usage(calls=0, prompt_tokens=500_000, cached=True)
    assert with_dollars(free, "m", price_list(["1/2"])) == free
