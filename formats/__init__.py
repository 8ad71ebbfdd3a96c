"""Other people's files, to and from the nouns."""
