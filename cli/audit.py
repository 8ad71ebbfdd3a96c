"""`fiducial audit`: test judges with probes whose labels are certain."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import click
import msgspec
from click.core import ParameterSource

from ..errors import UsageError
from .model_options import model_access, model_options
from .options import FOLDER, INPUT_FILE, SpreadCommand, names_and_worlds

_MUTATE = """\b
Examples:
  fiducial audit mutate cases.jsonl --outputs right.jsonl --out probes
  fiducial audit mutate cases.jsonl --out probes        (right outputs are made of the references)
  fiducial audit mutate cases.jsonl --operator my_operators:TYPO --only my_typo --out probes
"""

_RUN = """\b
Examples:
  fiducial audit run probes --judge tool_call_accuracy --model gpt-4.1-mini --out audit
  fiducial audit run probes --judge tool_call_accuracy/direct tool_call_accuracy/reasons --model my-model \\
      --base-url http://127.0.0.1:8000/v1 --sample 50 --repeats 3 --out audit
"""

_CERTIFY = """\b
Examples:
  fiducial audit certify run --claim true_negative_rate=0.8 --out certificate.json
  fiducial audit certify next_run --against certificate.json
"""

_ONLY = click.option(
    "--only", multiple=True, metavar="OPERATOR...", help="Operators by name.  [default: all that apply]"
)


@click.group(no_args_is_help=True)
def command() -> None:
    """Test judges with probes whose labels are certain: planted faults, harmless twins, attacks."""


@command.command("mutate", cls=SpreadCommand, epilog=_MUTATE)
@click.argument("cases", type=INPUT_FILE)
@click.option(
    "--outputs",
    type=INPUT_FILE,
    multiple=True,
    metavar="FILE...",
    help="Outputs, of which those that strict rules call right are mutated.  [default: made of the references]",
)
@click.option("--out", type=FOLDER, required=True, help="The folder for the probes.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same probes.")
@click.option(
    "--per-output",
    type=click.IntRange(1, 100),
    default=3,
    show_default=True,
    help="Probes of one operator from one right output at most.",
)
@_ONLY
@click.option("--operator", multiple=True, metavar="MODULE:NAME", help="An operator of your own.")
@names_and_worlds
def mutate(
    cases: Path,
    outputs: tuple[Path, ...],
    out: Path,
    seed: int,
    per_output: int,
    only: tuple[str, ...],
    operator: tuple[str, ...],
    **options: Any,
) -> None:
    """Make probes of right outputs: mutants with one named fault each, harmless twins, attacks with controls.

    The strict checker labels every probe (answers and statements are labelled by construction). What it judges otherwise than it was
    meant is no probe, but listed in weaknesses.jsonl, as is what BFCL's rules do not see.
    """
    from ..deterministic.mutation import load_operators  # noqa: PLC0415 - slow to import
    from ..evaluation.audit import ProbeSettings, build_probes  # noqa: PLC0415 - likewise
    from ..evaluation.audit.wording import probe_lines  # noqa: PLC0415 - likewise
    from .evaluate import check_options  # noqa: PLC0415 - likewise
    from .progress import shown_progress  # noqa: PLC0415 - likewise

    operators = load_operators(operator, Path.cwd())
    unknown = sorted(set(only) - operators.keys())
    if unknown:
        raise UsageError(f"--only {unknown[0]}: no such operator; there are {', '.join(operators)}")
    settings = ProbeSettings(
        operators=[each for name, each in operators.items() if not only or name in only],
        options=check_options({"rules": "strict", **options}),
        names=options["names"],
        seed=seed,
        per_operator=per_output,
    )
    with shown_progress() as progress:
        manifest = build_probes(cases, outputs, out, settings, progress)
    for line in probe_lines(manifest):
        click.echo(line)
    click.echo(f"probes: {out}")


@command.command("run", cls=SpreadCommand, epilog=_RUN)
@click.argument("probes", type=FOLDER)
@click.option(
    "--judge",
    "judges",
    multiple=True,
    required=True,
    metavar="JUDGE...",
    help="NAME, NAME/VARIANT, or a .prompty file.",
)
@click.option("--out", type=FOLDER, required=True, help="The run folder; the same command resumes it.")
@click.option(
    "--sample",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    help="Probes of each operator at most; a larger number keeps what was judged already.",
)
@_ONLY
@click.option(
    "--pass-at", type=click.FloatRange(0, 1), default=0.5, show_default=True, help="Score that passes."
)
@click.option("--json", "json_file", metavar="FILE", help="Also write the result here; - for stdout alone.")
@model_options
def run(
    probes: Path,
    judges: tuple[str, ...],
    out: Path,
    sample: int,
    only: tuple[str, ...],
    pass_at: float,
    json_file: str | None,
    **options: Any,
) -> int:
    """Ask judges about probes: which faults they miss, what harmless they punish, what talks them into passing.

    Right outputs are asked about --repeats times (2 unless said otherwise), so that noise is not taken for an effect. Verdicts to
    read, survivors first of all, are in to_read.jsonl of the run folder. Exit code 3: finished, but calls failed.
    """
    from ..evaluation.audit import AuditPlan, run_audit  # noqa: PLC0415 - numpy and scipy are slow to import
    from ..evaluation.audit.wording import audit_lines  # noqa: PLC0415 - likewise
    from .evaluate import command_line  # noqa: PLC0415 - likewise
    from .main import EXIT_OK, EXIT_PARTIAL  # noqa: PLC0415 - likewise
    from .progress import shown_progress  # noqa: PLC0415 - likewise
    from .table_input import emit  # noqa: PLC0415 - likewise

    if options["model"] is None:
        raise UsageError("no model is named: add --model NAME (or --model baseline, which needs none)")
    plan = AuditPlan(
        probes=probes,
        out=out,
        command=command_line(),
        judges=judges,
        model=options["model"],
        sample=sample,
        operators=only,
        repeats=_repeats(options["repeats"]),
        pass_at=pass_at,
    )
    with shown_progress() as progress:
        audit = run_audit(plan, lambda: model_access(options), progress, lambda: datetime.now(UTC))
    lines = [*audit_lines(audit), f"records: {out} (to_read.jsonl lists survivors and false alarms)"]
    if audit.failed:
        lines.append(f"{audit.failed:,} calls failed; the same command asks again for these alone")
    emit(msgspec.to_builtins(audit), lines, json_file)
    return EXIT_PARTIAL if audit.failed else EXIT_OK


@command.command("certify", epilog=_CERTIFY)
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
@click.option(
    "--level", type=click.FloatRange(0.5, 0.9999), default=0.95, show_default=True, help="Of the claims."
)
@click.option(
    "--pass-at", type=click.FloatRange(0, 1), default=0.5, show_default=True, help="Score that passes."
)
@click.option(
    "--accept",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Accuracy on the anchors below which the judge has drifted.  [default: the certified bound]",
)
@click.option("--out", type=INPUT_FILE, help="The certificate to write.")
@click.option("--against", type=INPUT_FILE, help="A certificate to check this run against instead.")
@click.option("--json", "json_file", metavar="FILE", help="Also write the result here; - for stdout alone.")
def certify_run(
    run: Path,
    claims: tuple[str, ...],
    judge: str | None,
    level: float,
    pass_at: float,
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
    from ..evaluation.audit.certificate import certify, read_judged_run  # noqa: PLC0415 - numpy and scipy are slow
    from ..evaluation.audit.drift import check_certificate, read_certificate  # noqa: PLC0415 - likewise
    from ..evaluation.audit.wording import certificate_lines, standing_lines  # noqa: PLC0415 - likewise
    from ..evaluation.run_folder import write_json  # noqa: PLC0415 - likewise

    if (against is None) == (out is None) or (against is None) != bool(claims):
        raise UsageError("either --claim STAT=VALUE with --out FILE, or --against FILE")
    if against is not None:
        judged = read_judged_run(run, judge, prefer=read_certificate(against).judge)
        standing = check_certificate(against, judged, run)
        return _finish(standing, standing_lines(standing), json_file, good=standing.valid)
    assert out is not None
    issued = datetime.now(UTC).isoformat(timespec="seconds")
    certificate = certify(
        read_judged_run(run, judge),
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


@command.command(
    "alt-test", epilog="Example: fiducial audit alt-test ana.jsonl ben.jsonl cleo.jsonl run/verdicts.jsonl"
)
@click.argument("verdicts", type=INPUT_FILE, nargs=-1, required=True)
@click.option(
    "--likeness",
    type=click.Choice(["equal", "near"]),
    default="equal",
    show_default=True,
    help="Compare scores by the share that is equal, or by how near they are.",
)
@click.option("--json", "json_file", metavar="FILE", help="Also write the result here; - for stdout alone.")
def alternative(
    verdicts: tuple[Path, ...], likeness: Literal["equal", "near"], json_file: str | None
) -> None:
    """Test whether a judge may stand in for the people who annotate (Calderon et al. 2025).

    VERDICTS are files of verdicts of at least two people (source "human") and of one judge or more, on the same outputs. Each person is
    compared with the judge: who is nearer to the others? People get a handicap epsilon for what they cost: 0.2 for
    experts, 0.15 for trained annotators, 0.1 for a crowd.
    """
    from ..evaluation.audit.annotators import alternative_annotators, read_annotations  # noqa: PLC0415 - numpy is slow
    from ..evaluation.audit.wording import alternative_lines  # noqa: PLC0415 - likewise
    from .table_input import emit  # noqa: PLC0415 - likewise

    results = alternative_annotators(read_annotations(verdicts), likeness=likeness)
    lines = [line for result in results for line in alternative_lines(result)]
    emit({"judges": msgspec.to_builtins(results)}, lines, json_file)


def _repeats(given: int) -> int:
    """The option --repeats, which here is 2 unless said otherwise: without a repetition noise cannot be told from an effect."""
    unsaid = click.get_current_context().get_parameter_source("repeats") is ParameterSource.DEFAULT
    return 2 if unsaid else given


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
