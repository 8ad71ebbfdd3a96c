"""Read replies to call texts, and evaluate call texts without running code of theirs."""
