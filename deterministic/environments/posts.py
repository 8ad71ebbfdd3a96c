"""Social network environment: posts with tags and mentions, comments, retweets, followers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .world import World, error

_MAX_MENTIONS = 10_000
"""Limit on the mentions of a tweet. BFCL has none, so repeated calls could fill the memory."""

_OMITTED: Any = object()
"""Default of an argument that may also be None."""


class TwitterAPI(World):
    """Posts, retweets and comments as the one user of the scenario."""

    _TABLE = "posts"

    username: str
    password: str
    authenticated: bool
    tweets: dict[int, dict[str, Any]]
    comments: dict[Any, list[dict[str, Any]]]
    retweets: dict[str, list[int]]
    following_list: list[str]
    tweet_counter: int

    def load(self, config: Mapping[str, Any], long_context: bool = False) -> None:  # noqa: FBT001, FBT002 - the contract
        """Start from a scenario; tweet keys become numbers, comment keys stay texts."""
        super().load(config, long_context)
        self.tweets = {int(tweet_id): tweet for tweet_id, tweet in self.tweets.items()}
        # As in BFCL, all tweets posted without mentions share one list, so a later mention in one is in all. So do tags.
        self._default_tags: list[str] = []
        self._default_mentions: list[str] = []

    def authenticate_twitter(self, username: str, password: str) -> dict[str, Any]:
        """Log in; a failure does not log out."""
        if username == self.username and password == self.password:
            self.authenticated = True
            return {"authentication_status": True}
        return {"authentication_status": False}

    def posting_get_login_status(self) -> dict[str, Any]:
        """Return whether the user is logged in."""
        return {"login_status": bool(self.authenticated)}

    def post_tweet(
        self, content: str, tags: list[str] = _OMITTED, mentions: list[str] = _OMITTED
    ) -> dict[str, Any]:
        """Post a text under the next number."""
        if not self.authenticated:
            return error("User not authenticated. Please authenticate before posting.")
        tweet = {
            "id": self.tweet_counter,
            "username": self.username,
            "content": content,
            "tags": self._default_tags if tags is _OMITTED else tags,
            "mentions": self._default_mentions if mentions is _OMITTED else mentions,
        }
        self.tweets[self.tweet_counter] = tweet
        self.tweet_counter += 1
        return tweet

    def retweet(self, tweet_id: int) -> dict[str, Any]:
        """Retweet a tweet; a second time has no effect."""
        if not self.authenticated:
            return error("User not authenticated. Please authenticate before retweeting.")
        if tweet_id not in self.tweets:
            return _not_found(tweet_id)
        mine = self.retweets.setdefault(self.username, [])
        if tweet_id in mine:
            return {"retweet_status": "Already retweeted"}
        mine.append(tweet_id)
        return {"retweet_status": "Successfully retweeted"}

    def comment(self, tweet_id: int, comment_content: str) -> dict[str, Any]:
        """Comment on a tweet, under its number; the scenario's comments are under texts."""
        if not self.authenticated:
            return error("User not authenticated. Please authenticate before commenting.")
        if tweet_id not in self.tweets:
            return _not_found(tweet_id)
        comment = {"username": self.username, "content": comment_content}
        self.comments.setdefault(tweet_id, []).append(comment)
        return {"comment_status": "Comment added successfully"}

    def mention(self, tweet_id: int, mentioned_usernames: list[str]) -> dict[str, Any]:
        """Mention more users in a tweet; needs no login."""
        if tweet_id not in self.tweets:
            return _not_found(tweet_id)
        mentions = self.tweets[tweet_id]["mentions"]
        if len(mentions) > _MAX_MENTIONS:
            raise ValueError(f"a tweet that mentions more than {_MAX_MENTIONS} users takes no more")
        mentions.extend(mentioned_usernames)
        return {"mention_status": "Users mentioned successfully"}

    def follow_user(self, username_to_follow: str) -> dict[str, Any]:
        """Follow a user; false when already followed."""
        if not self.authenticated:
            return error("User not authenticated. Please authenticate before following.")
        if username_to_follow in self.following_list:
            return {"follow_status": False}
        self.following_list.append(username_to_follow)
        return {"follow_status": True}

    def unfollow_user(self, username_to_unfollow: str) -> dict[str, Any]:
        """Stop following a user; false when not followed."""
        if not self.authenticated:
            return error("User not authenticated. Please authenticate before unfollowing.")
        if username_to_unfollow not in self.following_list:
            return {"unfollow_status": False}
        self.following_list.remove(username_to_unfollow)
        return {"unfollow_status": True}

    def list_all_following(self) -> dict[str, Any]:
        """Return the users that the user follows."""
        if not self.authenticated:
            return error("User not authenticated. Please authenticate before listing following.")
        return {"following_list": self.following_list}

    def get_tweet(self, tweet_id: int) -> dict[str, Any]:
        """Return one tweet."""
        return self.tweets[tweet_id] if tweet_id in self.tweets else _not_found(tweet_id)

    def get_user_tweets(self, username: str) -> list[dict[str, Any]]:
        """Return all tweets of a user."""
        return [tweet for tweet in self.tweets.values() if tweet["username"] == username]

    def search_tweets(self, keyword: str) -> list[dict[str, Any]]:
        """Return the tweets that contain a text or have it as a whole tag, ignoring case."""
        keyword = keyword.lower()
        return [
            tweet
            for tweet in self.tweets.values()
            if keyword in tweet["content"].lower() or keyword in [tag.lower() for tag in tweet["tags"]]
        ]

    def get_tweet_comments(self, tweet_id: int) -> list[dict[str, Any]] | dict[str, Any]:
        """Return the comments under a tweet's number."""
        return self.comments.get(tweet_id, []) if tweet_id in self.tweets else _not_found(tweet_id)

    def get_user_stats(self, username: str) -> dict[str, Any]:
        """Return a user's tweet, retweet and following counts.

        The following count is known only for the scenario's user.
        """
        return {
            "tweet_count": len(self.get_user_tweets(username)),
            "following_count": len(self.following_list) if username == self.username else 0,
            "retweet_count": len(self.retweets.get(username, [])),
        }


def _not_found(tweet_id: int) -> dict[str, Any]:
    return error(f"Tweet with ID {tweet_id} not found.")
