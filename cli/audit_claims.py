"""`fiducial audit certify` and `alt-test`: what may be claimed of a judge, and for how long."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import click
import msgspec

from ..calibration.cuts import PassAt
from ..errors import UsageError
from .options import FOLDER, INPUT_FILE, Number, json_option, pass_at_option

_CERTIFY = """\b
Examples:
  fiducial audit certify run --claim true_negative_rate=0.8 --out certificate.json
  fiducial audit certify next_run --against certificate.json
"""


@click.command("certify", short_help="Certify a judge, or check a certificate.", epilog=_CERTIFY)
@click.argument("run", type=FOLDER)
@click.option(
    "--claim",
    "claims",
    multiple=True,
    metavar="STAT=VALUE",
    help="true_positive_rate, true_negative_rate or accuracy is at least VALUE.",
)
@click.option(
    "--by", "judge", metavar="JUDGE", help="Which judge, as it signs verdicts.  [default: the only one]"
)
@click.option("--level", type=Number(0.5, 0.9999), default=0.95, show_default=True, help="Of the claims.")
@pass_at_option
@click.option(
    "--accept",
    type=Number(0, 1, min_open=True, max_open=True),
    help="Accuracy on the anchors below which the judge has drifted.  [default: the certified bound]",
)
@click.option("--out", type=INPUT_FILE, help="The certificate to write.")
@click.option("--against", type=INPUT_FILE, help="A certificate to check this run against instead.")
@json_option
def certify(
    run: Path,
    claims: tuple[str, ...],
    judge: str | None,
    level: float,
    pass_at: PassAt,
    accept: float | None,
    out: Path | None,
    against: Path | None,
    json_file: str | None,
) -> int:
    """Certify what a labelled run shows of its judge, or check a later run against a certificate.

    A certificate is written only when its claims hold; exit code 1 when they do not. It names the judge's fingerprint and a hash of the
    labels, and is void (exit code 1) when prompt, model, parser or labels change, or when the anchors - the same labelled outputs, judged
    again with --no-cache in a folder of their own - show that the judge has drifted.
    """
    from ..evaluation.audit import certificate as certificates  # noqa: PLC0415 - numpy and scipy are slow to import
    from ..evaluation.audit.drift import check_certificate, read_certificate  # noqa: PLC0415 - likewise
    from ..evaluation.run_folder.folder import write_json  # noqa: PLC0415 - likewise
    from ..report.audit_words import certificate_lines, standing_lines  # noqa: PLC0415 - likewise

    if (against is None) == (out is None) or (against is None) != bool(claims):
        raise UsageError("either --claim STAT=VALUE with --out FILE, or --against FILE")
    if against is not None:
        judged = certificates.read_judged_run(run, judge, prefer=read_certificate(against).id)
        standing = check_certificate(against, judged, run)
        return _finish(standing, standing_lines(standing), json_file, good=standing.valid)
    assert out is not None
    issued = datetime.now(UTC).isoformat(timespec="seconds")
    certificate = certificates.certify(
        certificates.read_judged_run(run, judge),
        _claims(claims),
        issued=issued,
        level=level,
        pass_at=pass_at,
        accepted=accept,
    )
    holds = all(claim.holds for claim in certificate.claims)
    if holds:
        write_json(out, certificate)
    lines = [
        *certificate_lines(certificate),
        f"certificate: {out}" if holds else "no certificate: not every claim holds",
    ]
    return _finish(certificate, lines, json_file, good=holds)


@click.command(
    "alt-test",
    short_help="May a judge stand in for people?",
    epilog="Example: fiducial audit alt-test ana.jsonl ben.jsonl cleo.jsonl run/verdicts.jsonl",
)
@click.argument("verdicts", type=INPUT_FILE, nargs=-1, required=True)
@click.option(
    "--likeness",
    type=click.Choice(["equal", "near"]),
    default="equal",
    show_default=True,
    help="Compare scores by the share that is equal, or by how near they are.",
)
@json_option
def alternative(
    verdicts: tuple[Path, ...], likeness: Literal["equal", "near"], json_file: str | None
) -> None:
    """Test whether a judge may stand in for the people who annotate (Calderon et al. 2025).

    VERDICTS are files of verdicts of at least two people (source "human") and of one judge or more, on the same outputs. Each person is
    compared with the judge: who is nearer to the others? People get a handicap epsilon for what they cost: 0.2 for
    experts, 0.15 for trained annotators, 0.1 for a crowd.
    """
    from ..evaluation.audit.annotators import alternative_annotators, read_annotations  # noqa: PLC0415 - numpy is slow
    from ..report.audit_words import alternative_lines  # noqa: PLC0415 - likewise
    from .table_input import emit  # noqa: PLC0415 - likewise

    results = alternative_annotators(read_annotations(verdicts), likeness=likeness)
    lines = [line for result in results for line in alternative_lines(result)]
    emit({"judges": msgspec.to_builtins(results)}, lines, json_file)


def _claims(given: tuple[str, ...]) -> dict[str, float]:
    claims: dict[str, float] = {}
    for text in given:
        name, _, value = text.partition("=")
        try:
            claims[name] = float(value)
        except ValueError as error:
            raise UsageError(f"--claim expects STAT=VALUE, got {text!r}") from error
        if not 0.0 < claims[name] < 1.0:
            raise UsageError(f"--claim {text}: a rate that can be claimed is above 0 and below 1")
    return claims


def _finish(result: msgspec.Struct, lines: list[str], json_file: str | None, *, good: bool) -> int:
    from .main import EXIT_GATE, EXIT_OK  # noqa: PLC0415 - main imports this module
    from .table_input import emit  # noqa: PLC0415 - likewise

    emit(msgspec.to_builtins(result), lines, json_file)
    return EXIT_OK if good else EXIT_GATE
