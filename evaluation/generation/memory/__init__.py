"""Three kinds of agent memory as environments: by key, by likeness, and as one text."""
