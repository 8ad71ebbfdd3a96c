"""Pages of a certificate, and of a later run checked against one."""

from __future__ import annotations

from ..evaluation.audit.certificate import Certificate
from ..evaluation.audit.certificate_check import CertificateStatus
from .document import Figure
from .figures.forest_plot import PlottedInterval, forest
from .page import ResultPage
from .text.certificate_text import certificate_document, certificate_status_document


def certificate_page(certificate: Certificate) -> ResultPage:
    """Return the page of a certificate: its claims, and a figure of the measured rates."""
    claims = [
        PlottedInterval.of(
            f"{claim.statistic.replace('_', ' ')}, at least {claim.at_least:g}",
            claim.rate,
            alarm=not claim.holds,
        )
        for claim in certificate.claims
    ]
    all_hold = all(claim.holds for claim in certificate.claims)
    return ResultPage(
        title=f"Certificate of {certificate.judge}",
        about=f"fingerprint {certificate.fingerprint}",
        answer=[
            "Every claim holds." if all_hold else "Not every claim holds: no certificate is written.",
            *certificate_document(certificate),
        ],
        figures=[Figure(forest("Claims", claims), caption="What was measured, by claim")],
    )


def certificate_status_page(validity: CertificateStatus) -> ResultPage:
    """Return the page of a later run's check against a certificate."""
    return ResultPage(title="Certificate", answer=certificate_status_document(validity))
