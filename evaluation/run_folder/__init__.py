"""The folder that everything known of a run is in, and the journals that survive a kill."""
