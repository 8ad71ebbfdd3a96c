"""Cautions in words: a sentence per kind of caution, with the names that it is about.

`sentences`, `folded` and `brief` are for cautions of calibrations and estimates, from the longest form to the shortest;
`comparison_cautions` and `brief_comparison_cautions` are for those of comparisons, which have their own words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from ...calibration.statistic import FEW_CLUSTERS, FEW_FOR_A_SHARE, FEW_OF_A_CLASS, Caution
from ...evaluation.served_versions import versions_sentence
from ...spelling import command, either, flag, setting, spelled_pairs, spelled_word
from ..document import CautionLine
from .number_text import counted, draw_command

if TYPE_CHECKING:
    from ...calibration.agreement.calibration_results import JudgeCalibration

# By code. `sentences` puts the names in place of {about}, so that strings with f spell it {{about}}.
_SENTENCES: dict[str, str] = {
    "no_labelled_score": "no row has both a label and a score: {about}",
    "few_clusters": f"fewer than {FEW_CLUSTERS} independent groups, so intervals may be too narrow (effective groups): {{about}}",
    "few_of_a_class": f"fewer than {FEW_OF_A_CLASS} labels of a class; their rates are rough: {{about}}",
    "few_rows": f"fewer than {FEW_FOR_A_SHARE} rows; a Wilson interval may cover a few points less or more than it says: {{about}}",
    "another_threshold": "another threshold does better on held-out items: {about}",
    "missing_verdicts": "labelled rows without a verdict, not in the statistics: {about}",
    "ece_biased": "ECE reads too high in small samples; use its interval",
    "drawn_unevenly": "labels were drawn with unequal chances and are not weighted here: this is the agreement on the labelled items, "
    "not on all; `fiducial estimate` weights them",
    "chosen_by_score": "labelled items look unlike a random sample ({about}): say how they were chosen, with {chosen} "
    "(the estimate by strata of the score holds), label or elsewhere (Rogan and Gladen's holds), or label a random sample (`{draw}` draws one)",
    "few_labelled_clusters": f"labels in only {{about}}; with fewer than {FEW_CLUSTERS}, intervals may be too narrow",
    "no_chance": "no label_probability for {about} of the draw: taken for a simple random sample, which needs none; a draw by doubt or "
    "by stratum does",
    "labels_of_checkers": "labels attributed to a checker, not verified here: {about}",
    "looked_at": "labels came in {about}: an interval looked at after each may be wrong more often than it says; {anytime} holds at every look",
    "repeats": "a judge's later verdicts on an output do not count ({about}), only its first",
    "uneven_strata": "labels are not spread evenly over the strata ({about}): if they were drawn by stratum, only the estimate by strata is valid",
}


def not_sent_caution(judge: str, parameters: Iterable[str]) -> CautionLine:
    """Return the caution that a judge's model refused decoding parameters."""
    return CautionLine(f"{judge}: not sent, since the model refuses it: {', '.join(parameters)}")


def versions_caution(judge: str, served_by: Mapping[str, int]) -> CautionLine:
    """Return the caution that several versions of a decision model answered.

    Args:
        judge: Name of the judge.
        served_by: Number of replies by version.
    """
    return CautionLine(
        f"{versions_sentence(judge, served_by)}. Its probabilities and thresholds differ by version; calibrate and compare take each as a judge of its own."
    )


def sentences(cautions: Iterable[Caution], judges: Mapping[str, JudgeCalibration] | None = None) -> list[str]:
    """Return one sentence per caution, with all its names.

    Args:
        cautions: The cautions.
        judges: Calibrations of the judges they are about, for more details.
    """
    return [
        tied_sentence(caution)
        if caution.code == "tied_labels"
        else _SENTENCES[caution.code].format(
            draw=draw_command(),
            chosen=spelled_word("labels_chosen_by", "score"),
            anytime=flag("anytime"),
            about=", ".join(
                _name_with_number(caution.code, name, count, judges or {})
                for name, count in caution.about.items()
            ),
        )
        for caution in cautions
    ]


def tied_sentence(caution: Caution) -> str:
    """Return the sentence on outputs with tied labels."""
    tied, labelled = (round(caution.about[name]) for name in ("tied", "labelled"))
    have = "has" if tied == 1 else "have"
    excluded = "is" if tied == 1 else "are"
    if not labelled:
        return (
            f"{counted(tied, 'output')} {have} tied labels and {excluded} excluded; let a third person decide"
        )
    return (
        f"{tied:,} of {tied + labelled:,} outputs {have} tied labels and {excluded} excluded; the other {labelled:,} are not a "
        "random sample; let a third person decide"
    )


_MAX_NAMED = 3
"""Most names in a folded caution; more are counted."""


def folded(
    cautions: Iterable[Caution], judges: Mapping[str, JudgeCalibration] | None = None, *, prefix: str = ""
) -> list[CautionLine]:
    """Return a line per caution with few names, which unfolds to all names.

    ``prefix`` stands before each line, to say what all the cautions are about.
    """
    cautions = list(cautions)
    full_sentences = sentences(cautions, judges)
    return [
        CautionLine(prefix + _first_names(caution, sentence, judges), prefix + sentence)
        for caution, sentence in zip(cautions, full_sentences, strict=True)
    ]


BRIEF: dict[str, str] = {
    "few_clusters": "few independent groups, so intervals may be too narrow",
    "few_of_a_class": f"fewer than {FEW_OF_A_CLASS} labels of a class",
    "few_rows": f"fewer than {FEW_FOR_A_SHARE} rows",
    "no_labelled_score": "no row with both a label and a score",
}
"""Cautions about judges, without their numbers."""


def brief(cautions: Iterable[Caution], judges: Mapping[str, JudgeCalibration]) -> list[CautionLine]:
    """Return cautions in as few lines as possible; several judges are counted, not named."""
    lines: list[CautionLine] = []
    short_clauses: list[str] = []
    for caution in cautions:
        if caution.code == "ece_biased":  # no ECE is on this screen
            continue
        subject = (
            counted(len(caution.about), "judge") if len(caution.about) > 1 else next(iter(caution.about), "")
        )
        if caution.code == "missing_verdicts" and subject:
            missing = sum(judges[name].n_missing for name in caution.about if name in judges)
            lines.append(CautionLine(f"{subject}: {counted(missing, 'labelled row')} without a verdict"))
        elif caution.code == "another_threshold":
            short_clauses.append(_better_thresholds(caution))
        elif caution.code in BRIEF and subject:
            short_clauses.append(f"{BRIEF[caution.code]} ({subject})")
        else:
            lines += folded([caution], judges)
    return [*([CautionLine("; ".join(short_clauses))] if short_clauses else []), *lines]


def _better_thresholds(caution: Caution) -> str:
    """Say which better thresholds could be set, and how; judges beyond a few are counted."""
    thresholds = dict(list(caution.about.items())[:_MAX_NAMED])
    others = len(caution.about) - _MAX_NAMED
    more = f" and {counted(others, 'other')}" if others > 0 else ""
    verb = "does" if len(caution.about) == 1 else "do"
    return f"{_thresholds_set(thresholds)}{more} {verb} better on held-out items"


def _thresholds_set(thresholds: Mapping[str, float]) -> str:
    """Return thresholds of judges as they are set: ``--pass-at a=0.7 b=1``."""
    listed = " ".join(f"{name}={threshold:g}" for name, threshold in thresholds.items())
    pairs = ", ".join(f"{name!r}: {threshold:g}" for name, threshold in thresholds.items())
    return either(setting("pass_at", listed), f"pass_at={{{pairs}}}")


def _first_names(caution: Caution, full_sentence: str, judges: Mapping[str, JudgeCalibration] | None) -> str:
    """Return a caution's sentence with its first few names, and a count of the others."""
    others = len(caution.about) - _MAX_NAMED
    if others <= 0:
        return full_sentence
    shortened_caution = msgspec.structs.replace(caution, about=dict(list(caution.about.items())[:_MAX_NAMED]))
    return f"{sentences([shortened_caution], judges)[0]} and {counted(others, 'other')}"


def _name_with_number(code: str, name: str, count: float, judges: Mapping[str, JudgeCalibration]) -> str:
    """Return a name with its number, as the sentence of a caution with this code needs it.

    A caution of an estimate stands below the estimate's name, so that only the number is shown.
    """
    calibration = judges.get(name)
    match code:
        case "few_labelled_clusters" | "no_chance" | "repeats" | "looked_at":
            nouns = {"few_labelled_clusters": "cluster", "repeats": "verdict", "looked_at": "round"}
            noun = nouns.get(code, "item")
            return counted(round(count), noun)
        case "another_threshold":
            current = f", not {calibration.pass_at:g}" if calibration is not None else ""
            return f"{name} from {count:g} on{current} ({_thresholds_set({name: count})})"
        case "uneven_strata" | "chosen_by_score":
            return f"p {count:.2g}"
        case "few_of_a_class" if calibration is not None:
            classes = (
                (calibration.tp + calibration.fn, "pass"),
                (calibration.fp + calibration.tn, "fail"),
            )
            small_classes = (
                f"{labels} {name_of_class}"
                for labels, name_of_class in classes
                if 0 < labels < FEW_OF_A_CLASS
            )
            return f"{name} ({' and '.join(small_classes)})"
        case "missing_verdicts" if calibration is not None:
            labelled = calibration.n + calibration.n_missing
            return f"{name} ({calibration.n_missing:,} of {labelled:,})"
        case _:
            return name if code == "no_labelled_score" else f"{name} ({count:.0f})"


_MAX_COMPARED_NAMES = 5
"""Most names in a caution about a comparison; more are counted."""

_COMPARISON_SENTENCES: dict[str, str] = {
    "few_clusters": "few independent groups: intervals may be too narrow (effective groups)",
    "few_differing": "few items on which only one is right: the interval may be too narrow",
    "few_discordant": "they differ on few items, so one wrong label may undo the result",
    "left_out": "not compared: score or label missing",
    "threshold_not_declared": "thresholds differ only because one judge declares none; set it with {pass_at} (items that it decides)",
    "labels_between_thresholds": "labels between the thresholds of two judges, which pass by one and fail by the other",
    "repeats": "a judge's later verdicts on an output do not count, only its first; trials need a column trial ({trial})",
    "uneven_trials": "cases have unequal numbers of trials, and each case has weight 1; pass rate, judges uncorrected",
    "not_graded": "undecided outputs without a verdict",
    "no_output": "items for which others have an output",
    "parts_differ": "cases checked for one system and judged for the other are compared in all outputs only",
    "uncorrected": "judged outputs are uncorrected, and the judge's errors may favour a system; labels of randomly drawn undecided outputs of every "
    "system correct them (outputs judged)",
    "corrected": "the correction holds if the labelled outputs were drawn at random from the undecided ones (labels)",
    "chosen_by_score": "labels that look unlike a random sample, by scores or a column, correct nothing (labels)",
    "labels_of_checkers": "labels attributed to a checker, not verified here (items)",
    "row_numbers": "no item in common: ids are row numbers; name the id column: {item}",
    "labels_of_some": "systems with fewer than two labels of undecided outputs are not corrected (labels to add)",
}


def _comparison_sentence(caution: Caution) -> str:
    threshold = either(setting("pass_at", "JUDGE=SCORE"), "pass_at={'JUDGE': SCORE}")
    trial, item = (spelled_pairs("map", {name: "COLUMN"}) for name in ("trial", "item_id"))
    sentence = _COMPARISON_SENTENCES[caution.code].format(pass_at=threshold, trial=trial, item=item)
    return f"{sentence}: {_counted_names(caution.about, caution.code)}" if caution.about else sentence


def comparison_cautions(cautions: Sequence[Caution]) -> list[str]:
    """Return one sentence per caution of a comparison, with its names."""
    return [_SPECIAL_SENTENCES.get(caution.code, _comparison_sentence)(caution) for caution in cautions]


def _labels_for_estimate(caution: Caution) -> str:
    """Return the sentence on labels that are no random sample, and a command that can use them."""
    return "; ".join(
        f"{counted(round(count), 'label')} chosen {'from' if name == 'elsewhere' else 'by'} {name} correct no difference: "
        f"`{command('estimate', 'TABLE', labels_chosen_by=name)}` corrects rates"
        for name, count in caution.about.items()
    )


def _looked_at(caution: Caution) -> str:
    """Return a comparison's sentence on rounds of labels.

    Unlike the note of `looks_of` it names no valid interval, since comparisons have none.
    """
    rounds = counted(round(caution.about["rounds"]), "round")
    return f"labels came in {rounds}: an interval looked at after each may be wrong more often than it says"


_SPECIAL_SENTENCES: dict[str, Callable[[Caution], str]] = {
    "tied_labels": tied_sentence,
    "labels_for_estimate": _labels_for_estimate,
    "looked_at": _looked_at,
}
"""Functions for cautions of a comparison whose sentence is more than names with numbers."""


_BRIEF_COMPARISON: dict[str, tuple[str, str]] = {
    "few_clusters": ("few independent groups: intervals may be too narrow", "pair"),
    "few_differing": ("few items on which only one is right: intervals may be too narrow", "pair"),
    "few_discordant": ("they differ on few items, so one wrong label may undo the result", "pair"),
    "left_out": ("not compared: score or label missing", "contender"),
    "uncorrected": ("judged outputs are uncorrected; labels of randomly drawn ones correct them", "system"),
    "corrected": ("the correction holds if labels were drawn at random from undecided outputs", "system"),
    "no_output": ("not every system has an output of every case and trial", "system"),
    "not_graded": ("undecided outputs without a verdict", "system"),
    "parts_differ": ("cases checked for one system and judged for another count in all outputs only", "pair"),
}
"""Short sentence of a caution, and the noun to count its names by if there are several."""


def brief_comparison_cautions(cautions: Sequence[Caution]) -> list[str]:
    """Return a short line per caution of a comparison; several names are counted."""
    lines: list[str] = []
    for caution in cautions:
        if caution.code == "few_discordant" and len(caution.about) == 1:
            ((names, items),) = caution.about.items()
            lines.append(f"{names} differ on only {counted(round(items), 'item')}")
        elif caution.code in _BRIEF_COMPARISON:
            sentence, noun = _BRIEF_COMPARISON[caution.code]
            subject_clause = f" ({counted(len(caution.about), noun)})" if caution.about else ""
            if len(caution.about) == 1:
                subject_clause = f": {_counted_names(caution.about)}"
            lines.append(f"{sentence}{subject_clause}")
        else:
            lines += comparison_cautions([caution])
    return lines


def _counted_names(counts: Mapping[str, float], code: str = "") -> str:
    """Return the first few names with their numbers, and a count of the others."""
    template = "{} {:.2f}" if code == "uneven_trials" else "{} ({:,.0f})"
    named_counts = [
        template.format(name, count) for name, count in list(counts.items())[:_MAX_COMPARED_NAMES]
    ]
    more = (
        f" and {counted(len(counts) - _MAX_COMPARED_NAMES, 'other')}"
        if len(counts) > _MAX_COMPARED_NAMES
        else ""
    )
    return f"{', '.join(named_counts)}{more}"


def looks_of(rounds: int, folder: object) -> Iterator[str]:
    """Yield a run's note if labels came in several rounds; it names an interval that is valid."""
    if rounds > 1:
        yield (
            f"labels came in {rounds:,} rounds: an interval looked at after each may be wrong more often than it says; "
            f"`{command('estimate', folder, anytime=True)}` holds at every look"
        )
