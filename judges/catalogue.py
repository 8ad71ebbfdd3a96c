"""Shipped prompts: their names, kinds and accuracy, and finding a prompt by name or path.

A prompt is named ``judge/variant``: the variants of a judge grade the same outputs with different prompts.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from ..errors import PromptError, UsageError
from ..records import KINDS, JudgeId, Kind, kind_spec
from ..records.typed_values import convert
from ..spelling import command, setting

SUFFIX = ".prompty"
_FOLDER = Path(__file__).parent.parent / "prompts"


_TASK_JUDGE = "task_completion"

DEFAULT_VARIANTS: Mapping[str, str] = {
    judge: "explicit" if judge == _TASK_JUDGE else "reasons"
    for judge in sorted({spec.judge for spec in KINDS.values() if spec.judge is not None})
}
"""Default variant of each judge: `reasons`, which explains the score, at the cost of more tokens.

For tasks it is `explicit`, the only variant that shows the results of calls, without which many tasks cannot be decided. A default
changes only if a paired test, adjusted for the number of variants, shows another one to be better (``measured`` in
``prompts/recorded.toml``).
"""


JUDGED_KINDS: Mapping[str, frozenset[Kind]] = {
    judge: frozenset(spec.name for spec in KINDS.values() if spec.judge == judge)
    for judge in DEFAULT_VARIANTS
}
"""Kinds of case of each shipped judge; every kind has a judge."""


def no_model() -> str:
    """Return the advice for a judge without a model."""
    return f"no model is named: add {setting('model', 'NAME')} (the model `baseline` needs none)"


def judge_of(kind: Kind) -> str | None:
    """Return the name of the shipped judge for a kind of case."""
    return kind_spec(kind).judge


LOCALISING: Mapping[str, str] = {"first_wrong_step": "reasons"}
"""Judges that locate a fault: they name the first wrong step of a trajectory. Each has its default variant."""

OF_TRANSCRIPTS = frozenset({_TASK_JUDGE, *LOCALISING})
"""Judges that take cases of any kind if the output records its steps."""


def takes_transcripts(judge: JudgeId) -> bool:
    """Return whether a judge takes cases of any kind whose output records its steps."""
    return judge.kind in {"shipped", "baseline"} and judge.name in OF_TRANSCRIPTS


def judges_for(kind: Kind, outputs: int, recorded: int) -> list[str]:
    """Return the judges to recommend for outputs of a kind, of which ``recorded`` have steps.

    Tool calls without a reference are best judged together with their results and the final answer, if these are recorded.
    """
    judge = judge_of(kind)
    judges = [] if judge is None else [judge]
    if kind_spec(kind).call != "any" or not recorded:
        return judges
    return [_TASK_JUDGE, *(judges if recorded < outputs else [])]


class PromptName(NamedTuple):
    """A judge and one of its variants."""

    judge: str
    variant: str

    def __str__(self) -> str:
        return f"{self.judge}/{self.variant}"


PAIRWISE: Mapping[str, str] = {"preference": "reasons"}
"""Judges that compare two outputs of a case instead of judging one, each with its default variant."""

SPLITTER = PromptName("statements", "split")
"""The prompt that splits long answers into statements; it is not a judge."""


class MeasuredPrompt(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Accuracy of a prompt with one model, as in docs/evidence.md.

    Attributes:
        model: The model that was recorded.
        data: What was judged: ``suite`` (the built-in suite) or ``real`` (real tool calls).
        n: Number of labelled outputs.
        accuracy: Share of them judged as labelled.
        against: Variant of the same judge with which it was compared on the same outputs, or None without a comparison.
        difference: Accuracy of this prompt minus that of the variant ``against``.
        low: Lower end of the difference's 95 % interval.
        high: Upper end of that interval.
        p: p-value of the difference, adjusted over the pairs of the judge's variants.
    """

    model: str
    data: Literal["suite", "real"]
    n: int
    accuracy: float
    against: str | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None

    @property
    def found(self) -> Literal["better", "worse", "no difference shown"] | None:
        """Result of the comparison at the significance level, or None without a comparison."""
        if self.against is None:
            return None
        if self.difference is None or self.p is None or self.p > _SIGNIFICANCE_LEVEL:
            return "no difference shown"
        return "better" if self.difference > 0 else "worse"


_SIGNIFICANCE_LEVEL = 0.05
"""Up to this adjusted p-value, one variant is called better or worse than another."""


class KnownPrompt(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Entry of ``prompts/recorded.toml`` for a shipped prompt.

    Attributes:
        sha256: Hash of the file. A shipped prompt never changes.
        pass_at: Pass threshold in (0, 1], or None for a prompt that is not a judge.
        recorded: Names of the recordings of a real model's replies.
        measured: Accuracy of the prompt in these recordings, per model and data.
        transcript: ``calls`` if the prompt's transcripts show calls without results, else ``full``.
    """

    sha256: str
    pass_at: float | None = None
    recorded: tuple[str, ...] = ()
    measured: tuple[MeasuredPrompt, ...] = ()
    transcript: Literal["calls", "full"] = "full"

    @property
    def experimental(self) -> bool:
        """True if no real model's replies to the prompt were recorded."""
        return not self.recorded


def shipped_prompts() -> dict[PromptName, Path]:
    """Return every shipped prompt that grades one output, sorted by name."""
    other_judges = {SPLITTER.judge, *PAIRWISE, *LOCALISING}
    return {name: file for name, file in all_prompts().items() if name.judge not in other_judges}


def all_prompts() -> dict[PromptName, Path]:
    """Return every shipped prompt for chat models, also those that are no judges of one output."""
    return {name: file for name, file in _files().items() if not is_decision(name)}


def decision_prompts() -> dict[PromptName, Path]:
    """Return every shipped prompt for decision models, sorted by name.

    They cannot be used with promptflow, batches or chat models.
    """
    return {name: file for name, file in _files().items() if is_decision(name)}


DECISION_VARIANT = "decision"
"""Variant for decision models. Names of further such variants begin with it."""


def is_decision(name: PromptName) -> bool:
    """Return whether a shipped prompt asks a decision model."""
    return name.variant.partition("_")[0] == DECISION_VARIANT


def _files() -> dict[PromptName, Path]:
    files = sorted(_FOLDER.glob(f"*/*{SUFFIX}"))
    return {PromptName(file.parent.name, file.stem): file for file in files}


@cache
def known_prompts() -> Mapping[PromptName, KnownPrompt]:
    """Return the catalogue entry of each shipped prompt."""
    tables = tomllib.loads((_FOLDER / "recorded.toml").read_text(encoding="utf-8"))
    entries = convert(tables, dict[str, KnownPrompt])
    return {PromptName(*name.split("/")): entry for name, entry in entries.items()}


def known_prompt(name: PromptName, path: Path) -> KnownPrompt | None:
    """Return a prompt's catalogue entry, or None for a prompt that is not shipped."""
    return known_prompts().get(name) if path == _FOLDER / name.judge / f"{name.variant}{SUFFIX}" else None


def is_prompt_file(spec: str) -> bool:
    """Return whether a spec is the path of a prompt file, not the name of a shipped judge."""
    return spec.endswith(SUFFIX)


def find_prompt(spec: str, *, decides: bool = False) -> tuple[PromptName, Path]:
    """Find a prompt.

    Args:
        spec: ``judge`` (its default variant), ``judge/variant``, or a path to a ``.prompty`` file. A file is named by its
            stem, with the variant ``custom``.
        decides: Whether a decision model is asked; then the default variant is ``decision``.

    Raises:
        PromptError: There is no such file.
        UsageError: There is no such judge; the message names those that exist.
    """
    if is_prompt_file(spec):
        path = Path(spec)
        if not path.is_file():
            raise PromptError(f"{spec}: there is no such prompt file")
        return PromptName(path.stem, "custom"), path
    judge, slash, variant = spec.partition("/")
    defaults = {**DEFAULT_VARIANTS, **PAIRWISE, **LOCALISING}
    default = DECISION_VARIANT if decides and judge in defaults else defaults.get(judge, "")
    name = PromptName(judge, variant if slash else default)
    shipped = _files()
    if name in shipped:
        return name, shipped[name]
    judge_names = [str(entry) for entry in shipped if entry != SPLITTER]
    close_names = difflib.get_close_matches(spec, [*judge_names, *defaults], 1)
    hint = (
        f"did you mean {close_names[0]}?"
        if close_names
        else f"there are {', '.join(dict.fromkeys(entry.partition('/')[0] for entry in judge_names))} "
        f"(their variants: `{command('prompts list')}`), or name a {SUFFIX} file"
    )
    raise UsageError(f"no judge {spec!r}: {hint}")
