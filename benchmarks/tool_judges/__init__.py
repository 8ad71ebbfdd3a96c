"""Judges of other tools that ask a model: their requests, round by round."""
