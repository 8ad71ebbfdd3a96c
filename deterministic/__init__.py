"""Deterministic checkers: a Case and an Output in, a Verdict out; no model, no network."""
