"""Settings, each declared once: verbs are structs of a few shared parts."""
