"""Prompt files: a folder a judge, a file a variant."""
