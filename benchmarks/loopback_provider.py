"""An OpenAI-compatible endpoint on 127.0.0.1 that answers by a coin, to walk through `fiducial run` without a model.

    python benchmarks/loopback_provider.py --port 8901

The coin depends on the request alone, so the same request always gets the same answer; it knows nothing of right and wrong, so a
calibration of this "judge" must show a kappa near 0.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from provider_server import ProviderServer, Seen, in_the_form_asked_for


def coin(seen: Seen) -> int:
    """0 or 1, from a hash of the messages."""
    return hashlib.sha256(seen.text.encode()).digest()[0] & 1


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--port", type=int, default=8901)
    port = parser.parse_args().port
    with ProviderServer(in_the_form_asked_for(coin), port=port) as server:
        print(server.base_url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
