"""Which of two outputs a judge prefers: win rates, strengths, and what position and length have to do with it."""
