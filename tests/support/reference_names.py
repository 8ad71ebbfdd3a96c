"""Names of statistics in the reference results and in the panel.

Used by the tests and by the benchmark.
"""

from __future__ import annotations

BINARY = {
    "prevalence_true": "prevalence",
    "judge_rate": "judge_rate",
    "accuracy": "accuracy",
    "tpr": "true_positive_rate",
    "tnr": "true_negative_rate",
    "precision": "precision",
    "f1_pos": "f1_positive",
    "f1_macro": "f1_macro",
    "balanced_accuracy": "balanced_accuracy",
    "mcc": "mcc",
    "cohen_kappa": "cohen_kappa",
    "scott_pi": "scott_pi",
    "gwet_ac1": "gwet_ac1",
    "krippendorff_alpha_nominal": "krippendorff_alpha",
}
BINARY_ERRORS = {
    "cohen_kappa_se_fleiss1969": "cohen_kappa",
    "scott_pi_se": "scott_pi",
    "gwet_ac1_se": "gwet_ac1",
}
GRADED = {
    "mae": "mae",
    "rmse": "rmse",
    "pearson": "pearson",
    "spearman": "spearman",
    "kendall_tau_b": "kendall_tau_b",
    "lin_ccc": "concordance",
    "krippendorff_alpha_ordinal": "krippendorff_alpha_ordinal",
    "krippendorff_alpha_interval": "krippendorff_alpha_interval",
}
LEVELS = {
    "kappa_plain": "cohen_kappa",
    "kappa_linear": "weighted_kappa_linear",
    "kappa_quadratic": "weighted_kappa_quadratic",
    "gwet_ac1": "gwet_ac1",
    "gwet_ac2_linear": "gwet_ac2_linear",
    "gwet_ac2_quadratic": "gwet_ac2_quadratic",
    "gwet_ac2_ordinal": "gwet_ac2_ordinal",
}
