"""Audits of judges: probes with certain labels, what a judge makes of them, and what may be claimed of it afterwards."""

from .audit_plan import AuditPlan
from .audit_run import foresee_audit, run_audit
from .building import ProbeSettings, build_probes

__all__ = ["AuditPlan", "ProbeSettings", "build_probes", "foresee_audit", "run_audit"]
