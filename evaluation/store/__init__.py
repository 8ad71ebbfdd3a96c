"""Everything a run keeps: its manifest, and journals that survive a kill at any byte; in a folder, or in memory."""
