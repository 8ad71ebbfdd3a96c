"""From which score or confidence on a verdict is to be taken, and with what guarantee."""
