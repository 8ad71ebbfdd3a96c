"""The doors of the package: what `import fiducial` offers, and all that the command line is made of."""
