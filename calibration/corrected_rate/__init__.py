"""The true pass rate from a judge and some labels: what `fiducial estimate` computes."""
