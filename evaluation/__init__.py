"""What ties checkers, judges and statistics together: pipeline and run folder."""
