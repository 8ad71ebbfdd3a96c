"""Trajectories against scripts with known truth, with the command killed at times.

    python benchmarks/trajectories.py --calls 300 --cases 40 --kills 12

First four scripted judges name steps of conversations with a planted fault, through `fiducial.audit` and a loopback server: the right one, its
neighbour, the last one, any. Then a scripted agent and a scripted user talk, and the command is killed again and again while a request is on
its way; what was asked twice, and what is missing in the records, is counted. Exit code 1 where anything is.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from commands import described

import fiducial as fd

from localising_judges import ShownSteps, last_step, naming, off_by_one, perfect  # isort: skip - commands makes it importable
from provider_server import Answer, ProviderServer, Response, Seen  # isort: skip - likewise

_DIALS = ("fault_back", "turns_played")
_TURNS = 6
"""Turns that the scripted user takes at most; a third of the users are done earlier."""


def main() -> None:
    """Print both tables; exit with 1 where something went wrong."""
    parser = described(__doc__)
    parser.add_argument("--calls", type=int, default=300, help="of each dial and judge")
    parser.add_argument("--cases", type=int, default=40)
    parser.add_argument("--kills", type=int, default=12)
    arguments = parser.parse_args()
    judges(arguments.calls)
    sys.exit(bool(dialogues(arguments.cases, arguments.kills)))


JUDGES: Mapping[str, Callable[[ShownSteps], int | str]] = {
    "perfect": perfect,
    "off by one": off_by_one,
    "last step": last_step,
}


def judges(calls: int) -> None:
    """Print what an audit says of each scripted judge."""
    print(f"{'judge':12} {'dial':13} {'exact':>22} {'within one':>22} {'last':>5} {'any':>5}  n    localises")
    for name, script in {
        **{name: naming(each) for name, each in JUDGES.items()},
        "uniform": _uniform,
    }.items():
        with ProviderServer(script) as server:
            judge = fd.judge(
                "first_wrong_step", model="m", base_url=server.base_url, api_key="k", cache=False
            )
            found = fd.audit(None, judge, ladder=True, evenly=True, only=_DIALS, calls=calls)
        for each in found.judges[0].located:
            rates = each.found
            print(
                f"{name:12} {each.operator:13} {_interval(rates.exact):>22} {_interval(rates.within_one):>22} "
                f"{rates.last_step.exact:5.3f} {rates.uniform.exact:5.3f}  {rates.exact.n:<4} {rates.localises}"
            )


def _uniform(seen: Seen) -> Response:
    """A judge that names some step by a hash of what it is shown."""
    chance = int.from_bytes(hashlib.sha256(seen.raw).digest()[:8], "big")

    def choose(shown: ShownSteps) -> int:
        return 1 + chance % shown.steps

    return naming(choose)(seen)


def _interval(rate: Any) -> str:
    return "-" if rate.value is None else f"{rate.value:.3f} [{rate.low:.3f}, {rate.high:.3f}]"


class Dialogues:
    """Server script of both models that kills the command at chosen requests before it answers."""

    def __init__(self, kill_at: set[int]) -> None:
        self.kill_at = kill_at
        self.running: subprocess.Popen[bytes] | None = None
        self.requests = 0
        self.answered: Counter[bytes] = Counter()
        self.lost: Counter[bytes] = Counter()

    def __call__(self, seen: Seen) -> Response:
        """Answer as the agent or as the user; see the class."""
        self.requests += 1
        if self.requests in self.kill_at and self.running is not None:
            self.lost[seen.raw] += 1
            self.running.send_signal(signal.SIGKILL)
            self.running.wait()
        else:
            self.answered[seen.raw] += 1
        if seen.body["model"] == "agent":
            return Answer(f"I did that, {len(seen.messages)}.")
        turns = seen.text.count('{"assistant"')
        early = "goal 0" in seen.text or "goal 3" in seen.text or "goal 6" in seen.text
        fact = seen.text.partition('["')[2].partition('"]')[0]
        return Answer("[DONE]" if early and turns == 2 else f"Now part {turns} of {fact}, please.")


class Kept(NamedTuple):
    """Files of a generation, without what depends on time and on kills."""

    outputs: dict[str, Any]
    users: dict[str, Any]


def dialogues(cases: int, kills: int) -> int:
    """Print what came of dialogues that were killed and gone on with, and count what went wrong."""
    with TemporaryDirectory(prefix="dialogues-") as scratch:
        file = Path(scratch, "cases.jsonl")
        file.write_text("".join(json.dumps(_case(number)) + "\n" for number in range(cases)), "utf-8")
        whole = Dialogues(set())
        calm = _generate(whole, file, Path(scratch, "calm"))
        step = max(1, whole.requests // (kills + 1))
        killed = Dialogues({step * number for number in range(1, kills + 1)})
        kept = _generate(killed, file, Path(scratch, "killed"))
    again = sum(count - 1 for count in killed.answered.values())
    turns = max(len(output["turns"]) for output in kept.outputs.values())
    wrong = [
        again,
        killed.requests - whole.requests - sum(killed.lost.values()),
        int(kept != calm),
        len(whole.answered) - len(calm.users) - sum(len(output["turns"]) for output in calm.outputs.values()),
        int(turns > _TURNS),
    ]
    print(
        f"\n{cases} dialogues, {whole.requests} requests to both models, {turns} turns at most (bound {_TURNS})"
    )
    print(f"killed {sum(killed.lost.values())} times with a request on its way: {killed.requests} requests")
    print(f"asked again though answered: {again}; outputs and user records as without kills: {kept == calm}")
    print(f"requests to the user's model in the records: {len(kept.users)} of {len(calm.users)}")
    return sum(map(bool, wrong))


def _case(number: int) -> dict[str, Any]:
    user = {"goal": f"goal {number % 9}", "facts": [f"fact {number}"], "max_turns": _TURNS}
    return {"id": f"d{number}", "kind": "multi_turn", "user": user}


def _generate(script: Dialogues, cases: Path, folder: Path) -> Kept:
    """Run the command until it is done, and read what it left behind."""
    folder.mkdir()
    out = folder / "outputs.jsonl"
    with ProviderServer(script) as server:
        command = [
            sys.executable, "-m", "fiducial", "generate", cases, "--model", "agent", "--user-model", "person",
            "--base-url", server.base_url, "--cache", folder / "cache.sqlite", "--concurrency", "1", "--out", out,
        ]  # fmt: skip
        while True:
            script.running = subprocess.Popen(
                [*map(str, command)],
                env={**os.environ, "OPENAI_API_KEY": "k"},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            if script.running.wait() == 0:
                break
    return Kept(_rows(out, "case_id"), _rows(folder / "outputs.users.jsonl", "case_id", "turn"))


_SPENT = ("seconds", "calls")


def _rows(path: Path, *names: str) -> dict[str, Any]:
    """Rows by key; a later one takes the place of an earlier one."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    kept = [{name: value for name, value in row.items() if name not in _SPENT} for row in rows]
    return {" ".join(str(row[name]) for name in names): row for row in kept}


if __name__ == "__main__":
    main()
