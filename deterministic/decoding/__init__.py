"""Decode raw replies to calls in BFCL's form, a list of ``{name: {argument: value}}``.

There is one module per notation.
"""
