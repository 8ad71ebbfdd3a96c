"""Cards of judges: a judge's results on one fixed set of probes."""
