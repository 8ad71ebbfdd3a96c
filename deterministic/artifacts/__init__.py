"""Check the files that an agent left in a workspace against a challenge's ground truth."""
