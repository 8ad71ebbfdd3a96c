"""Decode raw replies into calls in BFCL's form, a list of ``{name: {argument: value}}``.

There is one module per notation (JSON, Python, Java ...); `replies` and `text_replies` choose among them.
"""
