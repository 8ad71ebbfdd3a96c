"""Plan how many labels or items are needed, and which to label next."""
