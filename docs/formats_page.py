"""Writes docs/formats.md from the formats themselves: ``python docs/formats_page.py``. A test compares the page with what this makes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fiducial.formats.calls import __doc__ as calls_doc
from fiducial.formats.example import __doc__ as kinds_doc
from fiducial.formats.readers import NAMES, format_of
from fiducial.formats.spans import __doc__ as spans_doc
from fiducial.formats.writers import WRITERS
from fiducial.records.column_names import FIELDS

PAGE = Path(__file__).with_suffix("").with_name("formats.md")

_HEAD = """# Other tools' files

<!-- Made by docs/formats_page.py from the formats themselves; a test compares. -->

```sh
fiducial import inspect logs/2026-11-22_shop.eval --out shop     # SOURCE PATH
fiducial import results.json --out shop                          # the format is found from the content, and said
fiducial import answers.csv --map answer=response --out shop     # columns of a table, by name
```

The folder gets `cases.jsonl`, `outputs.jsonl`, `verdicts.jsonl` (where there are scores) and `skipped.jsonl`: whatever became no record, with file, line, field and reason. The command says how many cases of
which kind there are, which judge fits, and what to type next. From Python, `fd.read(path)` gives the same as values:

```python
import json
from pathlib import Path

import fiducial as fd

Path("log.jsonl").write_text(
    json.dumps({"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]})
)
read = fd.read("log.jsonl")
print(read.format, read.cases[0].kind, read.outputs[0].text)
run = fd.evaluate(read.cases, read.outputs)
table = fd.read([{"question": "Where?", "answer": "Rome", "expected": "Rome"}])
print(fd.check(table.cases[0], table.outputs[0]).score)
```

It takes data frames, rows and a `datasets.Dataset`, too. A folder of files of one tool is read as a whole: runs with their feedback, spans with their evaluations.

Scores become verdicts of judges under their scorers' own names, a person's under the person's; what the tool could not score is an ungraded verdict (`failed`, `refused`, `unparsable`, `not_applicable`) with the
tool's reason, and no score. So `fiducial calibrate shop --labels LABELS`, `compare` and `estimate` measure that tool's judges without asking anything again; `fiducial check` makes labels where a checker can decide.

A score that is outside [0, 1], where the tool says neither a range nor whether it passes, is listed and never guessed. Ids stay as they are (`"001"` is a text); NaN is read, and null is written.
"""


_TRIED = """## Tried with the tools themselves

`make formats`, in an environment of its own: Inspect (0.3.285, `mockllm`), promptfoo (0.121.20, echo provider), DeepEval (4.3.1), pydantic-evals (2.62.0), MLflow (skinny, 3.17.2) and the OpenTelemetry SDK (1.38.0)
write files that are read, and read files that are written; Inspect scores with our scorers. 2026-11-22, 2 cores, 24 GB, Python 3.11: 13 passed in 60 s, with other work on both cores.

Every sample under `tests/formats/samples` is read in `make test`, and copies of it with a field removed or of another type, or cut off, are read or told in one line. How fast files are read, and in how much memory:
[benchmarks.md](benchmarks.md#other-tools-files). Formats of hosted services (Langfuse, LangSmith, Braintrust, Azure, OpenAI) were read from files that their own libraries write or check; no service was asked.
"""


def page() -> str:
    """The page."""
    return "\n".join(
        [_HEAD, *_formats(), *_kinds(), *_calls(), *_columns(), *_written(), *_inspect(), _TRIED]
    )


def _formats() -> Iterator[str]:
    yield "## What is read\n"
    yield "| source | read | not kept |\n|---|---|---|"
    for name in sorted(NAMES):
        format_ = format_of(name)
        yield f"| `{name}` | {format_.ABOUT} | {format_.LOST} |"
    yield "\nOf each:\n"
    for name in sorted(NAMES):
        module = format_of(name)
        yield f"* **{name}**: {_one_line(module.__doc__)}"
    yield f"\nTraces: {_one_line(spans_doc)}\n"


def _kinds() -> Iterator[str]:
    head, _, _ = (kinds_doc or "").partition("\n")
    yield f"## What kind of case it is\n\n{head}\n"
    rows = [line for line in (kinds_doc or "").splitlines() if line and not line.startswith("=")][1:]
    yield "| " + " | ".join(_cells(rows[0])) + " |\n|---|---|---|"
    yield from ("| " + " | ".join(_cells(row)) + " |" for row in rows[1:])
    yield (
        "\nWhere calls are expected and nobody documented the functions, their documents are made of the expected arguments, of any type. Of expected calls\n"
        "without arguments the names become a tag, since nothing could be checked.\n"
    )


def _calls() -> Iterator[str]:
    yield f"## One tool call, however it is spelt\n\n{(calls_doc or '').strip()}\n".replace("``", "`")


def _columns() -> Iterator[str]:
    yield "## Columns of tables\n"
    yield "`--map NAME=NAME` pairs a field with a column, in either order. Without it columns are known by these names; every other column is a tag.\n"
    yield "| field | columns |\n|---|---|"
    for field, names in FIELDS.items():
        yield f"| `{field}` | {', '.join(f'`{name}`' for name in names)} |"
    yield ""


def _written() -> Iterator[str]:
    yield "## What is written\n"
    yield (
        "`fiducial export RUN --to FORM --out PATH`, or `fd.export(run, form, path)`, writes the verdicts of a run, or of what was imported; `--judge` and `--system` choose among\n"
        "them. `--to otlp --endpoint URL` sends them to a collector by the official exporter (extra `otel`). A verdict without a score is never written as 0: it is unscored, an error or\n"
        "skipped, whichever the form has, or left out and counted where it has none of these.\n"
    )
    yield "| form | written |\n|---|---|"
    yield from (f"| `{name}` | {about} |" for name, (_, _, about) in WRITERS.items())
    yield (
        "\nWho judged stands in `fiducial.*` where the form has attributes or metadata: `fiducial.judge.name`, `.variant`, `.model`, `.fingerprint`, `fiducial.outcome`, `fiducial.source`,\n"
        "and, of judges that were calibrated, `fiducial.judge.accuracy.value`, `.low`, `.high` and `.n`. Cases that were read from traces keep the span they were read from as tags\n"
        "(`otel.trace_id`, `otel.span_id`), so that an evaluation is told to the span that was evaluated.\n"
    )


def _inspect() -> Iterator[str]:
    yield (
        "## Scorers for Inspect\n\n"
        "```sh\n"
        "inspect score log.eval --model none/none --scorer fiducial/check                            # by the kind of each sample\n"
        "inspect score log.eval --model none/none --scorer fiducial/tool_call_accuracy -S model=gpt-4.1-mini\n"
        "inspect score log.eval --model none/none --scorer fiducial/rubric -S model=gpt-4.1-mini -S criterion='It names a price.'\n"
        "```\n\n"
        "They are found by entry point where fiducial is installed beside Inspect: every judge by its name (`-S variant=`, `-S model=`, `-S base_url=`), `fiducial/check`, and `fiducial/check_KIND` for\n"
        "each kind that a checker decides (`-S rules=bfcl`). A score is a number in [0, 1]. What could not be judged is `Score.unscored` with the reason (`invalid_response_format`, `refusal`, `grader_failed`,\n"
        "`scoring_failed`, `undecided`, `not_applicable`), never None and never an exception. Standard errors are clustered by the metadata's `cluster`. A sample whose metadata has a `fiducial_case` is that case.\n"
        "`--model none/none` keeps Inspect from building the model that is in the log.\n"
    )


def _cells(row: str) -> list[str]:
    return [cell.strip().replace("``", "`") for cell in row.split("  ") if cell.strip()]


def _one_line(text: str | None) -> str:
    return " ".join((text or "").split()).replace("``", "`")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
