"""Workspaces: what an agent left in a folder, checked against a challenge's ground truth."""
