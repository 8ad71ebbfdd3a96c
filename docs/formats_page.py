"""Generator of docs/formats.md: ``python docs/formats_page.py``.

A test compares the page with its output.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import itemgetter
from pathlib import Path

from fiducial.formats.calls import __doc__ as calls_doc
from fiducial.formats.exchanges import __doc__ as exchanges_doc
from fiducial.formats.readers import NAMES, format_of
from fiducial.formats.traces.trace_examples import __doc__ as traces_doc
from fiducial.formats.writers import WRITERS
from fiducial.judges.catalogue import judges_for
from fiducial.records import KINDS, KindSpec
from fiducial.tables.column_names import FIELDS

PAGE = Path(__file__).with_suffix("").with_name("formats.md")

_HEAD = """# Other tools' files

<!-- Made by docs/formats_page.py. -->

```sh
fiducial import inspect logs/2026-11-22_shop.eval --out shop     # SOURCE PATH
fiducial import results.json --out shop                          # the format is detected and printed
fiducial import answers.csv --map answer=response --out shop     # columns of a table, by name
```

The folder gets `cases.jsonl`, `outputs.jsonl`, `verdicts.jsonl` (grades and judges' scores), `labels.jsonl` (grades), `import.json` (`import --explain FOLDER` prints its columns as options) and `skipped.jsonl` (file, line, field, reason). In Python:

```python
import fiducial as fd

table = fd.read([{"question": "Where?", "answer": "Rome", "expected": "Rome"}])
print(table.cases[0].kind, fd.check(table.cases[0], table.outputs[0]).score)
run = fd.evaluate(table.cases, table.outputs)
```

`fd.read` also takes a path, a data frame or a `datasets.Dataset`. A folder is read as a whole.

Scores, assertions and metrics become verdicts under the scorer's or person's name, ungraded if the tool gave no score. So `fiducial calibrate shop --labels LABELS`, `compare` and `estimate` measure them without calls. A judge with scores above 1 is skipped unless `--score-scale JUDGE=1:5` gives its scale. If pass and threshold show that less is better, the score is 1 minus the number. Ids stay text (`"001"`).
"""


_CONTENTS = (
    "expected calls with arguments",
    "a criterion",
    "accepted answers",
    "an empty list of expected calls (`[]`), with tools",
    "calls that were made, in every answer",
    "a context",
)
"""The fields of `records.RowContents` in words."""

_TRIED = """## Tested

`make formats` exchanges files with Inspect 0.3.285, promptfoo 0.121.20, DeepEval 4.3.1, pydantic-evals 2.62.0, MLflow 3.17.2 and the OpenTelemetry SDK 1.38.0. Langfuse, LangSmith, Braintrust, Azure and OpenAI were tested with files that their libraries write or check. [Speed and memory](benchmarks.md#other-tools-files).
"""


_TRACES = """## Traces of agent frameworks

Each tool ran against a server that followed a script (two parallel calls, a failing tool, two calls in a row, no call, HTTP 500, two turns), and wrote these traces itself (`make frameworks`). All else is whole: question, answer, calls with their exact arguments, results, errors, session, system.

| tool, instrumentation | not whole, and why |
|---|---|
| LangGraph 1.2.24, OpenInference 0.1.80 | |
| LlamaIndex 0.14.25, OpenInference 4.6.1 | |
| Langfuse SDK 5.0.4 | |
| Pydantic AI 2.68.0 | session: one a run, unless the conversation's id is given |
| Strands 1.62.0 | tools: not recorded |
| smolagents 1.26.0, OpenInference 0.1.43 | question of a crashed run: behind `New task:`, since its root is not recorded; earlier turns: texts; `final_answer` is the answer, not a call |
| openai-agents 0.24.0, OpenInference 2.6.0 | question of a failed request, words of a failed tool: not recorded |
| Anthropic 2.14.0, OpenInference 3.1.0 | error of a tool: its text alone |
| OpenLLMetry 0.62.4 (OpenAI) | error of a tool: its text alone, since tools have no spans |
| MLflow 3.17.2 (LangGraph) | session: only if `mlflow.trace.session` is set |
| ADK 2.13.0, its own and OpenInference 1.0.5 | results: as ADK wraps texts, `{"result": ...}`; its own with `OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental` and `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY` |
| CrewAI 1.15.30, OpenInference | calls, system: models have no spans |

Conversations that Pydantic AI (`all_messages_json()`), openai-agents (`to_input_list()`, sessions), LlamaIndex, ADK (events), smolagents (memory), AutoGen, LangChain, Anthropic and Bedrock keep are read as [logs](#logs-of-chats), and as what [an agent](generate.md) returns.
"""


def page() -> str:
    """The page."""
    return "\n".join(
        [
            _HEAD,
            *_formats(),
            _TRACES,
            *_logs(),
            *_kinds(),
            *_calls(),
            *_columns(),
            *_written(),
            *_inspect(),
            _TRIED,
        ]
    )


def _formats() -> Iterator[str]:
    yield "## What is read\n"
    yield "*Listed*: in `skipped.jsonl`. Text files may be packed: `rows.jsonl.gz`, `.json.gz`, `.csv.gz`, `.tsv.gz`.\n"
    for name in sorted(NAMES):
        format_ = format_of(name)
        _, _, details = (format_.__doc__ or "").partition("\n\n")
        lost = "" if format_.LOST == "nothing" else f"Lost: {format_.LOST}."
        parts = [f"{format_.ABOUT}.", _one_line(details), lost]
        yield f"* **`{name}`**: {' '.join(part for part in parts if part)}"
    yield f"\n{_one_line((traces_doc or '').partition(chr(10) * 2)[2])}\n"


def _logs() -> Iterator[str]:
    head, _, rest = (exchanges_doc or "").partition("\n\n")
    yield f"## Logs of chats\n\n{head}\n\n{rest.strip()}\n".replace("``", "`")
    yield (
        "Lines of one session are one conversation: a line that extends another replaces it; others follow by time, or in file order. Repeated failed calls are\n"
        "skipped. By default (`--unit session`) a conversation is one case, with the calls of all turns and the last text as answer. With `--unit turn` each turn is\n"
        "a case (`SESSION/1`), for prompts whose earlier turns are examples.\n\n"
        "An empty answer, or an error in its place, is an output, graded 0. A table whose answers are all empty holds only questions.\n\n"
        "`--join TABLE` adds, by `id` or `session_id`, `expected_calls` (of all turns), `accepted_answers`, `criterion`, `context`, a label, tags.\n"
        'Calls are JSON, or text as in Python: `book(city="Rome"); pay(amount=2)`; `none` says that no call is due. Those that cannot be read are listed, and the case stays.\n'
        "`fiducial labels add FOLDER TABLE` does so after the import, also to a run (which gets a file of cases beside it), and prints the command that grades again.\n"
        "Grades beside a call (`thumbs`, `rating`), and references other than `accepted_answers`, are not read, since a session is one case; the import prints the `labels add` command that adds them.\n"
        "Of several grades by one person on an output the last counts.\n"
        "Each model in a log is a system; `--system NAME` joins them. A second answer to a case is a second trial.\n"
    )


def _kinds() -> Iterator[str]:
    yield "## Kinds of cases\n\nThe first that matches decides; with `--grade-by context` accepted answers do not count:\n"
    rows = [(row, spec) for spec in KINDS.values() for row in spec.rows]
    for row, spec in sorted(rows, key=itemgetter(0), reverse=True):
        said = " and ".join(words for words, needed in zip(_CONTENTS, row, strict=True) if needed)
        judges = _judges(spec)
        usual = judges == f"`{spec.judge}`"
        yield f"1. {said or 'nothing of these'}: `{spec.name}`{'' if usual else f', judged by {judges}'}"
    yield (
        "\nMissing function documents are made from the expected arguments; names of expected calls without arguments become a tag.\n"
    )


def _calls() -> Iterator[str]:
    yield f"## Tool calls\n\n{(calls_doc or '').partition(chr(10) * 2)[2].strip()}\n".replace("``", "`")


def _columns() -> Iterator[str]:
    yield "## Columns of tables\n"
    yield (
        "`--map response=COLUMN` names a column; several for `response` are a system each, for `score` a judge each, for `label` a person each (as are rows with a column `annotator`). The names below, `error`, `turns` and `verdicts` are recognised in any letter case;\n"
        "other columns become tags; the import lists them and names likely fields. Without questions, answers need references, contexts, criteria or grades. Titles above CSV headers are skipped. A CSV whose first row looks like data (a verdict, a sentence, numbers) is refused until `--no-header`, `--columns NAME,NAME` or `--header` says what it is. `user` (`human`, `customer`) beside `assistant` (`ai`, `bot`) are question and answer.\n\n"
        "Grades are numbers in [0, 1] (`0.5`, `0,5`, `50 %`), or yes, no, pass, fail, up and the like; `n/a` and `-` are no grade. `--map-label WORD=SCORE` adds words, and says which value is good in a column named after a fault (`hallucination`). A judge's cell without a score is an ungraded verdict or listed, and costs no other; beside numbers, `failed` is no grade.\n"
        "`--label-scale 1:5 --label-pass-at 4` reads grades from 1 to 5; the scale of a known column with grades above 1, contested labels, unknown words and ids that repeat with other questions are [asked](tables.md#how-they-are-read). `--map label=` (or `score=`) says that no column holds any. A `rating`, `feedback`, `vote` or `ok` is a label if all values are grades.\n"
    )
    for field, names in FIELDS.items():
        if others := [name for name in names if name != field]:
            yield f"* `{field}`: {', '.join(f'`{name}`' for name in _families(others))}"
    yield ""


def _written() -> Iterator[str]:
    yield "## What is written\n"
    yield (
        "`fiducial export RUN --to FORMAT --out PATH`, or `fd.export(run, format, path)`, writes verdicts of a run or import; `--judge` and `--system` select.\n"
        "`--to otlp --endpoint URL` sends them to a collector (extra `otel`). Ungraded verdicts become unscored, errors or skipped, or are omitted and counted; never 0. Formats:\n"
    )
    yield from (f"* `{name}`: {about}" for name, (_, _, about) in WRITERS.items())
    yield (
        "\nAttributes hold `fiducial.judge.name`, `.variant`, `.model`, `.fingerprint`, `fiducial.outcome`, `fiducial.source` and, for calibrated judges,\n"
        "`fiducial.judge.accuracy.value`, `.low`, `.high`, `.n`. Cases from traces keep `otel.trace_id` and `otel.span_id` as tags.\n"
    )


def _inspect() -> Iterator[str]:
    yield (
        "## Scorers for Inspect\n\n"
        "```sh\n"
        "inspect score log.eval --model none/none --scorer fiducial/check\n"
        "inspect score log.eval --model none/none --scorer fiducial/tool_call_accuracy -S model=gpt-4.1-mini\n"
        "inspect score log.eval --model none/none --scorer fiducial/rubric -S model=gpt-4.1-mini -S criterion='It names a price.'\n"
        "```\n\n"
        "Every judge is a scorer (`-S variant=`, `-S model=`, `-S base_url=`). `check` detects the kind of each sample; `fiducial/check_KIND` (`-S rules=bfcl`) names it. Ungraded samples\n"
        "are `Score.unscored` with the reason (`invalid_response_format`, `refusal`, `grader_failed`, `scoring_failed`, `undecided`, `not_applicable`). Metadata: `cluster` for standard errors,\n"
        "`fiducial_case`, the case. `--model none/none` keeps Inspect from loading the log's model.\n"
    )


def _judges(spec: KindSpec) -> str:
    """Return the judges of a kind: of two outputs, one of which records its steps."""
    return " with recorded results or an answer, else ".join(
        f"`{judge}`" for judge in judges_for(spec.name, outputs=2, recorded=1)
    )


def _families(names: Iterable[str]) -> list[str]:
    """Write names that begin alike as one: ``bot_{reply,answer}``."""
    ends: dict[str, list[str]] = {}
    for name in names:
        start, mark, end = name.partition("_")
        ends.setdefault(start + mark, []).append(end)
    return [
        f"{start}{found[0]}" if len(found) == 1 else f"{start}{{{','.join(found)}}}"
        for start, found in ends.items()
    ]


def _one_line(text: str | None) -> str:
    return " ".join((text or "").split()).replace("``", "`")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
