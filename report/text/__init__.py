"""Text of results: what terminals, pages and notebooks print."""
