"""`fiducial audit certify` and `alt-test`: certify claims about a judge."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import click

from ..errors import UsageError
from ..settings.verbs.audit import AuditAltTestSettings, AuditCertifySettings, AuditVerifySettings
from .declared_options import options_of
from .exit_codes import EXIT_GATE, EXIT_OK
from .option_sources import require_untyped
from .printing import emit, emit_page
from .shared_options import numbers_by_name

_CERTIFY = """\b
Examples:
  fiducial audit certify run --claim true_negative_rate=0.8 --out certificate.json
  fiducial audit certify run --claim accuracy=0.9 --sign key.pem --out certificate.json
  fiducial audit certify next_run --against certificate.json
"""


_CERTIFY_OPTIONS = ("level", "pass_at", "accept", "drift", "sign")


@click.command("certify", short_help="Certify a judge, or check a certificate.", epilog=_CERTIFY)
@options_of(AuditCertifySettings)
def certify_run(
    *,
    run: Path,
    claims: tuple[str, ...],
    judge: str | None,
    out: Path | None,
    against: Path | None,
    html: Path | None,
    json_file: str | None,
    **options: Any,
) -> int:
    """Certify a judge from a labelled run, or check a later run against a certificate.

    A certificate is written only if its claims hold; otherwise the exit code is 1. It records the judge's fingerprint and a hash of the
    labels. It is void (exit code 1) if the prompt, model, parser or labels change, or if the judge has drifted. Drift is measured on
    anchors: the same labelled outputs, judged again with --no-cache into another folder.
    """
    from ..api.audits import certify, check_certificate, signed_copy

    if (against is None) == (out is None) or (against is None) != bool(claims):
        raise UsageError("expected --claim STAT=VALUE with --out FILE, or --against FILE")
    if against is not None:
        require_untyped(_CERTIFY_OPTIONS, "is for a new certificate; --against checks an existing one")
        status = check_certificate(run, against, judge=judge)
        emit_page(status, html, json_file=json_file)
        return EXIT_OK if status.valid else EXIT_GATE
    certificate = certify(
        run, numbers_by_name("--claim", "STAT=VALUE", claims), judge=judge, out=out, **options
    )
    closing = [f"certificate: {out}"] if certificate.holds else ["no certificate: not every claim holds"]
    if certificate.holds and out is not None and options["sign"] is not None:
        closing.append(f"signed copy, to be shared: {signed_copy(out)}")
    emit_page(certificate, html, json_file=json_file, closing=closing)
    return EXIT_OK if certificate.holds else EXIT_GATE


@click.command(
    "verify",
    short_help="Verify a signed certificate.",
    epilog="Example: fiducial audit verify certificate.signed.json --key public.pem",
)
@options_of(AuditVerifySettings)
def verify(*, signed: Path, key: Path, certificate: Path | None, json_file: str | None) -> None:
    """Verify that SIGNED was signed with this key and not changed since, and print its claims.

    Exit code 2: the signature is invalid, or a file cannot be used.
    """
    from ..api.audits import verify_certificate

    emit(verify_certificate(signed, key, certificate=certificate), json_file)


@click.command(
    "alt-test",
    short_help="Test whether a judge can replace people.",
    epilog="Example: fiducial audit alt-test ana.jsonl ben.jsonl cleo.jsonl run/verdicts.jsonl",
)
@options_of(AuditAltTestSettings)
def alternative(
    verdicts: tuple[Path, ...], likeness: Literal["equal", "near"], json_file: str | None
) -> None:
    """Test whether a judge can replace human annotators (Calderon et al. 2025).

    VERDICTS are files of verdicts of at least two people (source "human") and at least one judge. Each person needs 30 outputs that
    another person and the judge graded too; others are excluded. Each is compared with the judge: which is closer to the other people?
    Epsilon is a handicap for the cost of people: 0.2 for experts, 0.15 for trained annotators, 0.1 for a crowd.
    """
    from ..api.audits import alternatives

    emit(alternatives(verdicts, likeness=likeness), json_file)
