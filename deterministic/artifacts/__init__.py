"""Workspaces: what an agent left in a folder, checked against a challenge's ground truth."""

from .challenge import Challenge, ChallengeError, challenge_of
from .copying import copy_plain_files, copy_tree
from .workspace_checker import find, workspace_text

__all__ = [
    "Challenge",
    "ChallengeError",
    "challenge_of",
    "copy_plain_files",
    "copy_tree",
    "find",
    "workspace_text",
]
