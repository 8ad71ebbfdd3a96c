"""Batch judging: files of requests that a provider answers within a day, at a lower price."""
