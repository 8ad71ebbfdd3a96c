"""Figures as inline SVG: pure functions of numbers and names."""
