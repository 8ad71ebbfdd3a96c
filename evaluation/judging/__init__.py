"""Second stage: ask judges about undecided outputs, and about a sample of decided ones."""
