"""The social network of one user."""

from __future__ import annotations

from typing import Any

import pytest
from each_row import each_row

from fiducial.deterministic.environments.posts import TwitterAPI

TWEET = {"id": 7, "username": "ann", "content": "Hello world", "tags": ["#News"], "mentions": []}


def network(**config: Any) -> TwitterAPI:
    world = TwitterAPI()
    world.load(
        {"username": "ann", "password": "secret", "tweets": {"7": TWEET}, "tweet_counter": 8, **config}
    )
    return world


def test_a_failed_login_does_not_log_out() -> None:
    world = network()
    assert world.posting_get_login_status() == {"login_status": False}
    assert world.authenticate_twitter("ann", "secret") == {"authentication_status": True}
    assert world.authenticate_twitter("ann", "wrong") == {"authentication_status": False}
    assert world.posting_get_login_status() == {"login_status": True}


@each_row(
    ("method", "arguments", "doing"),
    [
        ("post_tweet", ("hi",), "posting"),
        ("retweet", (7,), "retweeting"),
        ("comment", (7, "hi"), "commenting"),
        ("follow_user", ("ben",), "following"),
        ("unfollow_user", ("alice",), "unfollowing"),
        ("list_all_following", (), "listing following"),
    ],
)
def test_writing_needs_a_login(method: str, arguments: tuple[Any, ...], doing: str) -> None:
    answer = getattr(network(), method)(*arguments)
    assert answer == {"error": f"User not authenticated. Please authenticate before {doing}."}


def test_a_tweet_gets_the_next_number() -> None:
    world = network(authenticated=True)
    tweet = {"id": 8, "username": "ann", "content": "hi", "tags": ["#a"], "mentions": ["@ben"]}
    assert world.post_tweet("hi", ["#a"], ["@ben"]) == tweet
    assert world.get_tweet(8) == tweet
    assert world.state()["tweet_counter"] == 9


def test_tweets_without_mentions_share_the_later_ones() -> None:
    world = network(authenticated=True)
    world.post_tweet("first")
    world.post_tweet("apart", mentions=[])
    world.mention(8, ["@ben"])
    assert world.post_tweet("second")["mentions"] == ["@ben"]
    assert world.get_tweet(9)["mentions"] == []


def test_the_sharing_ends_with_the_instance() -> None:
    one, other = network(authenticated=True), network(authenticated=True)
    one.post_tweet("first")
    one.mention(8, ["@ben"])
    assert other.post_tweet("first")["mentions"] == []


@each_row(
    ("method", "arguments"),
    [
        ("retweet", (1,)),
        ("comment", (1, "hi")),
        ("mention", (1, ["@ben"])),
        ("get_tweet", (1,)),
        ("get_tweet_comments", (1,)),
    ],
)
def test_an_unknown_tweet_is_an_error(method: str, arguments: tuple[Any, ...]) -> None:
    assert getattr(network(authenticated=True), method)(*arguments) == {"error": "Tweet with ID 1 not found."}


def test_retweeting_works_once() -> None:
    world = network(authenticated=True)
    assert world.retweet(7) == {"retweet_status": "Successfully retweeted"}
    assert world.retweet(7) == {"retweet_status": "Already retweeted"}
    assert world.get_user_stats("ann")["retweet_count"] == 1


def test_comments_of_the_scenario_stay_under_their_text_key() -> None:
    old = {"username": "ben", "content": "old"}
    world = network(authenticated=True, comments={"7": [old]})
    assert world.get_tweet_comments(7) == []
    assert world.comment(7, "new") == {"comment_status": "Comment added successfully"}
    assert world.get_tweet_comments(7) == [{"username": "ann", "content": "new"}]
    assert world.state()["comments"]["7"] == [old]


def test_following_and_unfollowing_tell_whether_they_changed_anything() -> None:
    world = network(authenticated=True, following_list=["ben"])
    assert world.follow_user("ben") == {"follow_status": False}
    assert world.follow_user("cleo") == {"follow_status": True}
    assert world.unfollow_user("ben") == {"unfollow_status": True}
    assert world.unfollow_user("ben") == {"unfollow_status": False}
    assert world.list_all_following() == {"following_list": ["cleo"]}


@pytest.mark.parametrize(
    ("keyword", "found"), [("HELLO", True), ("#news", True), ("#new", False), ("", True)]
)
def test_a_search_looks_into_contents_and_at_whole_tags(keyword: str, found: bool) -> None:
    assert network().search_tweets(keyword) == ([TWEET] if found else [])


def test_whom_somebody_follows_is_known_of_the_user_alone() -> None:
    world = network(following_list=["ben", "cleo"])
    assert world.get_user_stats("ann") == {"tweet_count": 1, "following_count": 2, "retweet_count": 0}
    assert world.get_user_stats("ben") == {"tweet_count": 0, "following_count": 0, "retweet_count": 0}
    assert world.get_user_tweets("ann") == [TWEET]


def test_mentions_do_not_grow_without_end() -> None:
    world = network(tweets={"7": {**TWEET, "mentions": ["@ben"] * 10_001}})
    with pytest.raises(ValueError, match="takes no more"):
        world.mention(7, ["@cleo"])
