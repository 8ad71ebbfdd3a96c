"""Agent judge on 55 tasks: 0/1 verdicts in clusters, by system, and corrected pass rates."""

from __future__ import annotations

import hashlib
import math
from typing import Any

import reference_names

from fiducial.calibration.intervals.closed_forms import t_quantile

from .ledger import Commands, Found, Ours, Rows, half_width, interval

NORMAL = 1.959963984540054
JUDGE = "agent_as_a_judge:gray_box"

BINARY = reference_names.BINARY | {"irrcac_cohen": "cohen_kappa"}
ERRORS = reference_names.BINARY_ERRORS | {"irrcac_cohen_se": "cohen_kappa"}


def values(run: Commands, rows: Rows, expected: dict[str, Any]) -> Ours:
    """Every value that has a name."""
    ours: Ours = {}
    panels = {"all": rows} | {
        system: [row for row in rows if row["system"] == system]
        for system in expected["judges"]
        if system != "all"
    }
    for name, part in panels.items():
        binary_panel(ours, f"judges/{name}", run, part, JUDGE)
    for name, alignment in expected["paper_table"]["values"].items():
        found = ours[f"judges/{name}/accuracy"]
        ours[f"paper_table/values/{name}"] = Found(100 * (found.value or 0), found.how, 0.01)
        del alignment
    for count in (100, 300):
        correction(ours, f"prevalence_correction/n={count}", run, rows, count)
    return ours


def binary_panel(ours: Ours, path: str, run: Commands, rows: Rows, judge: str) -> None:
    """Counts, agreement and standard errors of one judge."""
    wilson, how = run("calibrate", rows, "--interval", "wilson")
    panel = wilson["judges"][judge]
    for key in ("n", "tp", "fp", "fn", "tn", "n_clusters"):
        ours[f"{path}/{key}"] = Found(panel[key], how)
    for theirs, name in BINARY.items():
        ours[f"{path}/{theirs}"] = Found(panel["statistics"][name]["value"], how)
    for theirs in ("accuracy", "tpr", "tnr"):
        interval(ours, f"{path}/{theirs}_wilson95", panel["statistics"][BINARY[theirs]], how)
    verdicts = [row | {key: float(row[key] >= 0.5) for key in ("label", "score")} for row in rows]
    wald, how = run("calibrate", verdicts, "--interval", "wald", "--levels", "0,1")
    statistics = wald["judges"][judge]["statistics"]
    for theirs, name in ERRORS.items():
        ours[f"{path}/{theirs}"] = Found(half_width(statistics[name]) / NORMAL, how)
    interval(ours, f"{path}/cohen_kappa_ci95_wald", statistics["cohen_kappa"], how)
    prediger = wald["categories"][judge]["statistics"]["brennan_prediger"]
    ours[f"{path}/brennan_prediger"] = ours[f"{path}/pabak"] = Found(prediger["value"], how)
    ours[f"{path}/brennan_prediger_se"] = Found(half_width(prediger) / NORMAL, how)
    clustered, how = run("calibrate", rows, "--interval", "cluster-t")
    clusters = panel["n_clusters"]
    error = half_width(clustered["judges"][judge]["statistics"]["accuracy"]) / t_quantile(0.95, clusters - 1)
    ours[f"{path}/accuracy_cluster_se_statsmodels"] = Found(error, how)
    plain = error * math.sqrt((clusters - 1) / clusters)
    ours[f"{path}/accuracy_cluster_se_plain"] = Found(plain, f"{how}, times sqrt((G - 1) / G)")
    drawn, how = run("calibrate", rows, "--interval", "bootstrap")
    for name in ("accuracy", "cohen_kappa"):
        place = f"{path}/cluster_bootstrap_percentile95/{name}"
        interval(ours, place, drawn["judges"][judge]["statistics"][name], how, 0.006)


def correction(ours: Ours, path: str, run: Commands, rows: Rows, count: int) -> None:
    """Estimates of the pass rate from the labels of those items whose digests are the smallest."""
    digests = sorted(
        {row["item_id"] for row in rows},
        key=lambda item: hashlib.sha1(item.encode()).hexdigest(),  # noqa: S324 - how the split is defined; no secret
    )
    known = set(digests[:count])
    masked = [row | {"label": row["label"] if row["item_id"] in known else None} for row in rows]
    masked = [{key: row[key] for key in ("item_id", "judge", "score", "label", "cluster")} for row in masked]
    wald, how = run("estimate", masked, "--interval", "wald")
    result = wald["all"]
    ours[f"{path}/n_labelled"] = Found(result["n_labelled"], how)
    ours[f"{path}/n_unlabelled"] = Found(result["n_unlabelled"], how)
    ours[f"{path}/ppi_pp_lambda"] = Found(result["lambda"], how)
    for theirs, name in (("classical", "labels_only"), ("ppi_lam1", "ppi"), ("ppi_pp", "ppi_plus_plus")):
        value = f"{path}/{'classical_mean' if theirs == 'classical' else theirs}"
        ours[value] = Found(result["estimates"][name]["value"], how)
        interval(ours, f"{path}/{theirs}_ci95", result["estimates"][name], how)
    for part, some in (("labelled", True), ("unlabelled", False)):
        mine = [row for row in rows if (row["item_id"] in known) is some]
        found, how = run("estimate", mine)
        ours[f"{path}/judge_mean_{part}"] = Found(found["all"]["judge_mean"], f"{how}, of the {part}")
        ours[f"{path}/true_mean_{part}"] = Found(
            found["all"]["estimates"]["labels_only"]["value"], f"{how}, {part}"
        )
    found, how = run("estimate", rows)
    ours[f"{path}/true_mean_all"] = Found(found["all"]["estimates"]["labels_only"]["value"], how)
    _by_verdict(ours, path, run, masked)


def _by_verdict(ours: Ours, path: str, run: Commands, masked: Rows) -> None:
    """Post-stratified and Rogan-Gladen, items independent, and what they are made of."""
    result, how = run("estimate", masked, "--column", "cluster=item_id")
    stratified, corrected = (result["all"]["estimates"][name] for name in ("post_stratified", "rogan_gladen"))
    place = f"{path}/post_stratified"
    ours[f"{place}/estimate"] = Found(stratified["value"], how)
    interval(ours, f"{place}/ci95_logit", stratified, how)
    ends = [math.log(stratified[end] / (1 - stratified[end])) for end in ("low", "high")]
    error = (ends[1] - ends[0]) / 2 / NORMAL * stratified["value"] * (1 - stratified["value"])
    ours[f"{place}/var"] = Found(error**2, f"{how}, from the interval")
    place = f"{path}/rogan_gladen"
    ours[f"{place}/estimate"] = ours[f"{place}/estimate_unclipped"] = Found(corrected["value"], how)
    interval(ours, f"{place}/ci95_lang_reiczigel", corrected, how)
    ours[f"{place}/n"] = Found(result["all"]["n_unlabelled"], how)
    panel, how = run("calibrate", [row for row in masked if row["label"] is not None])
    panel = panel["judges"][masked[0]["judge"]]
    statistics, how = panel["statistics"], f"{how}, of the labelled"
    ours[f"{path}/post_stratified/mu1"] = Found(statistics["precision"]["value"], how)
    ours[f"{path}/post_stratified/mu0"] = Found(panel["fn"] / max(1, panel["fn"] + panel["tn"]), how)
    ours[f"{place}/sensitivity"] = Found(statistics["true_positive_rate"]["value"], how)
    ours[f"{place}/specificity"] = Found(statistics["true_negative_rate"]["value"], how)
    ours[f"{place}/m1"] = Found(panel["tp"] + panel["fn"], how)
    ours[f"{place}/m0"] = Found(panel["tn"] + panel["fp"], how)
    ours[f"{place}/p_unlabelled"] = ours[f"{path}/judge_mean_unlabelled"]
