"""The first stage: every output gets the verdict of its checker."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import msgspec

from ...deterministic import CheckOptions, check
from ...deterministic.own_checkers import source_fingerprint
from ...records import BUILT_IN_KINDS, Case, Kind, Output, Verdict
from ..context import RunContext
from ..inputs import EvaluationInputs
from ..store.standing import VerdictKey
from .dependencies import hold_back_dependents
from .names import NamesOption, NamesVote


def check_outputs(
    pairs: Iterable[tuple[Case, Output]], options: dict[str, CheckOptions], default: CheckOptions
) -> Iterator[Verdict]:
    """Check outputs one by one.

    Args:
        pairs: Outputs with their cases.
        options: What differs by system.
        default: Options of every other system.

    Returns:
        One verdict an output, in the same order; those on challenges with dependencies at the end.
    """
    return hold_back_dependents(
        (case, check(case, output, options.get(output.system, default))) for case, output in pairs
    )


def options_by_system(
    inputs: EvaluationInputs, names: NamesOption, options: CheckOptions
) -> tuple[dict[str, CheckOptions], CheckOptions]:
    """Work out which systems had to write names with underscores.

    Args:
        inputs: Cases and outputs.
        names: As the user asked; ``auto`` looks at the outputs.
        options: Everything else.

    Returns:
        The options that differ by system, and those of every other system.
    """
    if names != "auto":
        return {}, msgspec.structs.replace(options, names=names)
    vote = NamesVote()
    for output in inputs.outputs():
        if not vote.is_clear(output.system):
            vote.add(inputs.cases[output.case_id], output)
    differing = {
        system: msgspec.structs.replace(options, names=form)
        for system in inputs.survey.answered
        if (form := vote.of(system)) != options.names
    }
    return differing, options


def own_checkers(kinds: Iterable[Kind]) -> dict[str, dict[Kind, str]]:
    """What ties a run to checkers of the user's own: of each kind that does not come along its checker's fingerprint."""
    own = {kind: source_fingerprint(kind) for kind in kinds if kind not in BUILT_IN_KINDS}
    return {"checkers": own} if own else {}


def check_into_folder(context: RunContext, names: NamesOption, options: CheckOptions) -> None:
    """Check what has no verdict yet, and journal it.

    Args:
        context: Inputs, folder and progress.
        names: How documented names with dots were offered.
        options: Rule set and registries.
    """
    folder, inputs = context.folder, context.inputs
    done = folder.verdicts.settled
    context.progress.begin("checking", inputs.survey.outputs)
    left = _unchecked(context)
    if left is None:
        context.progress.advance(inputs.survey.outputs)
        return
    differing, default = options_by_system(inputs, names, options)
    pairs = ((inputs.cases[output.case_id], output) for output in inputs.outputs() if left(output))
    found = 0
    for verdict in check_outputs(pairs, differing, default):
        if VerdictKey(verdict.key, verdict.author, verdict.repeat) not in done:
            folder.verdicts.append(verdict)
        found += 1
        context.progress.advance()
    context.progress.advance(inputs.survey.outputs - found)
    folder.verdicts.flush()


def _unchecked(context: RunContext) -> Callable[[Output], bool] | None:
    """Which outputs have to be checked still; None where all were.

    Challenges depend on others, so that all of them are checked again where one is left.
    """
    folder, inputs = context.folder, context.inputs
    if not folder.resumed:
        return lambda _: True
    standing = folder.verdicts.standing
    left = [output.key for output in inputs.outputs() if not standing.is_checked(output.key)]
    if not left:
        return None
    keys, facts = frozenset(left), inputs.cases.facts
    together = any(facts(key.case_id).kind == "artifact" for key in keys)
    return lambda output: output.key in keys or (together and facts(output.case_id).kind == "artifact")
