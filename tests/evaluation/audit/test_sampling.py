"""Which probes are judged."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from fiducial.evaluation.audit.probe_folder import ProbeFacts, read_facts
from fiducial.evaluation.audit.sampling import choose_probes, site_of
from fiducial.records import ItemKey


def test_so_many_of_each_operator_from_different_right_outputs(probes: Path):
    chosen = choose_probes(read_facts(probes), 20, str)
    of_enum = [probe for probe in chosen.probes.values() if probe.operator == "swapped_enum"]
    assert len(of_enum) == 20
    assert len({probe.source for probe in of_enum}) == 20


def test_a_larger_sample_keeps_what_a_smaller_one_chose(probes: Path):
    facts = list(read_facts(probes))
    small, large = choose_probes(facts, 5, str), choose_probes(facts[::-1], 15, str)
    assert small.probes.keys() <= large.probes.keys()


def test_the_right_output_of_every_twin_is_judged_too(probes: Path):
    chosen = choose_probes(read_facts(probes), 7, str)
    twins = [probe for probe in chosen.probes.values() if probe.plants == "twin"]
    assert twins
    assert {probe.source for probe in twins} <= chosen.originals <= chosen.probes.keys()


def test_right_outputs_keep_their_order(probes: Path):
    facts = list(read_facts(probes))
    chosen = choose_probes(facts, 7, str)
    in_order = [probe.key for probe in facts if probe.key in chosen.originals]
    assert [key for key in chosen.probes if key in chosen.originals] == in_order


def test_attacks_come_with_their_controls(probes: Path):
    chosen = choose_probes(read_facts(probes), 7, str)
    places = {
        name: {(probe.source, site_of(probe)) for probe in chosen.probes.values() if probe.operator == name}
        for name in ("injected_verdict", "injected_control", "padded_value", "bare_value")
    }
    assert places["injected_verdict"] == places["injected_control"] != set()
    assert places["padded_value"] == places["bare_value"] != set()


def test_operators_can_be_chosen_by_name(probes: Path):
    chosen = choose_probes(read_facts(probes), 3, str, ["off_by_one"])
    assert {probe.operator for probe in chosen.probes.values()} == {"original", "off_by_one"}


def made_of(*sources: ItemKey, operator: str = "swapped_enum", sites: int = 1) -> list[ProbeFacts]:
    """Probes of an operator, so many of each right output, with the right outputs."""
    originals = [ProbeFacts(source, "original", "nothing", source, 1.0, "") for source in sources]
    probes = [
        ProbeFacts(
            ItemKey(source.case_id, f"{source.system}~{operator}", site), operator, "twin", source, 1.0, ""
        )
        for source in sources
        for site in range(sites)
    ]
    return [*originals, *probes]


def test_clusters_and_systems_take_turns():
    sources = [
        ItemKey(f"{cluster}-{number}", system, 0)
        for cluster in range(15)
        for number in range(20 if cluster == 3 else 2)
        for system in ("careful", "hasty", "sloppy")
    ]
    chosen = choose_probes(made_of(*sources), 20, lambda case_id: case_id.partition("-")[0])
    drawn = [probe.source for probe in chosen.probes.values() if probe.operator == "swapped_enum"]
    assert len(drawn) == 20
    assert len({source.case_id.partition("-")[0] for source in drawn}) == 15
    assert {6, 7} == set(Counter(source.system for source in drawn).values())


def test_every_cluster_that_an_operator_applies_to_has_its_turn():
    sources = [ItemKey(f"{cluster}-{number}", "me", 0) for cluster in range(15) for number in range(9)]
    facts = made_of(*sources) + made_of(*sources[8::9], operator="rare")
    chosen = choose_probes(facts, 15, lambda case_id: case_id.partition("-")[0])
    rare = {
        probe.source.case_id.partition("-")[0] for probe in chosen.probes.values() if probe.operator == "rare"
    }
    assert len(rare) == 15


def test_operators_that_apply_to_the_same_outputs_are_tried_on_the_same():
    sources = [ItemKey(f"{number % 7}-{number}", f"system-{number % 3}", 0) for number in range(100)]
    facts = made_of(*sources, operator="one") + made_of(*sources, operator="other", sites=3)
    chosen = choose_probes(facts, 25, lambda case_id: case_id.partition("-")[0])
    one, other = (
        {probe.source for probe in chosen.probes.values() if probe.operator == name}
        for name in ("one", "other")
    )
    assert one == other == chosen.originals


def test_of_several_probes_of_a_right_output_not_always_the_first_comes_first():
    sources = [ItemKey(f"case-{number}", "me", 0) for number in range(60)]
    chosen = choose_probes(made_of(*sources, sites=3), 60, str)
    sites = Counter(site_of(probe) for probe in chosen.probes.values() if probe.plants == "twin")
    assert set(sites) == {0, 1, 2}
    assert min(sites.values()) > 10
