"""Evidence on single variants, on judges that compare or name a step, and on ladders.

Their replies were recorded later than the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from evidence_tables import MODEL, made, p_value, table
from make_requests import LADDERS
from recorded_adjudications import JUDGE, LABEL, NOBODY, read_recorded, side

import fiducial as fd
from fiducial.calibration.comparison.comparison_results import ComparedPair
from fiducial.calibration.intervals.closed_forms import wilson_interval
from fiducial.data import demo_path
from fiducial.deterministic.mutation import DIALS

_RECORDED = ("tool_call_accuracy/explicit", "groundedness/explicit")
"""Judges whose ladders were recorded."""

_NOT_RECORDED = {"paraphrase_fault", "retold_claims"}
"""Dials that are newer than the recordings."""


def explicit_disagreements(recorded: Path) -> Iterator[str]:
    """Yield who was right where `explicit` alone contradicts the official label."""
    rows = read_recorded(recorded)
    alike = sum(row.first.verdict == row.second.verdict for row in rows)
    yield "\n### Where only `explicit` contradicts the label\n"
    yield (
        f"{len(rows)} outputs on which `explicit` differs from the official label and `reasons` does not, decided twice by the same model, which saw the "
        f"reference: {alike} of {len(rows)} pairs of decisions agree. Right is:\n"
    )
    counts: Counter[tuple[str, str]] = Counter()
    for row in rows:
        sides = {side(row, opinion) for opinion in (row.first, row.second)}
        said = "passes, the label fails" if row.judge_score > row.label else "fails, the label passes"
        counts[said, sides.pop() if len(sides) == 1 else "decided differently"] += 1
    for said in ("passes, the label fails", "fails, the label passes"):
        shares = ", ".join(
            f"{who} {counts[said, who]}"
            for who in (JUDGE, LABEL, NOBODY, "decided differently")
            if counts[said, who]
        )
        yield f"* `explicit` {said}: {shares}."
    yield ""


def against_reasons(pairs: Sequence[ComparedPair]) -> Iterator[str]:
    """Yield each variant's difference to `reasons`, as prompts/recorded.toml keeps it."""
    rows: list[tuple[object, ...]] = []
    for pair in pairs:
        a, b = (name.removesuffix(f"@{MODEL}") for name in (pair.a, pair.b))
        if not (a.endswith("/reasons") or b.endswith("/reasons")):
            continue
        sign = -1 if a.endswith("/reasons") else 1
        judge, _, variant = (b if sign < 0 else a).partition("/")
        found = pair.difference
        low, high = sorted((sign * _number(found.low), sign * _number(found.high)))
        interval = f"{sign * _number(found.value) + 0.0:.3f} [{low:.3f}, {high:.3f}]"
        rows.append((f"{judge}: {variant}", found.n, interval, p_value(pair.adjusted_p)))
    yield "\nAccuracy minus that of `reasons` on the same outputs ([kept](prompts.md#what-is-known-of-a-variant) with each variant):\n"
    yield from table(("judge", "n", "difference", "adjusted p"), rows)


def _number(value: float | None) -> float:
    assert value is not None, "a difference of prompts on the same outputs is defined"
    return value


def first_wrong_step_section(recorded: Path) -> Iterator[str]:
    """Yield whether a judge that names a step sees that something was wrong."""
    run = fd.evaluate(
        demo_path("cases.jsonl"),
        demo_path("outputs.jsonl"),
        judges=[made("first_wrong_step/reasons", recorded)],
        labels=demo_path("labels.jsonl"),
        rules=None,
        progress=False,
    )
    (found,) = run.calibration.judges.values()
    right = round(_number(found.accuracy.value) * found.n)
    yield (
        f"\n`first_wrong_step/reasons` agrees with the label on {right} of {found.n} trajectories whether anything was wrong; "
        "whether it names the right step was not measured."
    )


def preference_section(recorded: Path) -> Iterator[str]:
    """Yield what a judge that compares said of pairs in both orders."""
    (found,) = fd.prefer(
        demo_path("outputs.jsonl"),
        cases=demo_path("cases.jsonl"),
        judges=made("preference/direct", recorded),
        labels=demo_path("labels.jsonl"),
    ).judges
    labels = found.labels
    assert labels is not None
    tied = sum(match.tied for match in found.matches)
    yield "\n## Which of two is better\n"
    yield (
        "`preference/direct` on 200 pairs of the suite's outputs, drawn at random, each in both orders; pairs of the same texts share replies.\n"
    )
    yield (
        f"Of {found.complete} pairs with a verdict in both orders, {tied} are tied in both; the order decides {found.position.flips}. "
        f"Where labels differ, the better output wins in both orders in {labels.right_in_both}; where they are alike, {labels.tied_in_both} are tied."
    )


def ladder_section(recorded: Path) -> Iterator[str]:
    """Yield how hard faults may be, and what it means that none is missed."""
    yield "\n## Ladders\n"
    yield (
        "`explicit` of two judges on [questions at fixed levels](audits.md#ladders-how-hard-a-fault-is-still-caught), half of those about calls recorded. "
        "The catch rate may fall from the easiest to the hardest level, at 95 %, by at most\n"
    )
    caught = faulty = beyond = right = failed = dials = 0
    for name in _RECORDED:
        audit = fd.audit(
            None,
            made(name, recorded),
            ladder=True,
            calls=LADDERS[name],
            evenly=True,
            only=[dial for dial in DIALS if dial not in _NOT_RECORDED],
        )
        judge = next(judge_audit for judge_audit in audit.judges if judge_audit.judge.startswith(name))
        falls: list[tuple[float, str]] = []
        for ladder in judge.ladders:
            caught += sum(level.caught for level in ladder.levels)
            faulty += sum(level.faulty for level in ladder.levels)
            beyond += ladder.threshold.where == "beyond the hardest"
            right += ladder.failed_right.n
            failed += round((ladder.failed_right.value or 0) * ladder.failed_right.n)
            falls.append((1.0 if ladder.drop.high is None else ladder.drop.high, ladder.dial))
        dials += len(falls)
        (least, steady), (most, steep) = min(falls), max(falls)
        yield f"* `{name}`: {least:.2f} (`{steady}`) to {most:.2f} (`{steep}`)"
    low, high = wilson_interval(caught / faulty, faulty)
    yield (
        f"\n{caught} of {faulty} planted faults are caught ({caught / faulty:.3f} [{low:.3f}, {high:.3f}]), and {failed} of {right} right outputs failed. "
        f"On {beyond} of {dials} dials more than 80 % are caught even at the hardest level. "
        "Natural faults do stop this model (the summaries above): missing nothing here proves nothing on your outputs."
    )
