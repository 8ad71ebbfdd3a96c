"""Judging by batch: the same requests in files that a provider answers within a day, at a lower price."""
