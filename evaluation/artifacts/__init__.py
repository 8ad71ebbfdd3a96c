"""Agents at work on challenges: workspaces laid out, agents run on them, what they left checked and reported."""
