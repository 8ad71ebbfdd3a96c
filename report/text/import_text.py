"""The result of an import in words: records, suitable judges, doubts, and the next command."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ...formats.example_records import DEFAULT_CRITERION
from ...formats.folder import SKIPPED
from ...formats.import_summary import ImportSummary
from ...formats.imported_records import Skipped
from ...judges.catalogue import judges_for
from ...records import Kind, Source, kind_spec
from ...records.folder_files import CASES, LABELS, OUTPUTS
from ...settings.typed_commands import option_of_verb, proposed
from ...spelling import setting, spelled_pairs, spelled_scale, spelled_word, together
from ...tables.column_guesses import is_reference
from ...tables.column_names import grades_correctness
from ...tables.grades import OPEN_ENDS, which_is_best
from ...tables.named_columns import map_options, shown_columns
from . import number_text
from .number_text import counted

_VERDICT_WORDS: dict[Source, tuple[str, str, str]] = {
    "checker": ("verdict", "checker", "checkers"),
    "judge": ("verdict", "judge", "judges"),
    "human": ("label", "person", "people"),
}
"""Noun for the verdicts of a source, and for one author and several."""

_TABLE_FORMATS = {"csv", "json", "parquet", "hf"}
"""Formats whose columns may need a mapping."""


def import_lines(imported: ImportSummary, command: str | None = None) -> Iterator[str]:
    """Yield the result of an import for a terminal.

    Args:
        imported: The import.
        command: The command that was typed, to be proposed again with further columns; None in Python.
    """
    cases, outputs = sum(imported.kinds.values()), sum(imported.outputs.values())
    yield (
        f"read as {imported.format}: {counted(cases, 'case')}, {counted(outputs, 'output')} of {counted(len(imported.outputs), 'system')}, "
        f"{''.join(map('{}, '.format, _verdict_counts(imported)))}{f'{imported.skipped:,} skipped, ' if imported.skipped else ''}in {imported.folder}"
    )
    for kind, count in imported.kinds.items():
        kind_facts, judges = kind_spec(kind), judges_of(kind, imported)
        judges_named = f"; judge: {', '.join(judges)}" if judges else ""
        yield f"  {count:,} {kind}: {kind_facts.import_reason}{judges_named}"
        if any(row.accepted_answers and row.context for row in kind_facts.rows):
            yield f"    to judge whether the context supports the answers: {spelled_word('grade_by', 'context')} (judge: groundedness)"
    if imported.default_criterion:
        cases = counted(imported.default_criterion, "case")
        yield f"  {cases} by the default criterion, {DEFAULT_CRITERION!r}; {setting('criterion', 'TEXT')} sets another"
    if imported.own_folders:
        yield f"  skipped {counted(imported.own_folders, 'folder')} made by fiducial"
    yield from _doubts(imported, command)
    for author, outcomes in imported.verdicts.items():
        yield f"  {author}: {', '.join(f'{count:,} {outcome}' for outcome, count in outcomes.items())}"
    if imported.first_skipped is not None:
        skipped_line = f"skipped: {imported.skipped:,}, listed in {Path(imported.folder) / SKIPPED}"
        if len(imported.skipped_parts) > 1:
            yield skipped_line
            yield from _skipped_lines(imported)
        else:
            yield f"{skipped_line}; the first: {_location(imported.first_skipped)}"
    next_lines = next_of_import(imported)
    if command is not None and (options := _likely_options(imported, imported.guesses)):
        yield f"next: {command} {options}   (if these columns are more than tags)"
        next_lines = (line.replace("next: ", "      ", 1) for line in next_lines)
    yield from next_lines


def _likely_options(imported: ImportSummary, guesses: Mapping[str, str]) -> str:
    """Return the options that read tags as fields; ``?`` stands for what only the user knows."""
    label_tag_and_options = next(iter(imported.asked.items()), None)
    label_options = (
        ()
        if label_tag_and_options is None
        else (map_options({"label": label_tag_and_options[0]}), label_tag_and_options[1])
    )
    return " ".join(filter(None, (map_options(guesses), *label_options)))


_MAX_PARTS = 6
"""Most kinds of skipped records that are printed."""


def _skipped_lines(imported: ImportSummary) -> Iterator[str]:
    """Yield a line per kind of problem with skipped records, the most frequent first."""
    shown_parts = imported.skipped_parts[:_MAX_PARTS]
    for part in shown_parts:
        example_word = "first: " if part.count > 1 else ""
        yield f"  {part.count:,} {part.problem} ({example_word}{_place(part.first)})"
    if others := imported.skipped - sum(part.count for part in shown_parts):
        yield f"  {others:,} for other reasons"


def _location(skipped: Skipped) -> str:
    return f"{_place(skipped)}: {skipped.reason}"


def _place(skipped: Skipped) -> str:
    line = "" if skipped.line is None else f":{skipped.line}"
    field = f": {skipped.field}" if skipped.field else ""
    return f"{skipped.file}{line}{field}"


def _verdict_counts(imported: ImportSummary) -> Iterator[str]:
    """Yield the number of verdicts by checkers and by judges, and of labels by people."""
    counts: dict[Source, list[int]] = {}
    for author, outcomes in imported.verdicts.items():
        counts.setdefault(imported.sources.get(author, "judge"), []).append(sum(outcomes.values()))
    for source, (noun, one, several) in _VERDICT_WORDS.items():
        if source in counts:
            number = len(counts[source])
            yield f"{counted(sum(counts[source]), noun)} of {number:,} {one if number == 1 else several}"


def _doubts(imported: ImportSummary, command: str | None) -> Iterator[str]:
    """Yield what may be wrong or missing in an import, with the option that settles it."""
    if imported.sessions:
        earlier_turns = f"{imported.earlier_calls:,} with calls in earlier turns"
        yield f"  {counted(imported.sessions, 'conversation')} of several turns, one case each; {earlier_turns} ({spelled_word('unit', 'turn')}: a case a turn)"
    if imported.failed or imported.empty:
        unanswered = imported.failed + imported.empty
        counts_by_kind = {"failed": imported.failed, "empty": imported.empty}
        counts = ", ".join(f"{number:,} {kind}" for kind, number in counts_by_kind.items() if number)
        yield f"  {counted(unanswered, 'output')} without an answer, graded 0: {counts}"
    if imported.attempts:
        answers = counted(imported.attempts, "further answer")
        # Only tables have columns to name; other tools' files say themselves who answered.
        system_option = spelled_pairs("map", {"system": "COLUMN"})
        advice = f"; name who answered with {system_option}" if imported.columns else ""
        yield f"  {answers} to questions answered before, counted as trials{advice}"
    if imported.file_systems:
        names = ", ".join(map(repr, imported.file_systems))
        yield f"  each file is a system, named after it: {names}; if they are one: {setting('system', 'NAME')}"
    if imported.cut_off:
        verb = "was" if imported.cut_off == 1 else "were"
        yield f"  {counted(imported.cut_off, 'answer')} {verb} cut off at the limit of tokens, graded as written"
    yield from _unread_files(imported)
    if len(imported.outputs) > 1 and not imported.shared:
        names = ", ".join(
            f"{question_option} {count:,}" for question_option, count in imported.outputs.items()
        )
        yield f"  no case was answered by two systems ({names}); {_pairing(imported)}if they are one system: {setting('system', 'NAME')}"
    guesses = dict(imported.guesses)
    if imported.outputs and imported.columns and not {"query", "messages"} & imported.columns.keys():
        question_option = map_options({"query": guesses.pop("query", "COLUMN")})
        yield f"  no column is known to hold the question, so judges do not see it; name it: {question_option}"
    if imported.tags:
        yield f"  {counted(len(imported.tags), 'column')} read as {'a tag' if len(imported.tags) == 1 else 'tags'}: {shown_columns(imported.tags)}"
        if command is None and (options := _likely_options(imported, guesses)):
            yield f"  name those that are more than a tag: {options}"
        yield from (f"  {hint}" for hint in grade_hints({}, imported.ratings, imported.raters))


def grade_hints(
    labels: Mapping[str, str], ratings: Mapping[str, str], raters: Sequence[str] = ()
) -> Iterator[str]:
    """Yield the options that read tags as grades; ``?`` stands for what only the user knows.

    Args:
        labels: Tags that may be labels, each with the options that say which of its values is good.
        ratings: Tags that may be ratings, each with its likely scale.
        raters: Tags that may be labels, if there are several.
    """
    if raters:
        first_option = map_options({"label": raters[0]})
        yield f"the label could be {', '.join(map(repr, raters))}: name it ({first_option}), or several if each is a person's"
    for name, options in labels.items():
        yield f"if {name!r} holds labels: {together(map_options({'label': name}), options)}"
    for name, ends in ratings.items():
        of_people = together(map_options({"label": name}), spelled_scale("label_scale", OPEN_ENDS))
        of_judge = spelled_scale("score_scale", OPEN_ENDS, name)
        best = which_is_best(ends)
        yield f"if {name!r} holds ratings{best}: by people, {of_people}; by a judge, {of_judge}"


def _unread_files(imported: ImportSummary) -> Iterator[str]:
    """Yield unread files that look like grades or references, with a command that adds each."""
    for name, file in imported.unread.items():
        content, field = ("references", "accepted_answers") if is_reference(name) else ("grades", "label")
        case_id = imported.unread_ids.get(file)
        fields = {field: name} if case_id is None or case_id == "id" else {field: name, "id": case_id}
        condition = "" if case_id else "if rows have an id, "
        yield f"  not read, though it looks like {content}: {name!r}; {condition}add it with"
        yield f"      {proposed('labels add', imported.folder, file)} {map_options(fields)}"


def _pairing(imported: ImportSummary) -> str:
    if not imported.columns or "id" in imported.columns or imported.pairing is None:
        return ""
    return f"rows without an id are separate cases, {map_options({'id': imported.pairing})} pairs them; "


def next_of_import(imported: ImportSummary, run: str = "run") -> Iterator[str]:
    """Yield the next commands after an import, each with a note.

    Args:
        imported: The import.
        run: Name of the run's folder within the imported folder.
    """
    folder = Path(imported.folder)
    if imported.format == "pairs":
        yield f"next: {proposed('compare', folder, by='system')}   (win rates of these choices)"
        if imported.labels and imported.scored:
            yield f"      {proposed('calibrate', folder)}   (its judges against people's choices)"
        return
    cases, outputs, labels, out = (folder / name for name in (CASES, OUTPUTS, LABELS, run))
    if imported.outputs and imported.kinds:
        judges = sorted({judge for kind in imported.kinds for judge in judges_of(kind, imported)})
        judge_settings = {"judges": tuple(judges), "model": number_text.MODEL} if judges else {}
        label_settings = {"labels": labels} if imported.labels else {}
        yield f"next: {proposed('run', cases, outputs=outputs, **judge_settings, **label_settings, out=out)}"
        if judges:
            yield f"      ({number_text.needs_model()})"
        if not imported.labels and _is_calibrated_by_checks(imported):
            check = proposed("check", cases, outputs=outputs, out=labels)
            yield f"      {check}   (labels, if a checker decides)"
    if imported.verdicts and (not imported.labels or imported.scored):
        yield from _next_for_verdicts(imported, "      " if imported.outputs and imported.kinds else "next: ")
    elif imported.kinds and not imported.outputs:
        run_agent = proposed("run", cases, agent="python my_agent.py", out=out)
        yield f"next: {run_agent}   ({option_of_verb('run', 'generate')} MODEL for a model)"
        if imported.format in _TABLE_FORMATS:
            yield f"      (if the table holds answers, import it again with {map_options({'response': 'COLUMN'})})"


def _next_for_verdicts(imported: ImportSummary, prefix: str) -> Iterator[str]:
    """Yield the next commands for imported verdicts.

    They can be gated, corrected with labels, calibrated against checkers, or need labels first.
    """
    folder = Path(imported.folder)
    if not any(imported.sources.get(by) == "judge" for by in imported.verdicts):
        gate = proposed("gate", folder, minimum="overall=0.8")
        yield f"{prefix}{gate}   (whether at least 0.8 of the outputs pass)"
    elif imported.labels:
        estimate = proposed("estimate", folder, judge=one_judge(imported.judges))
        yield f"{prefix}{estimate}   (the pass rate, corrected with these labels)"
    elif _is_calibrated_by_checks(imported):
        other_judges = ", ".join(judge for judge in imported.judges if not grades_correctness(judge))
        limit = f", which say nothing about {other_judges}" if other_judges else ""
        yield f"{prefix}{proposed('calibrate', folder)}   (its judges against these labels{limit})"
    else:
        yield f"{prefix}{proposed('plan', folder, draw=50)}   (draws outputs to label, to measure its judges)"
        yield f"      {proposed('calibrate', folder, labels='LABELS.csv')}   (columns id, system and label)"


def one_judge(judges: Sequence[str]) -> str | None:
    """Return the judge to name in an `estimate` command, or None if there is only one."""
    return judges[0] if len(judges) > 1 else None


def _is_calibrated_by_checks(imported: ImportSummary) -> bool:
    """Return whether checkers' verdicts can serve as labels for an imported judge."""
    checked = bool(imported.outputs) and any(kind_spec(kind).checked_by for kind in imported.kinds)
    return checked and any(map(grades_correctness, imported.judges or imported.verdicts))


def judges_of(kind: Kind, imported: ImportSummary) -> list[str]:
    """Return the judges to recommend for a kind of case; none if a checker decides all."""
    if kind_spec(kind).compared or kind_spec(kind).call == "none":
        return []
    return judges_for(kind, imported.answered.get(kind, 0), imported.transcripts.get(kind, 0))
