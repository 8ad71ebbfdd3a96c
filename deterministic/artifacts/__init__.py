"""Workspaces: what an agent left in a folder, checked against a challenge's ground truth."""

from .challenge import Challenge, ChallengeError, challenge_of
from .copying import copy_plain_files, copy_tree
from .workspace_checker import check_workspace, workspace_text

__all__ = [
    "Challenge",
    "ChallengeError",
    "challenge_of",
    "check_workspace",
    "copy_plain_files",
    "copy_tree",
    "workspace_text",
]
