"""Preferences of a judge between two outputs: win rates, strengths and biases.

The biases are those of position and length.
"""
