"""Every command with arguments that work, and the folder in which they do."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from signal import SIGKILL, Signals
from typing import NamedTuple

from prepared_files import CAREFUL, add_answers, write_files
from provider_server import ProviderServer

_JUDGE = "--judge groundedness/reasons --model m --base-url URL --no-cache --attempts 2"

PREPARED: tuple[str, ...] = (
    "demo --out ran",
    "run half-0 --outputs out-0 --judge groundedness@baseline --out part-0",
    "run half-1 --outputs out-1 --judge groundedness@baseline --out part-1",
    "audit mutate cases.jsonl --only swapped_enum missing_required --out probes",
    "audit run probes --judge tool_call_accuracy --model baseline --sample 4 --out audited",
    "audit card --judge memory_answer --model baseline --out card.json",
    "import csv answers.csv --out imported",
    "run questions.jsonl --outputs twice.jsonl --out twice",
    "batch export cases.jsonl --outputs outputs.jsonl --judge groundedness --model m --out asked.jsonl",
    "audit export probes --to inspect --out theirs",
    "audit certify ran --by tool_call_accuracy/reasons@claude --claim accuracy=0.8 --sign key.pem --out certificate.json",
    "cases agbenchmark challenges --out challenges.jsonl",
    "generate questions.jsonl --model m --base-url URL --cache replies.sqlite --out answered",
    "judge many.jsonl --outputs short.jsonl --judge rubric/each --model m --base-url URL --no-cache --out criteria",
    "demo --out decided",
    "review decided --of disagreements --by ann",
)
"""Commands that make what others read."""

COMMANDS: dict[str, str] = {
    "demo": "demo --out new",
    "run": "run cases.jsonl --outputs outputs.jsonl --out new",
    "run, judged": f"run cases.jsonl --outputs outputs.jsonl {_JUDGE} --out new",
    "run, two workers": "run cases.jsonl --outputs outputs.jsonl --workers 2 --out new",
    "run, agent": "run questions.jsonl --agent 'PYTHON agent.py' --out new",
    "check": "check cases.jsonl --outputs outputs.jsonl --out new",
    "judge": f"judge cases.jsonl --outputs outputs.jsonl {_JUDGE} --out new",
    "generate": "generate cases.jsonl --model m --base-url URL --no-cache --attempts 2 --out new",
    "generate, agent": "generate questions.jsonl --agent 'PYTHON agent.py' --out new",
    "batch export": "batch export cases.jsonl --outputs outputs.jsonl --judge groundedness --model m --out new",
    "batch import": "batch import cases.jsonl --outputs outputs.jsonl --judge groundedness --model m --results answered.jsonl --out new",
    "merge": "merge part-0 part-1 --out new",
    "calibrate": "calibrate ran --json new",
    "compare": "compare ran --by system --json new",
    "compare, preference": "compare ran --by system --judge preference --model m --base-url URL --no-cache --out new",
    "trials": "trials twice --json new",
    "estimate": "estimate ran --judge groundedness/lexical@baseline --json new",
    "rubrics": "rubrics criteria --json new",
    "audit mutate": "audit mutate cases.jsonl --out new",
    "audit run": f"audit run probes {_JUDGE.replace('groundedness/reasons', 'tool_call_accuracy')} --sample 4 --out new",
    "audit run, ladder": "audit run --ladder --only number_error --calls 40 --judge tool_call_accuracy --model m --base-url URL --no-cache --out new",
    "audit card": "audit card --judge memory_answer --model m --base-url URL --no-cache --attempts 2 --out new",
    "audit table": "audit table card.json --out new",
    "audit certify": "audit certify ran --by tool_call_accuracy/reasons@claude --claim accuracy=0.8 --out new",
    "audit export": "audit export probes --to inspect --out new",
    "audit import": "audit import probes scored.json --out new",
    "audit alt-test": "audit alt-test ann.jsonl ben.jsonl cleo.jsonl ran/verdicts.jsonl --json new",
    "audit verify": "audit verify certificate.signed.json --key public.pem --certificate certificate.json --json new",
    "review": "review ran --by ann --out new",
    "review, add": "review ran --add ann.jsonl",
    "improve": "improve graded.jsonl --prompt kind.prompty --candidate careful.prompty --model m --base-url URL --no-cache --attempts 2 --out new",
    "labels add": "labels add imported grades.csv",
    "labels add, run": "labels add ran ann.jsonl",
    "labels export": "labels export decided --out new",
    "plan": "plan part-0 --next 3 --out new",
    "plan, sizes": "plan --half-width 0.05 --unlabelled 2000 --difference 0.05",
    "report": "report ran --html new",
    "history": "history . --html new",
    "gate": "gate ran --min overall=0.2 --cannot-tell pass --json new",
    "export, csv": "export ran --to csv --out new",
    "export, inspect": "export ran --to inspect --out new",
    "import, csv": "import csv answers.csv --out new",
    "import, chats": "import openai chats.jsonl --out new",
    "cases bfcl": "cases bfcl SUITE --category simple_python --out new",
    "cases openai": "cases openai chats.jsonl --out new --outputs-out also-new",
    "cases azure": "cases azure azure.jsonl --out new --outputs-out also-new",
    "cases agbenchmark": "cases agbenchmark challenges --out new",
    "bfcl generate": "bfcl generate --data SUITE --category simple_python --model m --base-url URL --no-cache --attempts 2 --results new",
    "bfcl score": "bfcl score --data SUITE --results result --partial --scores new",
    "prompts list": "prompts list",
    "prompts check": "prompts check mine.prompty",
    "prompts show": "prompts show groundedness",
    "prompts render": "prompts render tool_call_accuracy --cases cases.jsonl --outputs outputs.jsonl --id travel-01",
    "prompts import": "prompts import mine.prompty --scale 0-1 --out new.prompty",
    "prompts flow": "prompts flow groundedness --out new",
    "plugins": "plugins",
    "cache info": "cache info --cache replies.sqlite",
    "cache clear": "cache clear --cache replies.sqlite",
    "artifacts doctor": "artifacts doctor",
    "artifacts prepare": "artifacts prepare challenges.jsonl --out new",
    "artifacts run": "artifacts run challenges.jsonl --agent 'PYTHON agent.py {workspace}' --allow-code --out new",
    "artifacts run, mock": "artifacts run challenges.jsonl --mock --allow-code --out new",
    "mcp": "mcp --folder .",
}
"""What is typed in a prepared folder; results are called ``new``."""

REFUSE_AGAIN = {"artifacts prepare"}
"""Lines that are refused once they are done, since agents may have worked in what they made."""


SCRATCH = ".scratch"
"""The folder for temporary files of commands that are tried."""

_MARK = "FIDUCIAL_TRIED"
_ROOT = Path(__file__).parents[2]
_SUITE = _ROOT / "tests" / "formats" / "bfcl" / "suite"


def reply_of(text: str) -> str:
    """Reply with the highest score; a judge told to check numbers passes only even ones."""
    numbers = re.findall(r"answer (\d+)", text) if CAREFUL in text else []
    return f"<S2>{int(not numbers or int(numbers[-1]) % 2 == 0)}</S2>"


def words(command: str, url: str = "") -> list[str]:
    """A command as a list for `subprocess`; ``url`` is where a model answers."""
    stands_for = {"URL": url, "PYTHON": sys.executable, "SUITE": str(_SUITE)}
    for name, place in stands_for.items():
        command = command.replace(name, place)
    return [sys.executable, "-m", "fiducial", *shlex.split(command)]


def environment(folder: Path) -> dict[str, str]:
    """The environment of a command that asks a model of a test and runs in this folder.

    Its temporary files are in `SCRATCH` there, if there is such a folder.
    """
    mine = {"OPENAI_API_KEY": "sk-of-a-test", "NO_COLOR": "1", "TMPDIR": str(folder.absolute() / SCRATCH)}
    return {**os.environ, **mine}


def prepare(folder: Path) -> None:
    """Fill an empty folder with what the commands read; a model is asked for some of it."""
    write_files(folder)
    (folder / SCRATCH).mkdir()
    with ProviderServer() as server:
        for command in PREPARED:
            done = run_to_end(words(command, server.base_url), folder)
            assert done.returncode == 0, (command, done.stderr)
        add_answers(folder)


Shape = dict[str, int]
"""The files of a folder, and their rows where they have lines of JSON; other lengths depend on times in them."""


def shape_of(folder: Path) -> Shape:
    """Return what a command left in the folder where it ran."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != "said")
    files = (file for file in files if file.relative_to(folder).parts[0] != SCRATCH)
    return {
        str(file.relative_to(folder)): file.read_bytes().count(b"\n") if file.suffix == ".jsonl" else 0
        for file in files
    }


def jumping_clock(folder: Path) -> dict[str, str] | None:
    """Return settings that make a command's clock jump, or None without a C compiler."""
    compiler = shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        return None
    library = folder / "jumping_clock.so"
    source = Path(__file__).with_name("jumping_clock.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return {"LD_PRELOAD": str(library)}


def marked(mark: str) -> list[str]:
    """Return the command lines of processes that were told this mark; see `signal_at`."""
    found = list[str]()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # those of others, and those that ended meanwhile
            if f"{_MARK}={mark}".encode() in (process / "environ").read_bytes().split(b"\0"):
                command = (process / "cmdline").read_bytes().replace(b"\0", b" ")
                found.append(f"{process.name} {command.decode(errors='replace')}".strip())
    return found


def run_to_end(
    command: Sequence[str],
    folder: Path,
    settings: Mapping[str, str] | None = None,
    *,
    patience: float | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, with further settings in its `environment`.

    Raises:
        subprocess.TimeoutExpired: It did not end within ``patience`` seconds.
    """
    return subprocess.run(
        command,
        cwd=folder,
        env={**environment(folder), **(settings or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        timeout=patience,
    )


class Ended(NamedTuple):
    """End of a command that was sent a signal."""

    code: int
    seconds: float
    said: str

    @property
    def before_our_code(self) -> bool:
        """Return whether the interpreter was interrupted at its start, before our code."""
        return "Traceback" in self.said and f'File "{_ROOT}/__main__.py"' not in self.said


def signal_at(
    command: Sequence[str],
    folder: Path,
    sign: Signals,
    after: float,
    patience: float,
    *,
    alone: bool = False,
    mark: str = "",
) -> Ended:
    """Send all processes of a command a signal after some seconds, as a terminal does.

    A command that does not end within ``patience`` seconds is killed and gets the code -9.

    Args:
        command: The command.
        folder: Where it runs, with what it reads.
        sign: The signal.
        after: Seconds after the start.
        patience: Seconds within which it has to end.
        alone: Send it to the command's first process only, as `kill` does.
        mark: Told to all of its processes as ``FIDUCIAL_TRIED``, by which `marked` finds those that are left.
    """
    with (folder / "said").open("w+") as said:
        running = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.PIPE,  # somebody may type, and types nothing
            stdout=said,
            stderr=said,
            env={**environment(folder), _MARK: mark},
            start_new_session=True,
        )
        with suppress(subprocess.TimeoutExpired):
            running.wait(after)
        sent = time.monotonic()
        with suppress(ProcessLookupError):
            (os.kill if alone else os.killpg)(running.pid, sign)
        try:
            running.wait(patience)
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, SIGKILL)
            running.wait()
        seconds = time.monotonic() - sent
        assert running.stdin is not None
        running.stdin.close()
        said.seek(0)
        return Ended(running.returncode, seconds, said.read())
