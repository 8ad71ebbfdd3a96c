"""Results in words: aligned plain lines in which every rate has its denominator and interval."""

from __future__ import annotations

from typing import Any

from ..lines import aligned, counted, number, p_value, statistic_cells, statistic_lines
from ..statistics.estimator import AGREEMENT
from .diagnosis_wording import (
    judges_alone_lines,
    probability_lines,
    recalibration_lines,
    system_lines,
)

_ALARM, _SUSPECTS = 0.05, 5

_HEADLINE = ("accuracy", "true_positive_rate", "true_negative_rate", "cohen_kappa", "mcc")


def calibration_lines(result: dict[str, Any], *, slices: tuple[str, ...] = ()) -> list[str]:
    """The result of `calibrate` for people.

    Args:
        result: What `calibrate` gave.
        slices: Columns to print by value.

    Returns:
        Lines without line ends.
    """
    if not any(panel["n"] for panel in result["judges"].values()):
        return [_nothing_line(result["judges"]), *judges_alone_lines(result)]
    lines: list[str] = []
    for judge, panel in result["judges"].items():
        lines += [*_judge_lines(judge, panel), ""]
    lines += _baseline_lines(result)
    for column in slices:
        lines += ["", f"By {column}:"]
        for value, judges in result["slices"].get(column, {}).items():
            lines += [f"  {value}", *_comparison_lines(judges, indent="    ")]
    lines += [
        *_uneven_lines(result),
        *_suspect_lines(result),
        *system_lines(result),
        *probability_lines(result),
        *judges_alone_lines(result),
        *_audit_lines(result),
        *_selective_lines(result),
        *_category_lines(result),
        *_threshold_lines(result),
        *recalibration_lines(result),
    ]
    return lines + [f"warning: {line}" for line in result["warnings"]]


def _nothing_line(judges: dict[str, Any]) -> str:
    """What to do where no judge can be held against a label."""
    rows = sum(panel["n_missing"] + panel["n_unlabelled"] for panel in judges.values())
    labels = sum(panel["n_missing"] for panel in judges.values())
    why = f"none of {counted(labels, 'row')} with a label has a score" if labels else "no row has a label"
    how = (
        "label some (`fiducial plan TABLE --next 50` draws which), then give the labels as a column `label`, "
        "`--column label=THEIRS`, or verdicts of people by --labels FILE"
    )
    return f"{why}, so nothing can be said of {', '.join(judges)} ({counted(rows, 'row')}): {how}"


def _judge_lines(judge: str, panel: dict[str, Any]) -> list[str]:
    rows = f"{counted(panel['n'], 'row')} with label and score in {counted(panel['n_clusters'], 'cluster')}"
    absent = f"{panel['n_missing']:,} labelled without score, {panel['n_unlabelled']:,} without label"
    # On 0/1 scores and labels the graded statistics repeat what the 2x2 table says.
    shown = {
        name: each for name, each in panel["statistics"].items() if name in AGREEMENT or not panel["binary"]
    }
    head = f"{judge}: {rows} ({absent})"
    if not panel["n"]:
        return [head]
    return [
        head,
        *aligned(
            [
                ("", "judge passes", "judge fails", ""),
                ("label passes", f"{panel['tp']:,}", f"{panel['fn']:,}", ""),
                ("label fails", f"{panel['fp']:,}", f"{panel['tn']:,}", ""),
            ]
        ),
        *statistic_lines(shown),
        *_missing_lines(panel),
    ]


def _missing_lines(panel: dict[str, Any]) -> list[str]:
    """How often a verdict is missing, and the accuracy under each way to count that; nothing where none is."""
    if not panel["n_missing"]:
        return []
    missing = panel["missing"]
    ways = {f"accuracy, {way.replace('_', ' ')}": each for way, each in missing["accuracy"].items()}
    rows = [(name, *statistic_cells(each)) for name, each in {"missing": missing["rate"], **ways}.items()]
    return [
        "  of the labelled rows, missing verdicts and what becomes of accuracy:",
        *aligned(rows, indent="    "),
    ]


def _baseline_lines(result: dict[str, Any]) -> list[str]:
    """What a judge has to beat: blind judges on all labelled items, the others on those of which they speak."""
    blind = {name: result["baselines"][name] for name in ("always_pass", "always_fail")}
    others = {name: panel for name, panel in result["baselines"].items() if name not in blind}
    count = counted(blind["always_pass"]["n"], "labelled item")
    lines = [f"Judges that do not look, on the same {count}:", *_comparison_lines(blind)]
    if others:
        lines += ["Other ways to grade, on the items of which they speak:", *_comparison_lines(others)]
    if "people" in result:
        alphas = result["people"]["krippendorff_alpha"]
        lines += [
            f"Krippendorff's alpha of {len(result['people']['names'])} people among themselves:",
            *aligned([(level, *statistic_cells(each)) for level, each in alphas.items()]),
        ]
    return lines


def _category_lines(result: dict[str, Any]) -> list[str]:
    lines: list[str] = []
    for judge, found in result.get("categories", {}).items():
        levels = [f"{level:g}" for level in found["levels"]]
        rows = [
            (f"label {level}", *map(str, row), "") for level, row in zip(levels, found["table"], strict=True)
        ]
        lines += [
            f"{judge}, each level a category:",
            *aligned([("", *(f"score {level}" for level in levels), ""), *rows]),
        ]
        lines += statistic_lines(found["statistics"])
    return lines


def _threshold_lines(result: dict[str, Any]) -> list[str]:
    lines: list[str] = []
    for judge, found in result.get("thresholds", {}).items():
        if found["threshold"] is None:
            lines.append(f"{judge}: no threshold: {found['undefined']}")
            continue
        best = f"{judge}: {found['statistic']} is largest ({number(found['apparent'])} on {found['n']:,}) when scores pass from {found['threshold']:g} on"
        apart = (
            "; nothing could be held out"
            if found["held_out"] is None
            else f"; by the choice of the other tenths: {number(found['held_out'])} on {found['n']:,} (no interval: the tenths share their items)"
        )
        lines.append(best + apart)
    return lines


def _uneven_lines(result: dict[str, Any]) -> list[str]:
    """Slices between which a judge's rates differ by more than chance."""
    lines: list[str] = []
    for column, judges in result["homogeneity"].items():
        for judge, tests in judges.items():
            uneven = [
                f"{name} (Holm p {p_value(test['holm_p'])})"
                for name, test in tests.items()
                if _is_alarm(test)
            ]
            if uneven:
                lines.append(
                    f"not the same for every {column}: {judge}: {', '.join(uneven)}; see --slice {column}"
                )
    return lines


def _is_alarm(test: dict[str, Any]) -> bool:
    return test["holm_p"] is not None and test["holm_p"] <= _ALARM


def _suspect_lines(result: dict[str, Any]) -> list[str]:
    suspects = result["suspected_label_errors"]
    if not suspects or len(result["judges"]) < 2:  # noqa: PLR2004 - one judge alone may as well be wrong
        return []
    shown = ", ".join(suspect["item_id"] for suspect in suspects[:_SUSPECTS])
    return [f"labels to look at first, contradicted by most judges: {shown} (more in the JSON)"]


def _audit_lines(result: dict[str, Any]) -> list[str]:
    if "label_audit" not in result:
        return []
    audit = result["label_audit"]
    count = audit["tp"] + audit["fp"] + audit["fn"] + audit["tn"]
    lines = [f"Corrected for errors of the labels, from an audit of {count:,} (Gart and Buck):"]
    for judge, rates in audit["judges"].items():
        lines += [
            f"  {judge}",
            *aligned([(name, *statistic_cells(each)) for name, each in rates.items()], indent="    "),
        ]
    return lines


def _selective_lines(result: dict[str, Any]) -> list[str]:
    lines = [_certificate(judge, found) for judge, found in result.get("selective", {}).items()]
    if "cascade" in result:
        cascade = result["cascade"]
        lines.append(
            f"Judges one after another: they decide {cascade['kept']:,} of {cascade['n']:,} items, {cascade['errors']:,} wrongly; the rest is for people"
        )
        lines += [f"  {_certificate(judge, found)}" for judge, found in cascade["judges"].items()]
    return lines


def _certificate(judge: str, found: dict[str, Any]) -> str:
    if found["threshold"] is None:
        return f"{judge}: {found['undefined']}"
    return (
        f"{judge}: verdicts of confidence {found['threshold']:g} or more ({found['coverage']:.0%} of "
        f"{found['kept'] / found['coverage']:,.0f}) are wrong at most {found['error_bound']:.1%} of the time"
    )


def _comparison_lines(judges: dict[str, Any], *, indent: str = "  ") -> list[str]:
    rows: list[tuple[str, ...]] = [
        (judge if name == _HEADLINE[0] else "", name, *statistic_cells(panel["statistics"][name]))
        for judge, panel in judges.items()
        for name in _HEADLINE
    ]
    return aligned(rows, indent=indent)
