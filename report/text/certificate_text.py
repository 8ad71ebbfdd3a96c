"""Claims about a judge in words: certificates, their status, and the replacement of people.

A certificate states lower bounds of a judge's rates. A later run is checked against it on anchors, outputs that both
runs judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...calibration.agreement.alt_test import MIN_ITEMS
from ...calibration.monitoring.drift import DriftPower
from ...evaluation.audit.annotators import AlternativeAnnotator
from ...evaluation.audit.certificate import Certificate, RateClaim
from ...evaluation.audit.certificate_check import CertificateStatus
from ...spelling import setting
from ..document import Document, Piece, document
from ..document_parts import ENDS, DocumentTable
from .number_text import count, counted, listed, number, passing


def certificate_document(certificate: Certificate) -> Document:
    """Build the document of a certificate: each claim with the measured rate and its bound."""
    rows = [
        (
            claim.statistic,
            *map(number, (claim.at_least, claim.rate.value, claim.rate.low)),
            f"{claim.rate.level:.4g}",
            count(claim.rate.n),
            _claim_result(claim),
        )
        for claim in certificate.claims
    ]
    return [
        f"{certificate.judge} (fingerprint {certificate.fingerprint[:12]}, labels {certificate.data[:12]}){passing(certificate.pass_at)}",
        DocumentTable(("claim", "at least", "measured", "bound", "level", "n", ""), rows, left_aligned=ENDS),
        f"anchors: {len(certificate.anchors):,}, {_drift_definition(certificate)}",
        *([] if certificate.foresight is None else [_drift_power(certificate.foresight)]),
    ]


def _claim_result(claim: RateClaim) -> str:
    if claim.holds:
        return "holds"
    return f"does not hold{f': {claim.rate.undefined}' if claim.rate.undefined else ''}"


def certificate_status_document(validity: CertificateStatus) -> Document:
    """Build the document of a later run's check: whether the certificate is valid, and why not."""
    accuracy_clause = (
        "" if validity.accuracy is None else f", accuracy on the anchors now {number(validity.accuracy)}"
    )
    return [
        "the certificate is valid" if validity.valid else "the certificate is void",
        *(f"  {reason}" for reason in validity.void),
        f"looks at the anchors: {validity.looks}{_drift_evidence(validity)}{accuracy_clause}",
        *validity.notes,
    ]


def verified_document(statement: Mapping[str, Any], anchors: int | None) -> Document:
    """Build the document of a certificate whose signature was verified.

    Args:
        statement: The signed statement (in-toto), decoded.
        anchors: Number of anchors that were shown and match, or None if none were shown.
    """
    predicate = statement["predicate"]
    rows = [
        (
            str(claim["statistic"]),
            *map(number, (claim["at_least"], claim["rate"]["value"], claim["rate"]["low"])),
            count(claim["rate"]["n"]),
        )
        for claim in predicate["claims"]
    ]
    commitment = f"{len(predicate['anchors']):,} anchors are committed to"
    match_clause = (
        f"; {setting('certificate')} shows whether they are yours"
        if anchors is None
        else f", all {anchors:,} are those shown"
    )
    return [
        "the signature is valid",
        f"{predicate['judge']} (fingerprint {predicate['fingerprint'][:12]}), issued {predicate['issued']} by fiducial {predicate['fiducial']}",
        DocumentTable(("claim", "at least", "measured", "bound", "n"), rows),
        f"{commitment}{match_clause}.",
    ]


def _drift_definition(certificate: Certificate) -> str:
    if certificate.drift == "e-process":
        return f"drift is an accuracy below {number(certificate.accepted)} (e-process, looks independent)"
    limit = f", to less than {number(certificate.accepted)}" if certificate.accepted_told else ""
    return f"drift is a drop below this run's accuracy{limit} (paired)"


def _drift_power(power: DriftPower) -> str:
    """Say how likely a drop is found, and how many anchors it takes if that is too unlikely."""
    power_sentence = (
        f"  if verdicts vary between repeats, a drop by {power.drop:g} is found within {power.looks} looks "
        f"{_percent(power.found)} of the time"
    )
    if power.found >= power.wanted:
        return power_sentence
    repeats = (
        ""
        if power.replies is None
        else f", or {power.replies} replies on each in this run ({setting('repeats')})"
    )
    return f"{power_sentence}; for {_percent(power.wanted)} it takes {power.anchors:,} anchors{repeats}"


def _percent(share: float) -> str:
    """Format a chance in percent, at most 99: no test is certain."""
    return f"{100 * min(share, 0.99):.0f} %"


def _drift_evidence(validity: CertificateStatus) -> str:
    if validity.drift == "e-process":
        return f", evidence of drift {validity.evidence:.3g}"
    if validity.drop is None or validity.p is None:
        return ""
    direction = "more" if validity.drop < 0 else "less"
    return (
        f", right {direction} often than when certified by {number(abs(validity.drop))} "
        f"(p {validity.p:.2g}, alarm at {validity.level:.2g})"
    )


@document
def alternatives_document(results: Iterable[AlternativeAnnotator]) -> Iterator[Piece]:
    """Yield whether each judge may replace people by the alternative annotator test, or why not.

    Epsilon is the handicap of people in that test, for what they cost more.
    """
    results = list(results)
    tested = [result for result in results if result.by_epsilon[0].annotators]
    for result in tested:
        rows = [
            (
                f"{test.epsilon:g}",
                *map(number, (test.winning_rate, test.advantage)),
                f"{sum(annotator.rejected for annotator in test.annotators)} of {len(test.annotators)}",
                "yes" if test.passes else "no",
            )
            for test in result.by_epsilon
        ]
        yield f"{result.judge}: against {len(result.people)} people"
        yield DocumentTable(
            ("epsilon", "winning rate", "advantage", "annotators", "can replace"), rows, left_aligned=ENDS
        )
        if result.by_epsilon[0].left_out:
            yield f"  excluded: {_too_few_outputs(result)}"
    judges_by_reason: dict[str, list[str]] = {}
    for result in results:
        if result not in tested:
            judges_by_reason.setdefault(_too_few_outputs(result), []).append(result.judge)
    for reason, judges in judges_by_reason.items():
        subject = "" if len(judges) == len(results) else f" of {listed(judges)}"
        yield f"Cannot tell{subject}: {reason}"


def _too_few_outputs(result: AlternativeAnnotator) -> str:
    """Say that people share too few outputs with others to be tested, and how many it takes."""
    test = result.by_epsilon[0]
    names = [result.people[index] for index in test.left_out]
    outputs_shared = test.left_out_items
    if len(set(outputs_shared)) == 1:
        verb = "shares" if len(names) == 1 else "share"
        counts = f"{listed(names)} {verb} {counted(outputs_shared[0], 'output')}"
    else:
        people = [f"{name} {n:,}" for name, n in zip(names, outputs_shared, strict=True)]
        counts = f"outputs shared: {listed(people)}"
    return f"{counts}; {MIN_ITEMS} are needed."
