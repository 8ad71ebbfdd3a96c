"""Finished runs: set beside each other, one after the other, put together, read again, and output by output."""
