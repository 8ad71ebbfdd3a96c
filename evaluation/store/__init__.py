"""Run storage: manifest and journals that survive a kill at any byte, on disk or in memory."""
