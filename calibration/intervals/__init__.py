"""Uncertainty of a statistic: influence values, one cluster bootstrap, and closed forms."""
