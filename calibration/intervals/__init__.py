"""How uncertain a statistic is: one set of influence values, one cluster bootstrap, and the closed forms."""
