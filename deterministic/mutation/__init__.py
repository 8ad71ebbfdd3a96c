"""Operators that plant named faults in right outputs, or change them harmlessly (twins)."""

from ...records import OperatorFamily
from .dials import DIALS, Dial, Rung
from .groundedness_operators import compose_statement
from .lifelike import LIFELIKE, lifelike_kinds, lifelike_pairs
from .operator import FAMILY_KINDS, Mutation, Operator, Plants
from .probes import PLANTED, Probe, Weakness, make_probes, origin, probe_number
from .registry import OPERATORS, load_dials, load_operators
from .right_outputs import REFERENCE_SYSTEM, right_output
from .seeding import rank
from .subject import Subject

__all__ = [
    "DIALS",
    "FAMILY_KINDS",
    "LIFELIKE",
    "OPERATORS",
    "PLANTED",
    "REFERENCE_SYSTEM",
    "Dial",
    "Mutation",
    "Operator",
    "OperatorFamily",
    "Plants",
    "Probe",
    "Rung",
    "Subject",
    "Weakness",
    "compose_statement",
    "lifelike_kinds",
    "lifelike_pairs",
    "load_dials",
    "load_operators",
    "make_probes",
    "origin",
    "probe_number",
    "rank",
    "right_output",
]
