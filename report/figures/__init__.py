"""Figures as inline SVG: pure functions of numbers and names; each is an ``svg`` element that says its numbers to a screen reader."""
