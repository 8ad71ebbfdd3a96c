"""Probes and audits in words: plain aligned lines, every rate with its interval and denominator."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..calibration.cuts import HALF
from ..evaluation.audit.annotators import AlternativeAnnotator
from ..evaluation.audit.building import count_by_plants
from ..evaluation.audit.certificate import Certificate
from ..evaluation.audit.drift import Standing
from ..evaluation.audit.probe_folder import ProbeManifest
from ..evaluation.audit.results import Audit, Comparison, JudgeAudit, OperatorResult
from .lines import aligned, number, statistic_cells
from .words import passing

_HEADINGS = {
    "fault": ("fault", "caught"),
    "nothing": ("right outputs", "failed"),
    "twin": ("harmless twin", "failed"),
    "attack": ("attack", "passed"),
    "control": ("control", "passed"),
}


def probe_lines(manifest: ProbeManifest) -> list[str]:
    """What `build_probes` made.

    Args:
        manifest: Its manifest.

    Returns:
        Lines without line ends.
    """
    counts = count_by_plants(manifest)
    made = ", ".join(f"{count:,} {plants}s" for plants, count in counts.items())
    rows = [
        ("operator", "plants", "probes", "dropped", "BFCL misjudges", "what it does"),
        *(
            (
                each.name,
                each.plants,
                f"{each.probes:,}",
                f"{each.dropped:,}",
                f"{each.missed_by_bfcl:,}",
                each.about,
            )
            for each in manifest.operators
        ),
    ]
    over = "; ".join(f"{count:,} {reason}" for reason, count in manifest.passed_over.items())
    return [
        f"{made}, of {manifest.right_outputs:,} right outputs" + (f" (passed over: {over})" if over else ""),
        *aligned(rows),
        "dropped: strict rules judge it otherwise than it was meant, so it is no probe but listed as their weakness",
    ]


def audit_lines(audit: Audit) -> list[str]:
    """What an audit came to.

    Args:
        audit: The audit.

    Returns:
        Lines without line ends.
    """
    lexical = _lexical_rates(audit.judges)
    lines: list[str] = []
    for judge in audit.judges:
        beside = lexical.get(judge.id.name, {}) if judge.id.kind == "shipped" else {}
        lines += [*_judge_lines(judge, beside), ""]
    if audit.prompts:
        lines += ["Judges against each other, on the same probes:", *_comparison_lines(audit.prompts), ""]
    lines.append(
        "always pass catches nothing and raises no false alarm; always fail catches all and fails everything"
    )
    return lines


def _passing(cut: float) -> str:
    return "" if cut == HALF else f"; passes at {cut:g}"


def certificate_lines(certificate: Certificate) -> list[str]:
    """A certificate for people.

    Args:
        certificate: The certificate.

    Returns:
        Lines without line ends.
    """
    rows: list[tuple[str, ...]] = [("claim", "at least", "measured", "bound", "level", "on", "")]
    for claim in certificate.claims:
        rate = claim.rate
        measured = ["-" if value is None else number(value) for value in (rate.value, rate.low)]
        verdict = (
            "holds" if claim.holds else f"does not hold{f': {rate.undefined}' if rate.undefined else ''}"
        )
        rows.append(
            (claim.statistic, number(claim.at_least), *measured, f"{rate.level:.4g}", f"{rate.n:,}", verdict)
        )
    return [
        f"{certificate.judge} (fingerprint {certificate.fingerprint[:12]}, labels {certificate.data[:12]}){_passing(certificate.pass_at)}",
        *aligned(rows),
        f"anchors: {len(certificate.anchors):,}, accepted accuracy {number(certificate.accepted)}",
    ]


def standing_lines(standing: Standing) -> list[str]:
    """How a certificate stands, for people.

    Args:
        standing: How it stands.

    Returns:
        Lines without line ends.
    """
    accuracy = (
        "" if standing.accuracy is None else f", accuracy on the anchors now {number(standing.accuracy)}"
    )
    return [
        "the certificate is valid" if standing.valid else "the certificate is void",
        *(f"  {reason}" for reason in standing.void),
        f"looks at the anchors: {standing.looks}, evidence of drift {standing.evidence:.3g}{accuracy}",
        *standing.notes,
    ]


def alternative_lines(result: AlternativeAnnotator) -> list[str]:
    """Whether a judge may stand in for people, at each handicap.

    Args:
        result: The judge's tests.

    Returns:
        Lines without line ends.
    """
    rows: list[tuple[str, ...]] = [("epsilon", "winning rate", "advantage", "annotators", "may stand in")]
    for test in result.by_epsilon:
        rates = ["-" if value is None else number(value) for value in (test.winning_rate, test.advantage)]
        people = f"{sum(each.rejected for each in test.annotators)} of {len(test.annotators)}"
        rows.append((f"{test.epsilon:g}", *rates, people, "yes" if test.passes else "no"))
    out = [result.people[number] for number in result.by_epsilon[0].left_out]
    return [
        f"{result.judge}: against {len(result.people)} people",
        *aligned(rows),
        *([f"  left out, too few items: {', '.join(out)}"] if out else []),
    ]


def _judge_lines(judge: JudgeAudit, lexical: Mapping[str, str]) -> list[str]:
    lines = [f"{judge.judge}: {judge.asked:,} verdicts{passing(judge.pass_at, judge.pass_at_source)}"]
    for plants, (heading, rate) in _HEADINGS.items():
        results = [each for each in judge.operators if each.plants == plants]
        if results:
            head = (heading, rate, "interval", "on", *(["lexical"] if lexical else []), "")
            rows = [_operator_row(each, lexical) for each in results]
            lines += aligned([head, *rows])
    if judge.comparisons:
        lines += [
            "  paired comparisons, p adjusted for all of them (Holm):",
            *_comparison_lines(judge.comparisons),
        ]
    if judge.steadiness is not None:
        steady = judge.steadiness
        lines.append(
            f"  asked {steady.repeats} times: pairs that differ {steady.flip_rate}; all equal {steady.all_equal}"
        )
    if not judge.findings:
        return [*lines, "  found: nothing beyond chance"]
    return [*lines, "  found:", *(f"    {each.concern}: {each.sentence}" for each in judge.findings)]


def _operator_row(result: OperatorResult, lexical: Mapping[str, str]) -> tuple[str, ...]:
    value, interval, on, _ = statistic_cells(result.rate)
    notes = [f"{count:,} {outcome}" for outcome, count in result.ungraded.items()]
    if result.deviation is not None:
        notes.append(f"score minus label {result.deviation}")
    compared = [lexical.get(result.operator, "-")] if lexical else []
    return (result.operator, value, interval, on, *compared, "; ".join(notes))


def _comparison_lines(comparisons: Iterable[Comparison]) -> list[str]:
    rows: list[tuple[str, ...]] = [("comparison", "difference", "interval", "on", "p", "detectable", "")]
    for each in comparisons:
        value, interval, on, _ = statistic_cells(each.difference)
        p = "-" if each.holm_p is None else f"{each.holm_p:.4f}"
        detectable = "-" if each.minimum_detectable is None else number(each.minimum_detectable)
        note = each.untested or ("found" if each.found else each.audit)
        rows.append((each.name, value, interval, on, p, detectable, note))
    return aligned(rows, indent="    ")


def _lexical_rates(judges: Iterable[JudgeAudit]) -> dict[str, dict[str, str]]:
    """The lexical baseline's rates, by the name of the judge that comes along whose stand-in it is."""
    return {
        judge.id.name: {each.operator: statistic_cells(each.rate)[0] for each in judge.operators}
        for judge in judges
        if judge.id.kind == "baseline"
    }
