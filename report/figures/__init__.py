"""Figures as inline SVG.

Each is a pure function of numbers and names that returns an ``svg`` element readable by a screen reader.
"""
