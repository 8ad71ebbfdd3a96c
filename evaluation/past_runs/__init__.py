"""Finished runs: compare, order by time, merge and reparse them, and list their outputs."""
