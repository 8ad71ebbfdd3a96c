"""Settings of commands, each declared once, in parts that commands share."""
