"""``judge --reparse``: the replies of a run are read again by the parsers as they are now; nobody is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import msgspec

from ..errors import RunFolderError
from ..judges import Judge, load_judge, read_again, rests_on_a_reply
from ..judges.baseline import MODEL as BASELINE
from ..judges.prices import PriceList
from ..records import Verdict
from .conclusion.stage import Conclusion, conclude
from .context import RunContext
from .inputs import EvaluationInputs, InputFile
from .juries.convening import count_opinions, dissolve
from .juries.jury import JURY
from .progress import Progress
from .run_folder.folder import RunFolder, read_manifest
from .statements.splitting import combine_again, forget_shares
from .statements.statement import SHARE, SPLIT


class Reparsed(msgspec.Struct, frozen=True, kw_only=True):
    """What reading again changed for one judge.

    Attributes:
        by: The judge.
        replies: Replies that were read.
        without: Verdicts that rest on no stored reply, and stay as they are.
        changed: Verdicts that differ in outcome or score.
        before: Its fingerprint until now.
        after: Its fingerprint from now on.
    """

    by: str
    replies: int
    without: int
    changed: int
    before: str
    after: str


def reparse(
    path: Path, progress: Progress, now: Callable[[], datetime], *, prices: PriceList | None = None
) -> tuple[list[Reparsed], Conclusion]:
    """Read every reply of a run again, write the verdicts anew, and conclude the run.

    A row takes the place of the row it was read from, so that there are never two graded rows for one question. What rests on no
    reply (checkers' verdicts, calls that failed) stays as it is; juries are counted again.

    Args:
        path: The run folder.
        progress: Told about every verdict.
        now: The clock.
        prices: What models cost, for the record.

    Returns:
        What changed, judge by judge, and what the run comes to now.

    Raises:
        RunFolderError: It is no run folder, it is in use, or its inputs are not what and where they were.
        PromptError: A prompt file is not there any more, or cannot be used.
    """
    manifest = read_manifest(path)
    with _inputs(path, manifest) as inputs, RunFolder(path) as folder:
        context = RunContext(inputs, folder, progress)
        judges = _judges(folder)
        counts = {by: Counter[str]() for by in judges}
        folder.rewrite(_read_again(context, judges, counts))
        identity = folder.manifest["identity"]
        found = [
            Reparsed(
                by=by,
                replies=counts[by]["replies"],
                without=counts[by]["without"],
                changed=counts[by]["changed"],
                before=identity[f"judge {by}"],
                after=judge.fingerprint,
            )
            for by, judge in judges.items()
        ]
        identity.update({f"judge {entry.by}": entry.after for entry in found})
        for share in forget_shares(folder):
            identity[f"judge {share.by}"] = combine_again(context, share, judges[share.judge])
        for jury in dissolve(folder):
            count_opinions(context, jury)
        record = {"at": now().isoformat(timespec="seconds"), "judges": msgspec.to_builtins(found)}
        folder.update(reparsed=[*folder.manifest.get("reparsed", ()), record])
        asked = folder.manifest.get("not_judged") is None
        return found, conclude(context, pass_at=folder.manifest["pass_at"], prices=prices, asked=asked)


def _inputs(path: Path, manifest: dict[str, object]) -> EvaluationInputs:
    try:
        known = msgspec.convert(manifest["inputs"], list[dict[str, object]])
        cases, *outputs = (Path(str(file["path"])) for file in known)
        before = [str(file["sha256"]) for file in known]
    except (KeyError, ValueError, msgspec.ValidationError) as error:
        raise RunFolderError(
            f"{path}: the run was not begun properly; there is nothing to read again"
        ) from error
    inputs = EvaluationInputs(cases, outputs)
    found: list[InputFile] = inputs.survey.files
    changed = [file.name for file, sha256 in zip(found, before, strict=True) if file.sha256 != sha256]
    if changed:
        inputs.close()
        raise RunFolderError(
            f"{path}: {', '.join(changed)} changed since the run; its verdicts are about other outputs"
        )
    return inputs


def _judges(folder: RunFolder) -> dict[str, Judge]:
    """The judges of a run, as they are now."""
    judges: dict[str, Judge] = {}
    prompts = folder.manifest.get("prompts", {})
    for entry in folder.manifest["identity"]:
        kind, _, by = entry.partition(" ")
        name, _, model = by.partition("@")
        if kind == "judge" and model != BASELINE and not by.startswith((JURY, SHARE, SPLIT)):
            custom = name.endswith("/custom")
            judges[by] = load_judge(prompts.get(by, name) if custom else name, model=model)
    return judges


def _read_again(
    context: RunContext, judges: dict[str, Judge], counts: dict[str, Counter[str]]
) -> Iterator[Verdict]:
    verdicts = context.folder.verdicts
    context.progress.begin("reading replies again", sum(1 for _ in verdicts))
    for verdict in verdicts:
        context.progress.advance()
        if verdict.by not in judges or verdict.source != "judge":
            yield verdict
        elif not rests_on_a_reply(verdict):
            counts[verdict.by]["without"] += 1
            yield verdict
        else:
            again = read_again(verdict, judges[verdict.by])
            counts[verdict.by]["replies"] += 1
            counts[verdict.by]["changed"] += (again.outcome, again.score) != (verdict.outcome, verdict.score)
            yield again
