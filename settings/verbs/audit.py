"""Settings of `fiducial audit`."""

from pathlib import Path
from typing import Annotated, Literal

from ..checking_settings import NamesSettings, WorkersSettings, WorldsSettings
from ..judging_settings import BATCHED_JUDGES, JudgeScaleSettings, JudgingSettings, PassThresholdsSettings
from ..results_settings import JsonSettings, VerboseSettings
from ..setting import DeclaredSettings, Setting


class AuditAltTestSettings(JsonSettings):
    """Settings of `fiducial audit alt-test`."""

    verdicts: Annotated[tuple[Path, ...], Setting(is_argument=True, form="input file", required=True)]
    likeness: Annotated[
        Literal["equal", "near"],
        Setting("Compare scores by the share of equal ones, or by distance.", harmless=True),
    ] = "equal"


class AuditCardSettings(
    JudgeScaleSettings, PassThresholdsSettings, WorldsSettings, JsonSettings, VerboseSettings, JudgingSettings
):
    """Settings of `fiducial audit card`."""

    judge: Annotated[
        str,
        Setting(
            "NAME, NAME/VARIANT, or a .prompty file.",
            option="--judge",
            metavar="JUDGE",
            harmless=True,
            required=True,
        ),
    ]
    out: Annotated[
        Path,
        Setting(
            "The card; the run folders are in NAME-run beside it, and the same command resumes them.  [required without --dry-run]",
            metavar="CARD.json",
            form="file unless dry run",
        ),
    ]
    natural: Annotated[
        Path | None,
        Setting(
            "A folder with cases.jsonl and outputs.jsonl that holds the set's natural faults.  [default: they are not tried]",
            form="existing folder",
            harmless=True,
        ),
    ] = None
    made_by: Annotated[str, Setting("Who runs it, for the card.", metavar="NAME", harmless=True)] = ""
    repeats: Annotated[
        int, Setting("Number of times each right output is judged.", low=1, high=100, harmless=True)
    ] = 1


class AuditTableSettings(JsonSettings, VerboseSettings):
    """Settings of `fiducial audit table`."""

    cards: Annotated[tuple[Path, ...], Setting(is_argument=True, form="input file", required=True)]
    out: Annotated[
        Path | None,
        Setting(
            "A Markdown file (NAME.md), or a folder for pages: one with all, and one a judge.  [default: printed]",
            form="out",
        ),
    ] = None
    badge: Annotated[
        Path | None, Setting("An SVG badge of the only card.", metavar="FILE.svg", form="out file")
    ] = None


class AuditCertifySettings(PassThresholdsSettings, JsonSettings):
    """Settings of `fiducial audit certify`."""

    run: Annotated[Path, Setting(is_argument=True, form="existing folder", required=True)]
    claims: Annotated[
        tuple[str, ...],
        Setting(
            "true_positive_rate, true_negative_rate or accuracy is at least VALUE.",
            option="--claim",
            metavar="STAT=VALUE",
            harmless=True,
        ),
    ] = ()
    judge: Annotated[
        str | None,
        Setting(
            "Judge, by its name in verdicts.  [default: the only one]",
            option="--by",
            metavar="JUDGE",
            harmless=True,
        ),
    ] = None
    level: Annotated[float, Setting("Level of the claims.", low=0.5, high=0.9999, harmless=True)] = 0.95
    accept: Annotated[
        float | None,
        Setting(
            "Lowest accuracy on the anchors without drift. With --drift paired, drops above it are ignored; the e-process uses the certified bound by default.",
            low=0,
            low_open=True,
            high=1,
            high_open=True,
            harmless=True,
        ),
    ] = None
    drift: Annotated[
        Literal["paired", "e-process"],
        Setting(
            "Test of drift in later runs. paired: each anchor against itself; e-process: against --accept, valid if verdicts on an anchor vary independently (not at temperature 0).",
            harmless=True,
        ),
    ] = "paired"
    out: Annotated[Path | None, Setting("The certificate to write.", form="out file")] = None
    sign: Annotated[
        Path | None,
        Setting(
            "An Ed25519 private key: also write a signed copy without the anchors, NAME.signed.json, for others.",
            metavar="KEY.pem",
            form="input file",
        ),
    ] = None
    html: Annotated[
        Path | None, Setting("Also write a page of the claims, or of the check.", form="out file")
    ] = None
    against: Annotated[
        Path | None, Setting("A certificate to check this run against instead.", form="input file")
    ] = None


class AuditExportSettings(DeclaredSettings):
    """Settings of `fiducial audit export`."""

    probes: Annotated[Path, Setting(is_argument=True, form="existing folder", required=True)]
    to: Annotated[str, Setting("inspect, promptfoo or azure.", metavar="TOOL", harmless=True, required=True)]
    out: Annotated[Path, Setting("The folder to write.", form="out folder", required=True)]
    sample: Annotated[int, Setting("Maximum probes per operator.", low=1, harmless=True)] = 100


class AuditImportSettings(JsonSettings):
    """Settings of `fiducial audit import`."""

    probes: Annotated[Path, Setting(is_argument=True, form="existing folder", required=True)]
    results: Annotated[Path, Setting(is_argument=True, form="input", required=True)]
    out: Annotated[Path, Setting("A folder for verdicts and audit.", form="out folder", required=True)]
    as_: Annotated[
        str | None,
        Setting(
            "Format of the results.  [default: from the content]",
            option="--as",
            metavar="SOURCE",
            harmless=True,
        ),
    ] = None


class AuditMutateSettings(NamesSettings, WorkersSettings, VerboseSettings):
    """Settings of `fiducial audit mutate`."""

    cases: Annotated[Path | None, Setting(is_argument=True, form="input file")] = None
    outputs: Annotated[
        tuple[Path, ...],
        Setting(
            "Outputs to mutate; only those that pass under strict rules are used.  [default: made of the references]",
            metavar="FILE...",
            form="input file",
        ),
    ] = ()
    out: Annotated[Path, Setting("The folder for the probes.", form="folder", required=True)]
    seed: Annotated[int, Setting("The same seed gives the same probes.", harmless=True)] = 0
    per_output: Annotated[
        int, Setting("Maximum probes of one operator per correct output.", low=1, high=100, harmless=True)
    ] = 3
    only: Annotated[
        tuple[str, ...],
        Setting("Operators by name.  [default: all that apply]", metavar="OPERATOR...", harmless=True),
    ] = ()
    operator: Annotated[tuple[str, ...], Setting("A custom operator.", metavar="MODULE:NAME")] = ()
    lifelike: Annotated[
        int,
        Setting(
            "Also plant faults like those of real agents: so many of each kind, with a twin each, in cases drawn for them. Without CASES, these alone.",
            low=0,
            high=10_000,
            harmless=True,
        ),
    ] = 0


class AuditRunSettings(
    JudgeScaleSettings, PassThresholdsSettings, WorldsSettings, JsonSettings, VerboseSettings, JudgingSettings
):
    """Settings of `fiducial audit run`."""

    probes: Annotated[Path | None, Setting(is_argument=True, form="existing folder")] = None
    judges: Annotated[tuple[str, ...], BATCHED_JUDGES]
    out: Annotated[
        Path,
        Setting(
            "The run folder; the same command resumes it.  [required without --dry-run]",
            form="run folder unless dry run",
        ),
    ]
    sample: Annotated[
        int,
        Setting(
            "Maximum probes per operator; verdicts made so far are reused with a larger number.",
            low=1,
            harmless=True,
        ),
    ] = 100
    ladder: Annotated[
        bool, Setting("Also find the hardest level at which faults are caught, dial by dial.", harmless=True)
    ] = False
    calls: Annotated[
        int,
        Setting(
            "With --ladder: questions of each dial to each judge; a later run with more continues.",
            low=1,
            harmless=True,
        ),
    ] = 300
    evenly: Annotated[
        bool,
        Setting(
            "With --ladder: fixed questions, evenly over all levels, so that replies can be recorded.",
            harmless=True,
        ),
    ] = False
    only: Annotated[
        tuple[str, ...],
        Setting("Operators and dials by name.  [default: all that apply]", metavar="NAME...", harmless=True),
    ] = ()
    repeats: Annotated[
        int, Setting("Number of times each output is judged.", low=1, high=100, harmless=True)
    ] = 2


class AuditVerifySettings(JsonSettings):
    """Settings of `fiducial audit verify`."""

    signed: Annotated[Path, Setting(is_argument=True, form="input file", required=True)]
    key: Annotated[
        Path,
        Setting("The signer's Ed25519 public key.", metavar="PUBLIC.pem", form="input file", required=True),
    ]
    certificate: Annotated[
        Path | None,
        Setting(
            "The private certificate, to check that its anchors are those that were signed.",
            form="input file",
        ),
    ] = None
