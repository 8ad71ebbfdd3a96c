"""Whole sentences that people act on, held against simulated runs whose truth is known.

    nice -n 15 python benchmarks/headline.py [--draws 1000] [--rows 1 2 ...]

Prints a table: case, number measured before these methods, target, number measured now with its Monte Carlo error.
"""

from __future__ import annotations

import time

from commands import described
from simulation.case_control import class_samples, golden_sets, other_items
from simulation.cliffs import cliffs
from simulation.combined_worlds import combined_worlds
from simulation.contradictions import contradictions
from simulation.counted_exactly import equal_opinions, tried_systems
from simulation.cycles import corrected_wins, cycles
from simulation.equal_judges import equal_judges
from simulation.erring_deciders import erring_deciders
from simulation.erring_people import erring_people
from simulation.few_labels import alarms, corrected_runs, differences, false_winners, leads
from simulation.gates import gates
from simulation.judge_words import low_errors, unbiased_judges
from simulation.jury_worth import jury_worth
from simulation.lenient_judges import lenient_judges
from simulation.looks import looks
from simulation.margins import margins
from simulation.more_estimates import covariate_shifts, open_bounds, several_judges
from simulation.next_plans import power
from simulation.order_effects import order_effects
from simulation.probabilities import probability_worlds
from simulation.scenario import Scenarios
from simulation.trust import verdicts
from simulation.uneven_outputs import uneven_outputs
from simulation.uneven_preferences import win_rates
from simulation.unlabelled_systems import unlabelled_systems
from simulation.variance_splits import variance_splits
from simulation.whole_case_audits import audits

ROWS: dict[int, tuple[str, Scenarios]] = {
    1: ("false alarm: labels look chosen", alarms),
    2: ("corrected runs", corrected_runs),
    3: ("equal systems, one called better", false_winners),
    4: ("interval of the difference of two systems", differences),
    11: ("power of the cases that the next step proposes", power),
    8: ("adjudication by people who err", erring_deciders),
    9: ("win rate over uneven clusters", win_rates),
    12: ("level where a judge breaks, with a cliff", cliffs),
    7: ("rates corrected by an audit of whole cases", audits),
    13: ("labels drawn by true class", class_samples),
    10: ("strengths under an order effect", order_effects),
    14: ("preferences that no ranking explains", cycles),
    15: ("win rate corrected by people's choices", corrected_wins),
    16: ("undecided outputs on which a judge is worse", open_bounds),
    17: ("rate corrected by several judges at once", several_judges),
    18: ("rate corrected with labels drawn by covariates", covariate_shifts),
    19: ("share of variance between cases", variance_splits),
    6: ("both error rates of a judge called low", verdicts),
    20: ("a judge that may guess, called the best", lenient_judges),
    21: ("not worse by more than 5 points", margins),
    22: ("golden sets of half good and half bad outputs", golden_sets),
    28: ("labels in rounds, until the interval leaves 0.80", looks),
    29: ("independent votes that a jury is worth", jury_worth),
    31: ("one of two systems without labels", unlabelled_systems),
    32: ("judges without a bias", unbiased_judges),
    33: ("judges with an error rate of 10 % or more", low_errors),
    34: ("labels from elsewhere", other_items),
    35: ("comparisons whose labels are no random sample", contradictions),
    41: ("hard outputs ungraded, cases with more trials, or both", uneven_outputs),
    42: ("two difficulties at once", combined_worlds),
    53: ("gate between two runs", gates),
    51: ("judges that give probabilities", probability_worlds),
    23: ("equal judges: one called best, and the highest of them", equal_judges),
    24: ("rate by labels of people who err", erring_people),
    25: ("mean of equal opinions", equal_opinions),
    26: ("systems whose cases are tried several times", tried_systems),
    5: ("lead of the best system over each other one, all intervals at once", leads),
}


def main() -> None:
    """Print the rows asked for, or all."""
    parser = described(__doc__)
    parser.add_argument("--draws", type=int, default=1_000)
    parser.add_argument("--rows", type=int, nargs="*", choices=list(ROWS), default=list(ROWS))
    arguments = parser.parse_args()
    print("| row | case | before | wanted | measured |\n|---|---|---|---|---|")
    for row in arguments.rows:
        title, scenarios = ROWS[row]
        started = time.perf_counter()
        print(f"| {row} | **{title}** | | | |")
        for scenario in scenarios(arguments.draws):
            print(
                f"| | {scenario.what} | {scenario.before} | {scenario.wanted} | {scenario.measured} |",
                flush=True,
            )
        print(f"| | ({time.perf_counter() - started:.0f} s) | | | |", flush=True)


if __name__ == "__main__":
    main()
