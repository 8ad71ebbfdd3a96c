"""Settings of commands, each declared once: the settings of a command are composed of shared parts."""
