"""Judge audits: probes with certain labels, judges' verdicts on them, and certificates."""
