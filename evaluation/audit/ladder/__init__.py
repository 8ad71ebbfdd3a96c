"""Audits by level of difficulty: find adaptively where a judge stops noticing faults."""
