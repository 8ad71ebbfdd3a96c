"""Web search and reading: an offline corpus, or a search service and its pages.

Both have one interface.
"""
