"""Items of a run for reading one by one: selected, laid out, packed."""
