"""The three kinds of memory that an agent may keep between conversations, as worlds: by key, by likeness, as one text."""
