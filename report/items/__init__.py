"""The items of a run, to be read one by one: chosen, laid out, packed."""
