"""Headings of settings in `--help`."""

from __future__ import annotations

MODEL_ACCESS = "Model access and cost"
JURIES = "Juries, and answers judged by statements"
WORKS = "How a model or agent works on the cases"
WORKSPACES = "Workspaces of files"
NAMES = "Names, functions and environments"
ENGINES = "Several processes and machines"
INTERVAL = "Labels for an interval"
DIFFERENCE = "Items for a difference"
BUDGET = "Best use of a budget"
DRAW = "Items to label next"
