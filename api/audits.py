"""Results of judge tests: audits, certificates, and judges replacing people."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from ..calibration.pass_threshold import threshold_overrides
from ..errors import InputError, RecordError, UsageError
from ..evaluation.audit import certificate as certificates
from ..evaluation.audit import foreign_judges
from ..evaluation.audit.annotators import AlternativeAnnotator, alternative_annotators, read_annotations
from ..evaluation.audit.audit_plan import DEFAULT_SAMPLE
from ..evaluation.audit.audit_results import Audit
from ..evaluation.audit.certificate import Certificate, DriftTest
from ..evaluation.audit.certificate_check import SIGNED, CertificateStatus, read_certificate
from ..evaluation.audit.certificate_check import check_certificate as check
from ..evaluation.audit.judged_run import read_judged_run
from ..evaluation.audit.signed_certificate import disclosed_anchors, sign_certificate
from ..evaluation.audit.signed_certificate import verify_certificate as verify_signed
from ..evaluation.store.file_names import AUDIT
from ..records import decode_record, write_json
from ..report.text.audit_screen import audit_screen
from ..report.text.audit_text import audit_document
from ..report.text.certificate_text import (
    alternatives_document,
    certificate_document,
    certificate_status_document,
    verified_document,
)
from ..spelling import command, setting
from .argument_checks import checked_arguments, require_range
from .display import Document, Presentation, Result, bind_display, statistics_frame
from .paths import FilePath, folder_path, input_path, written_path
from .run import Run, disk_folder_of

if TYPE_CHECKING:
    import pandas as pd

    from ..report.page import ResultPage


def _audit_page(audit: Audit) -> ResultPage:
    from ..report.audit_page import audit_page  # noqa: PLC0415 - numbers need no page

    return audit_page(audit)


def _audit_frame(audit: Audit) -> pd.DataFrame:
    return statistics_frame(
        ({"judge": judge.judge, "operator": operator.operator, "plants": operator.plants}, operator.rate)
        for judge in audit.judges
        for operator in judge.operators
    )


bind_display(
    Audit,
    Presentation(
        make_document=audit_document, make_screen=audit_screen, make_page=_audit_page, make_frame=_audit_frame
    ),
)


def load_audit(folder: FilePath) -> Audit:
    """Load an audit from its run folder; raise an InputError if it cannot be read."""
    path = folder_path(folder) / AUDIT
    try:
        return decode_record(path.read_bytes(), Audit)
    except (OSError, RecordError) as error:
        raise InputError(f"not an audit: {error}", path=path) from error


def export_probes(
    probes: FilePath, to: str, out: FilePath, *, sample: int = DEFAULT_SAMPLE, only: Sequence[str] = ()
) -> list[Path]:
    """Write probes for another tool's judge.

    The formats are an Inspect data set and log, a promptfoo configuration, or rows for Azure.
    """
    return foreign_judges.export_probes(folder_path(probes), to, written_path(out), sample=sample, only=only)


def commands_after_export(probes: Path, to: str, out: Path) -> list[str]:
    """Return the commands that judge exported probes and import the verdicts."""
    lines, results = _STEPS_AFTER_EXPORT[to]
    folder = shlex.quote(str(out))
    return [
        *(line.format(folder=folder) for line in lines),
        f"  {command('audit import', probes, out / results, out='audit')}",
    ]


_STEPS_AFTER_EXPORT = {
    "inspect": (
        (
            "then, with the name or file of your scorer for YOUR_SCORER:",
            "  inspect score {folder}/log.json --scorer YOUR_SCORER --model none/none --output-file {folder}/scored.json",
        ),
        "scored.json",
    ),
    "promptfoo": (
        (
            "add your assertions to defaultTest.assert of promptfooconfig.json, then:",
            "  promptfoo eval -c {folder}/promptfooconfig.json -o {folder}/results.json",
        ),
        "results.json",
    ),
    "azure": (
        (
            "then, in Python with your evaluators, and in the shell:",
            '  evaluate(data="{folder}/rows.jsonl", evaluators={{...}}, output_path="{folder}/results.json")',
        ),
        "results.json",
    ),
}
"""Lines that judge exported probes, and the file of results that they write, by tool."""


def import_audit(probes: FilePath, results: FilePath, out: FilePath, *, as_: str | None = None) -> Audit:
    """Analyse another tool's judge verdicts on probes.

    The format is detected from the content unless ``as_`` names it.
    """
    return foreign_judges.import_audit(folder_path(probes), input_path(results), written_path(out), as_=as_)


def _certificate_page(certificate: Certificate) -> ResultPage:
    from ..report.certificate_page import certificate_page  # noqa: PLC0415 - numbers need no page

    return certificate_page(certificate)


def _status_page(status: CertificateStatus) -> ResultPage:
    from ..report.certificate_page import certificate_status_page  # noqa: PLC0415 - numbers need no page

    return certificate_status_page(status)


bind_display(Certificate, Presentation(make_document=certificate_document, make_page=_certificate_page))
bind_display(
    CertificateStatus, Presentation(make_document=certificate_status_document, make_page=_status_page)
)


class Alternatives(Result, frozen=True, kw_only=True):
    """Test of whether judges may replace people."""

    judges: list[AlternativeAnnotator]

    def document(self) -> Document:
        """Return the results as a document with tables."""
        return alternatives_document(self.judges)


@checked_arguments
def certify(
    run: Run | FilePath,
    claims: Mapping[str, float],
    *,
    judge: str | None = None,
    level: float = 0.95,
    pass_at: float | Mapping[str, float] | None = None,
    accept: float | None = None,
    drift: DriftTest = "paired",
    out: FilePath | None = None,
    sign: FilePath | None = None,
) -> Certificate:
    """Certify the claims about a judge that a labelled run supports.

    Args:
        run: A run kept in a folder, or that folder.
        claims: Claimed minimum of ``true_positive_rate``, ``true_negative_rate`` or ``accuracy``, by name.
        judge: The judge, as it signs verdicts; by default the only one.
        level: Confidence level of the claims.
        pass_at: Pass threshold of the verdicts.
        accept: Accuracy on the anchors below which the judge has drifted; by default the certified bound. With
            ``paired``, a drop to a level above it is tolerated.
        drift: Test for drift in later runs: ``paired`` compares each anchor with itself in this run; ``e-process`` tests against the accepted level, and
            is valid if verdicts on the same anchor vary independently.
        out: The file for the certificate, which is written only if every claim holds.
        sign: An Ed25519 private key (PEM). With it, a signed copy without the anchors is written next to ``out``, as
            ``NAME.signed.json``; this copy can be given to others.

    Returns:
        The certificate; ``holds`` says whether every claim does.

    Raises:
        UsageError: A claim is about another statistic, or claims a value that no rate can have.
        InputError: The run cannot be certified.
    """
    for name, value in claims.items():
        if not 0.0 < value < 1.0:
            raise UsageError(
                f"{setting('claims', f'{name}={value:g}')}: a rate that can be claimed is above 0 and below 1"
            )
    require_range("level", level)
    issued_at = datetime.now(UTC).isoformat(timespec="seconds")
    judged_run = read_judged_run(disk_folder_of(run, "certify"), judge)
    certificate = certificates.certify(
        judged_run,
        dict(claims),
        issued=issued_at,
        level=level,
        pass_at=threshold_overrides(pass_at),
        accepted=accept,
        drift=drift,
    )
    if out is None:
        if sign is not None:
            raise UsageError(f"{setting('sign')} signs the certificate that {setting('out')} names")
        return certificate
    if certificate.holds:
        path = written_path(out)
        if sign is not None:
            # The private certificate keeps the salt, with which its anchors can be checked against the signed copy.
            salt = sign_certificate(certificate, input_path(sign), signed_copy(path))
            certificate = msgspec.structs.replace(certificate, salt=salt.hex())
        write_json(path, certificate)
    return certificate


def signed_copy(certificate: Path) -> Path:
    """Return the path of a certificate's signed copy."""
    return certificate.with_name(f"{certificate.stem}{SIGNED}")


class VerifiedCertificate(Result, frozen=True, kw_only=True):
    """Content of a signed certificate whose signature is valid.

    Attributes:
        statement: The in-toto statement.
        anchors: Number of anchors of the private certificate that the statement commits to, or None if no private certificate
            was given.
    """

    statement: dict[str, Any]
    anchors: int | None

    def document(self) -> Document:
        """Return the claims as a document."""
        return verified_document(self.statement, self.anchors)


def verify_certificate(
    signed: FilePath, key: FilePath, *, certificate: FilePath | None = None
) -> VerifiedCertificate:
    """Verify a signed certificate.

    Args:
        signed: The file that `certify` wrote with ``sign``.
        key: The signer's Ed25519 public key (PEM).
        certificate: The private certificate, to check that its anchors were signed.

    Raises:
        InputError: The signature is invalid, or a file cannot be used.
        MissingExtraError: ``cryptography`` is not installed.
    """
    statement = verify_signed(input_path(signed), input_path(key))
    anchors = None
    if certificate is not None:
        anchors = disclosed_anchors(statement, read_certificate(input_path(certificate)))
    return VerifiedCertificate(statement=statement, anchors=anchors)


@checked_arguments
def check_certificate(
    run: Run | FilePath, certificate: FilePath, *, judge: str | None = None
) -> CertificateStatus:
    """Check a later run of the same judge against a certificate.

    Args:
        run: The later run, kept in a folder, or that folder.
        certificate: The file.
        judge: The judge, as it signs verdicts; by default the certified one.

    Returns:
        The status: whether the certificate is valid, and why it is void if it is not.

    Raises:
        InputError: The run, or the certificate, cannot be used.
    """
    path, folder = input_path(certificate), disk_folder_of(run, "check")
    judged_run = read_judged_run(folder, judge, prefer=read_certificate(path).id)
    return check(path, judged_run, folder)


def alternatives(
    verdicts: Sequence[FilePath], *, likeness: Literal["equal", "near"] = "equal"
) -> Alternatives:
    """Test whether judges may replace human annotators (Calderon et al. 2025).

    Args:
        verdicts: Files of verdicts by at least two people and one judge, on the same outputs.
        likeness: Compare scores by the share of equal ones, or by distance.

    Raises:
        InputError: The files cannot be used.
    """
    annotations = read_annotations([input_path(verdict) for verdict in verdicts])
    return Alternatives(judges=list(alternative_annotators(annotations, likeness=likeness)))
