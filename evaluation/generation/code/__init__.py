"""The code of an agent, as far as it is known."""
