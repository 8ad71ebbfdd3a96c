"""Self-test of audits: scripted judges with one planted weakness each, and its findings.

Prints the findings that docs/self-test.md sums up.

    python benchmarks/audit_self_test.py

Needs no reference data and no network. Exit code 1 when something planted is not found, or something is found that is not there.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from audit_self_test import PLANTED, audit_of, found_in, make_probes, table


def main() -> int:
    """Audit them all."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        probes = make_probes(folder)
        results = {
            judge: (planted.expected, audit_of(planted, probes, folder / f"audit-{number}"))
            for number, (judge, planted) in enumerate(PLANTED.items())
        }
    print(*table(results), sep="\n")
    return int(any(found_in(audit) != expected for expected, audit in results.values()))


if __name__ == "__main__":
    sys.exit(main())
