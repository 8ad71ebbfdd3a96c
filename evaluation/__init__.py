"""Evaluation pipeline: tie checkers, judges and statistics together.

`pipeline` goes the whole way over `inputs`: `checking`, `judging`, `conclusion`, each of which keeps what it finds in a `store`. Before it comes
`generation`, after it `labelling`, and what `past_runs` are good for; beside it stand `preference`, `audit`, `bfcl` and `artifacts`. Work is done on
`engines`, or by a provider in a `batch`.
"""
