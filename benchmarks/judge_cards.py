"""Cards of every judge that can be asked offline, and docs/measured-judges.md made of them.

    FIDUCIAL_REFERENCE=/path/to/reference make cards

Judges: `reasons` of the five judges whose replies about probes of the set are recorded, with one Claude model; the word overlap baseline; one that passes
everything and one that fails everything; and, where they are installed, metrics of other tools that need no model and the decision model `sparrow`, which
runs here. Prompts without a recording are named as not yet asked.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from audit_set import REAL, SEED
from commands import described, reference_folder
from make_requests import draw_real
from shipped_judges import made
from sparrow_server import has_sparrow, sparrow_server

import fiducial as fd
from fiducial.api.run_files import ModelAccess
from fiducial.judges.catalogue import known_prompts

RECORDED = ("tool_call_accuracy", "groundedness", "memory_answer", "web_search_answer", "task_completion")


ON_CALLS = {"tool_call_accuracy", "task_completion"}
"""Judges that the set's natural part has outputs for."""


def main() -> int:
    """Write the cards and the page; returns the exit code."""
    parser = described(__doc__)
    parser.add_argument("--cards", type=Path, default=Path("docs/cards"))
    parser.add_argument("--out", type=Path, default=Path("docs/measured-judges.md"))
    arguments = parser.parse_args()
    arguments.cards.mkdir(parents=True, exist_ok=True)
    recorded = reference_folder("recorded")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        draw_real(recorded.parent, folder / "natural", REAL, SEED)
        replies = folder / "replies.jsonl"
        replies.write_bytes(
            b"".join((recorded / file).read_bytes() for file in ("audit.jsonl", "real.jsonl"))
        )
        for file, judge, options in judges(replies, folder / "natural"):
            card = fd.audit_card(judge, out=folder / file, made_by="the project", progress=False, **options)
            (arguments.cards / file).write_bytes((folder / file).read_bytes())
            print(f"{file}: {card!r}")
    arguments.out.write_text("\n".join(page(arguments.cards)) + "\n", "utf-8")
    return 0


def judges(replies: Path, natural: Path) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Yield the file of each card, its judge, and how it is asked."""
    for name in RECORDED:
        recorded = {"model": "claude", "access": lambda: ModelAccess(replay=replies)}
        copy = {"natural": natural} if name in ON_CALLS else {}
        yield f"{name}-reasons-claude.json", f"{name}/reasons", {**recorded, **copy}
        yield f"{name}-lexical.json", fd.judge(name, model="baseline"), copy
    for name, score in (("always-pass", 1.0), ("always-fail", 0.0)):
        fd.judge_function(name)(constant(score))
        yield f"{name}.json", fd.judge(name), {"natural": natural}
    for metric, judge in made()[0]:
        yield f"{metric.tool}-{metric.name}.json", judge, {"natural": natural}
    if not has_sparrow():
        print("sparrow: not installed, its cards stay as they are")
        return
    with sparrow_server() as url:
        for name in RECORDED:
            copy = {"natural": natural} if name in ON_CALLS else {}
            asked = fd.judge(name, model="sparrow", base_url=url, api="systemone", cache=False)
            yield f"{name}-sparrow.json", asked, copy


def constant(score: float) -> Callable[[fd.Case, fd.Output], float]:
    """A judge that does not look."""

    def judge(_case: fd.Case, _output: fd.Output) -> float:
        return score

    return judge


def page(cards: Path) -> Iterator[str]:
    """Yield the page, part by part."""
    files = sorted(cards.glob("*.json"))
    table = fd.audit_table(files)
    yield "# Measured judges\n"
    yield (
        "What judges let through and reject on one fixed set of probes, whose labels are proved: a checker or the construction of the probe decides. "
        "Written by `make cards`; the cards are in `docs/cards`.\n"
    )
    yield table.to_markdown()
    asked = {card.id.name + "/" + card.id.variant for card in table.cards}
    left = [str(name) for name in known_prompts() if str(name) not in asked]
    yield (
        "`sparrow` is the offline [decision model](decision-models.md) of a package. It leaves a case ungraded if it denies the last entry of the material.\n"
    )
    yield f"Not yet asked, for want of recorded replies: {', '.join(f'`{name}`' for name in left)}.\n"
    yield GUIDE


GUIDE = """\
## Add a row

One command asks your judge about the set; the second shows it beside the others. The same command resumes, and `--dry-run` forecasts the calls and their cost first.

```console
$ fiducial audit card --judge my_judge.prompty --model my-model --base-url http://127.0.0.1:8000/v1 --record replies.jsonl --made-by "A. Person" --out card.json --dry-run
$ fiducial audit card --judge my_judge.prompty --model my-model --base-url http://127.0.0.1:8000/v1 --record replies.jsonl --made-by "A. Person" --out card.json
$ fiducial audit table docs/cards/*.json card.json
$ fiducial audit table docs/cards/*.json card.json --out pages
```

`pages` has a table, and a page a judge that shows everything it graded wrongly: each fault as a change in the right output, beside the judge's reason. `--badge badge.svg` draws a badge of one card.

Judges in Python: `fd.audit_card(fd.judge_from(function), out="card.json")`. Publish `replies.jsonl` with the card: with `--replay replies.jsonl` in place of the endpoint anybody parses the replies and makes the card again, the same but for cost and date.

To sign it, with the SSH key that you have (Ed25519):

```console
$ ssh-keygen -Y sign -n fiducial-card -f ~/.ssh/id_ed25519 card.json
```

`audit table` verifies the `card.json.sig` beside a card (`pip install '.[sign]'`), refuses one that does not fit, and shows the key's fingerprint, as `ssh-keygen -lf` and forges do. A signature says whose key it was and that nothing changed, not that the run was honest: the replies do. Signed or not, a card is refused whose shares are not those of the probes it lists as graded wrongly, or are not over all probes of its kinds of case.

## What a card holds

* the set's name and seal (SHA-256 over all its files), the judge's fingerprint (prompt, model, parameters, parser), the models that the endpoint named, who made it, and when
* shares over planted faults, right outputs with their harmless twins, attacks, and the attacks' controls (the same wrong output without the attack), each with its interval and n; the same by kind
* every probe that was graded wrongly, with the change and the judge's reason; natural outputs by id only
* probes without a score, by outcome: they are in no share
* if its scores are declared to be probabilities, mean minus rate, ECE and Brier score by the code of `fiducial calibrate`, on right outputs, twins and faults
* calls, tokens, dollars if the price is known, and seconds an item

Cards of different sets are refused side by side, and only judges of the same kinds of case were asked the same probes.

## The set

`audit-set-1` was drawn once from the built-in suite (`benchmarks/audit_set.py`): 272 faults and 145 harmless twins of 63 operators, 117 attacks with 78 controls, and the 66 right outputs that the twins were made of. Probes with recorded replies come first. `sources.jsonl` has the right output of each, which pages show beside it.

Its natural part names 500 outputs of two real systems on BFCL by id and hash, half of them wrong by BFCL's verdicts. The texts are not shipped: with `--natural FOLDER`, a folder with `cases.jsonl` and `outputs.jsonl` of your copy, those that are found unchanged are asked about, too. Without it the card says "not tried".
"""


if __name__ == "__main__":
    sys.exit(main())
