"""Answers judged statement by statement."""
