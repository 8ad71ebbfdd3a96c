"""Judge audits: probes with certain labels, judges' verdicts on them, and certificates.

An *operator* makes *probes* from a *right output*: a *fault*, a harmless *twin*, or an *attack* on the judge with its *control*. A *dial*
makes faults by level of difficulty; its levels are a *ladder*.
"""
