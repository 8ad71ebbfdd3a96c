"""Audits of judges: probes with certain labels, what a judge makes of them, and what may be claimed of it afterwards."""

from .building import ProbeSettings, build_probes
from .plan import AuditPlan
from .running import foresee_audit, run_audit

__all__ = ["AuditPlan", "ProbeSettings", "build_probes", "foresee_audit", "run_audit"]
