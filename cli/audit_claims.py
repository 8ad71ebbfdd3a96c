"""`fiducial audit certify` and `alt-test`: certify claims about a judge."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import click

from ..errors import UsageError
from .exit_codes import EXIT_GATE, EXIT_OK
from .option_sources import refuse_typed
from .param_types import EXISTING_FOLDER, INPUT_FILE, OUT_FILE, Number
from .printing import emit
from .shared_options import compose, json_option, numbers_by_name, option, pass_at_option

_CERTIFY = """\b
Examples:
  fiducial audit certify run --claim true_negative_rate=0.8 --out certificate.json
  fiducial audit certify run --claim accuracy=0.9 --sign key.pem --out certificate.json
  fiducial audit certify next_run --against certificate.json
"""


_CERTIFY_OPTIONS = ("level", "pass_at", "accept", "drift", "sign")


@click.command("certify", short_help="Certify a judge, or check a certificate.", epilog=_CERTIFY)
@click.argument("run", type=EXISTING_FOLDER)
@compose(
    option("--claim", "claims", multiple=True, metavar="STAT=VALUE", help="true_positive_rate, true_negative_rate or accuracy is at least VALUE."),
    option("--by", "judge", metavar="JUDGE", help="Judge, by its name in verdicts.  [default: the only one]"),
    option("--level", type=Number(0.5, 0.9999), default=0.95, help="Level of the claims."),
)  # fmt: skip
@pass_at_option
@compose(
    option("--accept", type=Number(0, 1, min_open=True, max_open=True),
           help="Lowest accuracy on the anchors without drift. With --drift paired, drops above it are ignored; the e-process uses the certified bound by default."),
    option("--drift", type=click.Choice(["paired", "e-process"]), default="paired",
           help="Test of drift in later runs. paired: each anchor against itself; e-process: against --accept, valid if verdicts on an anchor vary independently (not at temperature 0)."),
    option("--out", type=OUT_FILE, help="The certificate to write."),
    option("--sign", type=INPUT_FILE, metavar="KEY.pem",
           help="An Ed25519 private key: also write a signed copy without the anchors, NAME.signed.json, for others."),
    option("--against", type=INPUT_FILE, help="A certificate to check this run against instead."),
)  # fmt: skip
@json_option
def certify_run(
    *,
    run: Path,
    claims: tuple[str, ...],
    judge: str | None,
    out: Path | None,
    against: Path | None,
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
        refuse_typed(_CERTIFY_OPTIONS, "is for a new certificate; --against checks an existing one")
        status = check_certificate(run, against, judge=judge)
        emit(status, json_file)
        return EXIT_OK if status.valid else EXIT_GATE
    certificate = certify(
        run, numbers_by_name("--claim", "STAT=VALUE", claims), judge=judge, out=out, **options
    )
    closing = [f"certificate: {out}"] if certificate.holds else ["no certificate: not every claim holds"]
    if certificate.holds and out is not None and options["sign"] is not None:
        closing.append(f"signed copy, to be shared: {signed_copy(out)}")
    emit(certificate, json_file, closing=closing)
    return EXIT_OK if certificate.holds else EXIT_GATE


@click.command(
    "verify",
    short_help="Verify a signed certificate.",
    epilog="Example: fiducial audit verify certificate.signed.json --key public.pem",
)
@click.argument("signed", type=INPUT_FILE)
@option(
    "--key", type=INPUT_FILE, required=True, metavar="PUBLIC.pem", help="The signer's Ed25519 public key."
)
@option(
    "--certificate",
    type=INPUT_FILE,
    help="The private certificate, to check that its anchors are those that were signed.",
)
@json_option
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
@click.argument("verdicts", type=INPUT_FILE, nargs=-1, required=True)
@option(
    "--likeness",
    type=click.Choice(["equal", "near"]),
    default="equal",
    help="Compare scores by the share of equal ones, or by distance.",
)
@json_option
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
