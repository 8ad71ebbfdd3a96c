"""Text of results for terminals, pages and notebooks."""
