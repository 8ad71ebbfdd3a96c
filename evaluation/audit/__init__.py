"""Audits of judges: probes with certain labels, what a judge makes of them, and what may be claimed of it afterwards."""
