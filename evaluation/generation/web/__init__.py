"""A web to search and read: an offline corpus, or a search service and the pages it finds, behind one interface."""
