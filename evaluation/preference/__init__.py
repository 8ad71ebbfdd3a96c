"""Pairwise preference: ask judges in both orders which of a case's two outputs is better.

It uses an ordinary run folder.
"""
