"""A folder of probes, made once."""

from __future__ import annotations

from pathlib import Path

import pytest
from audit_self_test import make_probes


@pytest.fixture(scope="session")
def probes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Probes of calls, answers and statements."""
    return make_probes(tmp_path_factory.mktemp("probes"))
