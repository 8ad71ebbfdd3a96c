"""Audits with a dial: at which level of difficulty a judge stops noticing faults, asked adaptively."""
