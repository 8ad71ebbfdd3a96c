"""Cards of judges: what one fixed set of probes says about a judge, to be read alone."""
