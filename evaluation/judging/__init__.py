"""The second stage: judges are asked about what is open, and about a sample of what is decided."""
