"""A small suite of our own, which the demo runs on."""
