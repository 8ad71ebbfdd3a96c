"""Public API of the package: everything `import fiducial` offers and the command line uses."""
