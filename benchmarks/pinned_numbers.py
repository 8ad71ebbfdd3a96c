"""Pinned numbers: every number that calibration commands print, saved and compared later.

    FIDUCIAL_REFERENCE=... python benchmarks/pinned_numbers.py write FILE
    FIDUCIAL_REFERENCE=... python benchmarks/pinned_numbers.py compare FILE [--words]

Numbers may differ by 1e-12; ``--words`` compares the printed text too. New keys are allowed and counted. The exit code is 1 if a
number differs or is gone. Resampling depends on the versions of numpy and scipy, so compare on the machine that wrote the file.
"""

from __future__ import annotations

import csv
import json
import math
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from click.testing import CliRunner
from commands import described
from reference.ledger import leaves

from fiducial.cli.main import cli

_CLOSE = 1e-12
Rows = list[dict[str, Any]]


def _verdicts(
    seed: int,
    *,
    items: int = 240,
    clusters: int = 60,
    judges: tuple[tuple[str, float, float], ...] = (("kind/a@m", 0.95, 0.62), ("strict/b@m", 0.86, 0.92)),
    steps: int | None = None,
    labelled: float = 1.0,
    missing: float = 0.0,
    repeats: int = 1,
) -> Rows:
    """Return rows of judges with planted rates on clustered items.

    ``steps`` makes scores and labels fractions.
    """
    rng = np.random.default_rng(seed)
    ease = rng.normal(size=clusters)
    cluster = np.sort(rng.integers(clusters, size=items))
    truth = (ease[cluster] + rng.normal(size=items) > -0.5).astype(float)
    known = rng.random(items) < labelled
    kinds = rng.integers(3, size=items)
    people = {name: np.where(rng.random(items) < 0.9, truth, 1 - truth) for name in ("ann", "bob", "eve")}
    rows: Rows = []
    for judge, tpr, tnr in judges:
        for repeat in range(repeats):
            for item in range(items):
                right = rng.random() < (tpr if truth[item] else tnr)
                score, label = float(truth[item] if right else 1 - truth[item]), float(truth[item])
                if steps is not None:
                    score = _stepped(score * 0.6 + 0.2 + rng.normal(scale=0.2), steps)
                    label = _stepped(label * 0.8 + 0.1 + 0.1 * float(ease[cluster[item]]), steps)
                row: dict[str, Any] = {
                    "item_id": f"q{item // 4}|s{item % 4}|0",
                    "judge": judge,
                    "score": None if rng.random() < missing else score,
                    "label": label if known[item] else None,
                    "cluster": f"c{cluster[item]}",
                    "system": f"s{item % 4}",
                    "kind": f"k{kinds[item]}",
                    "calls": 1,
                    "prompt_tokens": 100 + item,
                    "completion_tokens": 10,
                }
                if repeats > 1:
                    row["repeat"] = repeat
                if seed % 2:
                    row |= {
                        f"person:{name}": float(said[item])
                        for name, said in people.items()
                        if item % 3 or name == "ann"
                    }
                    row["baseline:length"] = float(item % 2)
                rows.append(row)
    return rows


def _stepped(value: float, steps: int) -> float:
    return min(max(round(value * steps), 0), steps) / steps


def _each(rows: Rows, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Rows:
    return [row | change(row) for row in rows]


def _chance(row: dict[str, Any]) -> dict[str, Any]:
    return {"label_probability": None if row["label"] is None else 0.2 + 0.3 * row["score"]}


def _round(row: dict[str, Any]) -> dict[str, Any]:
    drawn = row["label"] is not None
    return {
        "label_probability": 0.3 if drawn else None,
        "label_round": 1 + (row["kind"] == "k1") if drawn else None,
    }


_THREE = (
    ("kind/a@m", 0.95, 0.62),
    ("strict/b@m", 0.86, 0.92),
    ("third/c@m", 0.8, 0.8),
    ("x/lexical@baseline", 0.7, 0.6),
)


def _tables() -> dict[str, Rows]:
    """Return tables of every sort, by name."""
    plain = _verdicts(1)
    drawn = _verdicts(5, items=400, judges=(("j", 0.9, 0.8),), labelled=0.3)
    made = {
        "clusters": plain,
        "independent": [{key: row[key] for key in ("item_id", "judge", "score", "label")} for row in plain],
        "missing": _verdicts(2, judges=_THREE, missing=0.1, labelled=0.7),
        "few-clusters": _verdicts(3, items=90, clusters=7, judges=_THREE),
        "one-cluster": _verdicts(4, items=40, clusters=1),
        "repeats": _verdicts(6, repeats=3, items=120, clusters=30),
        "levels": _verdicts(7, steps=2, missing=0.05),
        "fractions": _verdicts(8, steps=10, labelled=0.5),
        "probabilities": _verdicts(9, steps=5000, items=300, clusters=45),
        "perfect": _verdicts(10, judges=(("p", 1.0, 1.0), ("half", 0.5, 0.5)), items=60, clusters=20),
        "constant": _verdicts(11, judges=(("yes", 1.0, 0.0), ("no", 0.0, 1.0)), items=60, clusters=20),
        "unlabelled": _verdicts(12, labelled=0.0),
        "one-label": _each(
            _verdicts(13, judges=(("j", 0.9, 0.8),)),
            lambda row: {"label": 1.0 if row["item_id"] == "q3|s1|0" else None},
        ),
        "one-class": _each(_verdicts(14, items=50, clusters=12), lambda _: {"label": 1.0}),
        "some-labels": _verdicts(15, judges=(("j", 0.9, 0.8),), labelled=0.3, items=500, clusters=80),
        "few-labels": _verdicts(16, judges=(("j", 0.9, 0.8),), labelled=0.1, items=150, clusters=9),
        "drawn": _each(drawn, _chance),
        "rounds": _each(drawn, _round),
    }  # fmt: skip
    folder = Path(os.environ.get("FIDUCIAL_REFERENCE", "-")) / "calibration"
    for name in ("devai", "summhay", "llmbar"):
        if (folder / name).is_dir():
            lines = (folder / name / "data.jsonl").read_text(encoding="utf-8").splitlines()
            rows = [json.loads(line) for line in lines]
            made[name] = [{key: row[key] for key in row if key not in {"raw", "criteria"}} for row in rows]
    return made


_CALIBRATE: tuple[tuple[str, ...], ...] = (
    (),
    ("--interval", "wilson"),
    ("--interval", "wald"),
    ("--interval", "cluster-t"),
    ("--interval", "bootstrap", "--seed", "3"),
    (
        "--max-error",
        "0.2",
        "--threshold-for",
        "balanced_accuracy",
        "--recalibrate",
        "isotonic",
        "--slice",
        "kind",
    ),
    ("--recalibrate", "platt", "--pass-at", "0.7", "--label-audit", "AUDIT"),
    ("--levels", "0,0.5,1"),
    ("--max-error", "0.25", "--cascade", "kind/a@m,strict/b@m"),
)
_COMPARE: tuple[tuple[str, ...], ...] = (
    (),
    ("--statistic", "mcc", "--flips", "3"),
    ("--by", "system", "--right", "label"),
    ("--by", "system", "--right", "score"),
    ("--interval", "bootstrap", "--statistic", "true_positive_rate"),
)
_ESTIMATE: tuple[tuple[str, ...], ...] = (
    (),
    ("--interval", "wald"),
    ("--target", "finite"),
    ("--strata", "kind"),
    ("--strata", "score", "--target", "finite", "--interval", "wald"),
)
_PLAN: tuple[tuple[str, ...], ...] = (
    ("--next", "40"),
    ("--next", "40", "--by-doubt"),
    ("--next", "60", "--strata", "kind"),
)
_SIZES: tuple[tuple[str, ...], ...] = (
    ("--half-width", "0.05", "--tpr", "0.9", "--tnr", "0.85", "--prevalence", "0.3", "--unlabelled", "2000"),
    ("--half-width", "0.02", "--tpr", "0.6", "--tnr", "0.5", "--prevalence", "0.9", "--unlabelled", "100"),
    ("--difference", "0.05", "--discordant", "0.15", "--power", "0.9", "--rows-per-cluster", "4", "--icc", "0.2"),
)  # fmt: skip


def _runs(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the name and the command line of every run."""
    for name, rows in _tables().items():
        path = folder / f"{name}.csv"
        _write(path, rows)
        large = len(rows) > 3_000
        one = [] if len({row["judge"] for row in rows}) == 1 else ["--judge", str(rows[0]["judge"])]
        for command, options in [
            *(("calibrate", each) for each in (_CALIBRATE[1:4] if large else _CALIBRATE)),
            *(("compare", each) for each in (_COMPARE[:1] if large else _COMPARE)),
            *(("estimate", (*one, *each)) for each in _ESTIMATE),
            *(("plan", (*one, *each)) for each in _PLAN),
        ]:
            audit = folder / f"{name}.audit.jsonl"
            words = [str(audit) if word == "AUDIT" else word for word in options]
            yield f"{command} {name} {' '.join(options)}", [command, str(path), *words]
    for options in _SIZES:
        yield f"plan {' '.join(options)}", ["plan", *options]


def _write(path: Path, rows: Rows) -> None:
    names = list(dict.fromkeys(key for row in rows for key in row))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names, restval="")
        writer.writeheader()
        writer.writerows(rows)
    labels = {row["item_id"]: row["label"] for row in rows if row.get("label") is not None}
    verdicts: Rows = []
    for number, (item, label) in enumerate(sorted(labels.items())[:80]):
        case, _, more = item.partition("|")
        verdict = {"case_id": case, "system": more.split("|")[0], "by": "ann", "source": "human"}
        score = label if number % 9 else 1 - label
        verdicts.append(verdict | {"outcome": "graded", "score": score})
    path.with_suffix(".audit.jsonl").write_text(
        "".join(f"{json.dumps(row)}\n" for row in verdicts), encoding="utf-8"
    )


def _found() -> dict[str, Any]:
    """Return the JSON and text of every run, or its error message, by name."""
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for run, words in _runs(folder):
            result = CliRunner().invoke(
                cli, [*words, "--json", *([] if words[0] == "plan" else ["-"])], standalone_mode=False
            )
            if result.exception is not None:
                found[run] = {"refused": str(result.exception).replace(name, "")}
                continue
            text = CliRunner().invoke(cli, words, standalone_mode=False).stdout
            found[run] = {"json": json.loads(result.stdout), "text": text.replace(name, "")}
            print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return found


def _same(before: Any, after: Any) -> bool:
    if isinstance(before, float | int) and isinstance(after, float | int):
        return math.isclose(before, after, rel_tol=_CLOSE, abs_tol=_CLOSE)
    return before == after


def main() -> int:
    """Save the numbers, or compare them with saved ones."""
    parser = described(__doc__)
    parser.add_argument("do", choices=["write", "compare"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--words", action="store_true", help="compare the printed text too")
    parser.add_argument("--show", type=int, default=40, help="differences that are shown")
    arguments = parser.parse_args()
    found = _found()
    if arguments.do == "write":
        arguments.file.write_text(json.dumps(found), encoding="utf-8")
        print(f"{len(found)} runs are written down")
        return 0
    before = json.loads(arguments.file.read_text(encoding="utf-8"))
    if not arguments.words:
        for each in (*before.values(), *found.values()):
            each.pop("text", None)
    was, now = dict(leaves(before)), dict(leaves(found))
    gone = [f"gone: {path}" for path in was if path not in now]
    changed = [
        f"differs: {path}: {value!r} was, {now[path]!r} is"
        for path, value in was.items()
        if path in now and not _same(value, now[path])
    ]
    new = [f"new: {path}" for path in now if path not in was]
    print("\n".join([*changed, *gone, *new][: arguments.show]))
    print(f"{len(found)} runs: {len(changed)} differ, {len(gone)} are gone, {len(new)} are new")
    return 1 if changed or gone else 0


if __name__ == "__main__":
    raise SystemExit(main())
