"""Tables of docs/preference.md: a real judge beside people, and simulated judges.

The real judge's choices are recorded; the truth of simulated ones is known.

    python benchmarks/preference.py [DRAWS] [--llmbar FOLDER]

FOLDER holds ``data.jsonl``: rows with ``subset``, ``judge``, ``item_id``, ``order`` (AB or BA), ``score`` and ``label`` (1: the first of both outputs).
2,000 draws take about three minutes of one core.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from commands import described
from scipy.special import expit

from fiducial.calibration.arrays import FloatArray, IntArray
from fiducial.calibration.preference.bradley_terry import strengths
from fiducial.calibration.preference.choices import Choices
from fiducial.calibration.preference.measure import preferences_of
from fiducial.calibration.preference.preference_results import PreferenceNumbers
from fiducial.report.text.number_text import p_value

SYSTEMS = ["a", "b", "c", "d"]
PLANTED = np.array([0.9, 0.2, -0.3, -0.8])
WITHIN = 0.7
"""Standard deviation of a system's strength from cluster to cluster."""

CASES = 2
"""Of a cluster."""


class Judge(NamedTuple):
    """A judge that was made up.

    Attributes:
        to_first: Log-odds by which it favours what is shown first.
        ties: Chance that it calls a tie.
    """

    to_first: float = 0.0
    ties: float = 0.1


def drawn(rng: np.random.Generator, clusters: int, strength: FloatArray, judge: Judge) -> Choices:
    """Every pair of systems on every case, in both orders."""
    a, b, cluster, odds = contests(rng, clusters, strength)

    def chosen(log_odds: FloatArray) -> FloatArray:
        choice = (rng.random(len(a)) < expit(log_odds + judge.to_first)).astype(np.float64)
        return np.where(rng.random(len(a)) < judge.ties, 0.5, choice)

    unknown = np.full(len(a), np.nan)
    names = SYSTEMS[: len(strength)]
    return Choices(names, a, b, chosen(odds), chosen(-odds), cluster, unknown, unknown, unknown, unknown)


def contests(
    rng: np.random.Generator, clusters: int, strength: FloatArray
) -> tuple[IntArray, IntArray, IntArray, FloatArray]:
    """Return the opponents and the cluster of each contest, and the first one's log-odds."""
    pairs = np.array([(i, j) for i in range(len(strength)) for j in range(i)])
    a, b = np.tile(pairs, (clusters * CASES, 1)).T
    cluster = np.repeat(np.arange(clusters), len(pairs) * CASES)
    at = (strength + rng.normal(0, WITHIN, (clusters, len(strength))))[cluster]
    rows = np.arange(len(a))
    return a, b, cluster, at[rows, a] - at[rows, b]


def truth() -> FloatArray:
    """Return the strengths in infinitely many clusters.

    They are less far apart than planted, since clusters differ.
    """
    a, b, cluster, odds = contests(np.random.default_rng(0), 100_000, PLANTED)
    preferred = 0.9 * expit(odds) + 0.05
    return np.array([strength.value for strength in strengths(SYSTEMS, a, b, preferred, cluster)])


def coverage(draws: int) -> Iterator[str]:
    """Yield coverage of intervals, and how often a test of equals finds a difference."""
    true = truth()
    yield "| clusters | strengths in their interval, of 95 % | equals called different, of 5 % | order found that does not matter, of 5 % | undefined |"
    yield "|---|---|---|---|---|"
    for clusters in (10, 20, 50, 200):
        rng = np.random.default_rng(clusters)
        held, counted, undefined, unequal, ordered = 0, 0, 0, 0, 0
        for _ in range(draws):
            game = drawn(rng, clusters, PLANTED, Judge())
            for each, value in zip(
                strengths(SYSTEMS, game.a, game.b, game.preferred, game.cluster), true, strict=True
            ):
                if each.low is None or each.high is None:
                    undefined += 1
                else:
                    counted += 1
                    held += each.low <= value <= each.high
            found = preferences_of("j", drawn(rng, clusters, np.zeros(2), Judge()))
            unequal += found.matches[0].better is not None
            ordered += found.position.found
        yield f"| {clusters} | {held / counted:.1%} of {counted:,} | {unequal / draws:.1%} | {ordered / draws:.1%} | {undefined:,} |"


def power(draws: int) -> Iterator[str]:
    """Yield how often the test finds a judge that favours the output shown first."""
    yield "| log-odds to the first | flips more to the first than the second, of comparisons | found, 50 clusters | 200 clusters |"
    yield "|---|---|---|---|"
    for to_first in (0.0, 0.2, 0.4, 0.8):
        found: dict[int, int] = {}
        excess: list[float] = []
        for clusters in (50, 200):
            rng = np.random.default_rng(clusters)
            for _ in range(draws // 4):
                seen = preferences_of("j", drawn(rng, clusters, np.zeros(2), Judge(to_first))).position
                found[clusters] = found.get(clusters, 0) + seen.found
                excess.append((seen.to_first - seen.to_second) / (clusters * CASES))
        shares = " | ".join(f"{found[literal] / (draws // 4):.0%}" for literal in (50, 200))
        yield f"| {to_first:g} | {np.mean(excess):+.1%} | {shares} |"


def recorded(folder: Path) -> Iterator[str]:
    """Fifteen prompts of one real judge on the same pairs, of which people said which is better."""
    for part, subsets in (
        ("Natural", ["Natural"]),
        ("adversarial", ["adv_GPTInst", "adv_GPTOut", "adv_Manual", "adv_Neighbor"]),
    ):
        yield f"\n{part}:\n"
        yield "| prompt | n | right, each order half | right in both | wrong in both | flips (to first, second) | chooses the first, less half | Holm p |"
        yield "|---|---|---|---|---|---|---|---|"
        for judge, found in of_prompts(folder / "data.jsonl", set(subsets)):
            assert found.labels is not None
            position = found.position
            effect = position.effect
            yield (
                f"| {judge} | {found.complete:,} of {found.comparisons:,} | {shown(found.labels.right)} | {shown(found.labels.right_in_both)} | "
                f"{shown(found.labels.wrong_in_both)} | {shown(position.flips)} ({position.to_first}, {position.to_second}) | "
                f"{effect.value:+.3f} [{effect.low:+.3f}, {effect.high:+.3f}] | {p_value(position.holm_p)}{' found' if position.found else ''} |"
            )


def shown(found: Any) -> str:
    """A share with its interval."""
    return f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]"


def of_prompts(path: Path, subsets: set[str]) -> Iterator[tuple[str, PreferenceNumbers]]:
    """Each prompt's choices, the first and the second output as two systems."""
    items: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["subset"] in subsets:
            item = items[row["judge"]].setdefault(row["item_id"], {"label": row["label"]})
            item[row["order"]] = np.nan if row["score"] is None else float(row["score"])
    for judge, rows in items.items():
        n, each = len(rows), list(rows.values())
        unknown = np.full(n, np.nan)
        choices = Choices(
            systems=["output 1", "output 2"],
            a=np.zeros(n, dtype=np.int64),
            b=np.ones(n, dtype=np.int64),
            a_first=np.array([row["AB"] for row in each]),
            b_first=1.0 - np.array([row["BA"] for row in each]),
            cluster=np.arange(n),
            length_a=unknown,
            length_b=unknown,
            label=np.array([row["label"] for row in each], dtype=np.float64),
            person=unknown,
        )
        yield judge.removeprefix("GPT-4:"), preferences_of(judge, choices)


def main() -> None:
    """Print the tables."""
    parser = described(__doc__)
    parser.add_argument("draws", nargs="?", type=int, default=2_000)
    parser.add_argument("--llmbar", type=Path)
    given = parser.parse_args()
    if given.llmbar is not None:
        print(*recorded(given.llmbar), sep="\n", flush=True)
    print("", *coverage(given.draws), "", *power(given.draws), sep="\n")


if __name__ == "__main__":
    main()
