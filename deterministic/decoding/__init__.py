"""Decode raw replies to calls in BFCL's form, a list of ``{name: {argument: value}}``.

Each way of writing calls has its module.
"""
