"""Evaluation runs: check outputs, ask judges and compute rates, in a resumable run folder.

`pipeline` runs the stages `checking`, `judging` and `conclusion` over `inputs`; each saves its results in the `store`. `generation` makes
outputs before a run. `labelling` and `past_runs` work on finished runs. `preference`, `audit`, `improvement`, `bfcl` and `artifacts` are
other kinds of runs. `engines` spread work over processes or machines; `batch` uses a provider's batch endpoint.
"""
