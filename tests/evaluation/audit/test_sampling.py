"""Which probes are judged."""

from __future__ import annotations

from pathlib import Path

from fiducial.evaluation.audit.probe_folder import read_facts
from fiducial.evaluation.audit.sampling import choose, site_of


def test_so_many_of_each_operator_from_different_right_outputs(probes: Path):
    chosen = choose(read_facts(probes), 20)
    of_enum = [probe for probe in chosen.probes.values() if probe.operator == "swapped_enum"]
    assert len(of_enum) == 20
    assert len({probe.source for probe in of_enum}) == 20


def test_a_larger_sample_keeps_what_a_smaller_one_chose(probes: Path):
    facts = list(read_facts(probes))
    small, large = choose(facts, 5), choose(facts[::-1], 15)
    assert small.probes.keys() <= large.probes.keys()


def test_the_right_output_of_every_twin_is_judged_too(probes: Path):
    chosen = choose(read_facts(probes), 7)
    twins = [probe for probe in chosen.probes.values() if probe.plants == "twin"]
    assert twins
    assert {probe.source for probe in twins} <= chosen.originals <= chosen.probes.keys()


def test_attacks_come_with_their_controls(probes: Path):
    chosen = choose(read_facts(probes), 7)
    places = {
        name: {(probe.source, site_of(probe)) for probe in chosen.probes.values() if probe.operator == name}
        for name in ("injected_verdict", "injected_control", "padded_value", "bare_value")
    }
    assert places["injected_verdict"] == places["injected_control"] != set()
    assert places["padded_value"] == places["bare_value"] != set()


def test_operators_can_be_chosen_by_name(probes: Path):
    chosen = choose(read_facts(probes), 3, ["off_by_one"])
    assert {probe.operator for probe in chosen.probes.values()} == {"original", "off_by_one"}
