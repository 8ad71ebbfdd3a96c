"""Last stage: rates of systems, calibration of judges, and comparisons."""
