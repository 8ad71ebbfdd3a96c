"""What the commands of `every_command` read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from batch_server import result_line
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from review_page import ReviewPage
from ruled_prompt import ruled_prompt

from fiducial.data import demo_path

CAREFUL = "Check each number."
"""Words of a prompt that fails odd numbers."""

_AGENT = "import json, time\ntime.sleep(0.2)\nprint(json.dumps({'text': 'Rome'}))\n"
_PROMPT = """---
name: mine
inputs:
  response: {type: string}
scale: {minimum: 0, maximum: 1, step: 1}
---
system:
Say 1 if the text is good, else 0.
user:
{{response}}
"""
_RIGHT, _NUMBER = {"text": "Names a number.", "points": 5, "tags": ["axis:accuracy"]}, "How many?"
_WRONG = {"text": "Gives a wrong number.", "points": -6}
_TEST = "from solution import word\nprint(word)\n"


def write_files(folder: Path) -> None:
    """Write the files that are not made by commands."""
    for name, content in {**_rows(), **_halves(), **_challenges(), **_private_key()}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def add_answers(folder: Path) -> None:
    """Write what others would answer to files that commands made: batch results, scores, decisions."""
    asked = map(json.loads, (folder / "asked.jsonl").read_bytes().splitlines())
    (folder / "answered.jsonl").write_bytes(
        b"".join(result_line(line["custom_id"], "<S2>1</S2>") for line in asked)
    )
    log = json.loads((folder / "theirs" / "log.json").read_bytes())
    for sample in log["samples"]:
        sample["scores"] = {"theirs": {"value": 1.0}}
    (folder / "scored.json").write_text(json.dumps(log))
    page = ReviewPage((folder / "decided" / "review-disagreements-ann.html").read_text())
    decisions = [
        {**_by("ann", item), "trial": item["trial"], "evidence": {"review": item["evidence"]["review"]}}
        for item in page.data["items"]
    ]
    (folder / "decided" / "adjudications.jsonl").write_bytes(_lines(decisions))


def _rows() -> dict[str, bytes]:
    outputs = demo_path("outputs.jsonl").read_bytes()
    named = [json.loads(line) for line in outputs.splitlines()]
    people = {
        f"{by}.jsonl": _lines([_by(by, row) for row in named[each:]])
        for each, by in enumerate(("ann", "ben", "cleo"))
    }
    return {
        "cases.jsonl": demo_path("cases.jsonl").read_bytes(),
        "outputs.jsonl": outputs,
        "agent.py": _AGENT.encode(),
        "questions.jsonl": _lines([_question(number) for number in range(12)]),
        "twice.jsonl": _lines([_answer(number, trial) for number in range(12) for trial in range(2)]),
        "many.jsonl": _lines([_criteria(number) for number in range(6)]),
        "short.jsonl": _lines([_answer(number, 0) for number in range(6)]),
        "chats.jsonl": _lines([_chat(number) for number in range(40)]),
        "azure.jsonl": _lines([{"query": _NUMBER, "response": str(number)} for number in range(40)]),
        "answers.csv": _table("id,question,answer", [f"q{n},{_NUMBER},{n}" for n in range(40)]),
        "grades.csv": _table("id,label", [f"q{n},{n % 2}" for n in range(40)]),
        "mine.prompty": _PROMPT.encode(),
        "kind.prompty": ruled_prompt("Be kind.", tagged=True).encode(),
        "careful.prompty": ruled_prompt(CAREFUL, tagged=True).encode(),
        "graded.jsonl": _lines([_graded(number) for number in range(80)]),
        **people,
    }


def _halves() -> dict[str, bytes]:
    """Cut the cases and outputs of the demo in two."""
    files = dict[str, bytes]()
    cases, outputs = (
        demo_path(f"{name}.jsonl").read_bytes().splitlines(True) for name in ("cases", "outputs")
    )
    for half in range(2):
        mine = cases[half::2]
        names = {json.loads(line)["id"] for line in mine}
        files[f"half-{half}"] = b"".join(mine)
        files[f"out-{half}"] = b"".join(line for line in outputs if json.loads(line)["case_id"] in names)
    return files


def _challenges() -> dict[str, bytes]:
    """Challenges of agbenchmark, one of which needs code to be run, and a result tree of BFCL."""
    text = {"files": [".txt"], "eval": {"type": "file"}, "answer": "yes", "should_contain": ["yes"]}
    code = {**text, "files": ["test.py"], "eval": {"type": "python"}}
    files = {
        "files/first/artifacts_out/answer.txt": b"yes",
        "code/second/artifacts_out/solution.py": b"word = 'yes'",
        "code/second/custom_python/test.py": _TEST.encode(),
        "files/third/artifacts_out/answer.txt": b"yes",
    }
    for name, ground in {"files/first": text, "code/second": code, "files/third": text}.items():
        told = {
            "name": f"Test{Path(name).name.title()}",
            "category": ["general"],
            "task": "Answer.",
            "cutoff": 20,
        }
        rest: dict[str, Any] = {"dependencies": [], "ground": ground, "info": {"difficulty": "basic"}}
        files[f"{name}/data.json"] = json.dumps({**told, **rest}).encode()
    calls = [
        {"id": f"simple_python_{n}", "result": "[garden.water(bed='roses', litres=10)]"} for n in range(2)
    ]
    tree = {"result/gardener/non_live/BFCL_v4_simple_python_result.json": _lines(calls)}
    return {**{f"challenges/{name}": content for name, content in files.items()}, **tree}


def _private_key() -> dict[str, bytes]:
    key = Ed25519PrivateKey.generate()
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    return {"key.pem": private, "public.pem": public}


def _lines(rows: Iterable[Mapping[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def _table(head: str, rows: Iterable[str]) -> bytes:
    return "\n".join([head, *rows, ""]).encode()


def _question(number: int) -> dict[str, Any]:
    asked = [{"role": "user", "content": "Where?"}]
    return {
        "id": f"q{number}",
        "kind": "memory_answer",
        "messages": asked,
        "reference": {"answers": ["Rome"]},
    }


def _criteria(number: int) -> dict[str, Any]:
    asked = [{"role": "user", "content": _NUMBER}]
    reference = {"criteria": [_RIGHT, _WRONG]}
    return {"id": f"q{number}", "kind": "open_answer", "messages": asked, "reference": reference}


def _by(person: str, output: Mapping[str, Any]) -> dict[str, Any]:
    said = {"by": person, "source": "human", "outcome": "graded", "score": 1.0}
    return {"case_id": output["case_id"], "system": output["system"], **said}


def _graded(number: int) -> dict[str, Any]:
    texts = {"question": f"question {number}", "answer": f"answer {number}"}
    return {"id": f"q{number}", **texts, "label": int(number % 2 == 0)}


def _answer(number: int, trial: int) -> dict[str, Any]:
    return {"case_id": f"q{number}", "system": "agent", "trial": trial, "text": ("Rome", "Oslo")[number % 2]}


def _chat(number: int) -> dict[str, Any]:
    said = [{"role": "user", "content": "How many?"}, {"role": "assistant", "content": str(number)}]
    return {"id": f"chat-{number}", "messages": said, "model": "m"}
