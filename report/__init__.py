"""The HTML report, and how results are put into words."""
