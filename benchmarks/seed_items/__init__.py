"""Items of the five seed systems: their values in our own words, and a check of each."""
