"""Column names that tables may use, shared by imports, tables of scores, and labels."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import islice

from ..errors import UsageError
from ..records.explanations import nearest
from ..spelling import spelled_pairs

SESSIONS = ("session_id", "sessionId", "session", "conversation_id", "conversationId", "thread_id", "threadId", "chat_id", "chatId")  # fmt: skip
"""Column names of a row's session, conversation or thread."""

FIELDS: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "case_id", "item_id", "uid"),
    "query": ("query", "question", "input", "prompt", "instruction", "user_input", "inputs", "user_message", "user_query", "user_question",
              "user_prompt", "human_message", "human_input", "utterance"),
    "messages": ("messages", "conversation", "conversations", "dialogue", "dialog", "chat"),
    "response": ("response", "answer", "output", "completion", "prediction", "actual_output", "model_output", "outputs", "reply", "final_answer",
                 "generated_text", "generated_answer", "assistant_message", "assistant_response", "assistant_reply", "bot_message", "bot_response",
                 "bot_reply", "bot_answer", "ai_message", "ai_response", "ai_answer", "agent_message", "agent_response", "agent_answer",
                 "model_response", "model_answer", "llm_response", "llm_answer", "llm_output"),
    "accepted_answers": ("accepted_answers", "ground_truth", "reference", "expected", "expected_output", "expected_answer", "expected_response", "correct_answer", "gold_answer", "golden_answer", "target", "reference_answer", "gold", "ideal",
                         "gold_answers", "golden_answers", "correct_answers", "reference_answers", "acceptable_answers"),
    "context": ("context", "contexts", "search_results", "retrieved_contexts", "retrieval_context", "documents", "passages"),
    "criterion": ("criterion", "criteria", "rubric"),
    "tool_calls": ("tool_calls", "calls", "tools_called"),
    "expected_calls": ("expected_calls", "expected_tool_calls", "expected_tools", "reference_tool_calls"),
    "tool_definitions": ("tool_definitions", "tools", "functions"),
    "system": ("system", "model", "model_name", "model_id", "generator", "llm"),
    "trial": ("trial", "epoch", "attempt"),
    "cluster": ("cluster", "group", *SESSIONS),
    "score": ("score", "scores"),
    "error": ("error",),
    "turns": ("turns",),
    "verdicts": ("verdicts",),
    "label": ("human_grade", "human_label", "human_score", "human_passed", "human_pass", "human_rating", "human_verdict", "human",
              "expert_grade", "expert_label", "gold_label", "gold_grade", "manual_grade", "grade", "label", "annotation", "thumbs", "thumb", "thumbs_up"),
}  # fmt: skip
"""Fields of an imported row, each with the column names that mean it."""

_ASKING, _ANSWERING = ("user", "human", "customer"), ("assistant", "ai", "bot", "chatbot")
"""Columns of a chat that are named after the speakers. Alone, one is as often an id or a grade, so they count in pairs."""

_LATER = frozenset({"model_name", "model_id", "generator", "llm"})
"""Names of a field that count only where no other column has a name of it."""

_LISTS_OF_ANSWERS = frozenset({"accepted_answers", "gold_answers", "golden_answers", "correct_answers", "reference_answers", "acceptable_answers",
                               "expected_answers", "possible_answers", "ground_truths", "references", "targets", "aliases", "answers"})  # fmt: skip
"""Columns of several accepted answers, which text may separate by bars."""

UNREAD_FIELDS = ("label", "score")
"""Fields that a user may say no column holds: ``label=``. Their columns are tags then."""

TABLE_FIELDS: Mapping[str, tuple[str, ...]] = {
    "item_id": (*FIELDS["id"], "item", "case", "example_id", "row_id", "sample_id", "question_id", "output_id"),
    "judge": ("judge", "judge_name", "grader", "evaluator", "scorer"),
    "score": (*FIELDS["score"], "judge_score", "judge_passed", "judge_pass", "judge_verdict", "judge_label", "judge_grade", "judge_rating",
              "llm_score", "llm_judge", "auto_score", "model_score", "verdict", "passed"),
    "label": (*FIELDS["label"], "gold", "ground_truth", "truth", "correct", "is_correct"),
    "cluster": ("cluster",),
    "system": ("system",),
    "trial": ("trial",),
    "repeat": ("repeat",),
    "order": ("order",),
}  # fmt: skip
"""Names of the columns of a table of scores, by field."""

LABEL_FIELDS: Mapping[str, tuple[str, ...]] = {
    "id": TABLE_FIELDS["item_id"],
    "system": FIELDS["system"],
    "trial": FIELDS["trial"],
    "label": (*TABLE_FIELDS["label"], "score", "passed", "verdict", "rating", "value"),
    "by": ("by", "annotator", "labeler", "labeller", "reviewer", "rater"),
    "reason": ("reason", "comment", "note", "notes", "explanation"),
}
"""Names of the columns of a table of labels, by field."""

OF_PERSON, OF_BASELINE, OF_COVARIATE = "person:", "baseline:", "covariate:"
AMOUNT_FIELDS = ("calls", "prompt_tokens", "completion_tokens", "cost")
CHECKER_SCORE, LABEL_PROBABILITY, LABEL_ROUND = "checker_score", "label_probability", "label_round"
TRIALS_OF_CASE, FAILED_CALL, LABEL_ADDED = "trials_of_case", "failed_call", "label_added"
"""Columns of numbers beside score and label, and prefixes of such columns, in a table of scores."""

CACHED_NAMES = 1 << 16
"""Maximum number of cached column names: each is looked up for every row of a table."""

HEADERS = 16
"""Maximum number of cached sets of columns: in most tables all rows have the same."""

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[0-9])(?=[A-Z][a-z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""Places between the words of ``HumanJudgement``, ``isCorrect`` and ``LLMScore``."""

_PEOPLE = re.compile(
    r"(annotator|annotation|rater|reviewer|labell?er|person|human|expert|grader)_?(\d{1,3}|[a-z])"
)
_OF_PEOPLE = ("human", "expert", "gold", "manual", "annotator", "rater", "reviewer")
_PEOPLES_WORDS = frozenset(
    ("human", "humans", "expert", "experts", "gold", "golden", "manual", "annotator", "annotators", "rater", "raters", "reviewer", "reviewers",
     "labeler", "labeller", "crowd", "turker", "consensus", "adjudicated", "majority", "truth", "gt", "true", "groundtruth")
)  # fmt: skip
"""Words that make a grade one by people, anywhere in a column's name: ``avg_human_score``."""
_PEOPLE_ALONE = frozenset({"human", "humans", "expert", "experts"})
_WRITTEN_TOGETHER = re.compile(
    r"(human|expert|gold|manual|annotator)(score|label|grade|rating|verdict|judge?ment)s?"
)
_OF_JUDGES = ("judge", "llm", "auto", "model", "gpt", "claude", "grader", "evaluator", "scorer")
_BEGINS_WITH_JUDGE = re.compile(rf"({'|'.join(_OF_JUDGES)})[_\d]|judge?ment")
"""A whole word, perhaps with a number: ``gpt4_grade``, but not ``automobile``."""
_ENDS_OF_PEOPLE = ("_human", "_gold", "_expert")
_ENDS_OF_SCORES = ("_judge", "_score")
_METRICS = frozenset({"faithfulness", "groundedness", "answer_relevancy", "answer_relevance", "response_relevancy", "context_precision", "context_recall",
                      "context_relevancy", "context_relevance", "context_entity_recall", "answer_correctness", "factual_correctness",
                      "answer_similarity", "semantic_similarity"})  # fmt: skip
"""Columns that tools name after a metric, whose best score is the highest."""
_OF_CORRECTNESS = frozenset(
    {"answer_correctness", "factual_correctness", "answer_similarity", "semantic_similarity"}
)
_OF_GRADES = frozenset({"score", "scores", "grade", "grades", "rating", "verdict", "verdicts", "label", "pass", "passed", "decision",
                        "judgment", "judgement", "judgments", "judgements", "ratings", "labels", "correct", "correctness", "quality", "result",
                        "outcome"})  # fmt: skip
"""Words in the names of columns of grades."""
_OF_MODELS = re.compile(
    r"(?:^|_)(?:(?:chat)?gpt|claude|haiku|sonnet|opus|(?:code)?llama|mistral|mixtral|gemma|gemini|qwen|qwq|deepseek|phi|falcon|vicuna|zephyr|grok|"
    r"command_r|cohere|prometheus|palm|bard|olmo|kimi|glm|chatglm|internlm|starling|wizard|solar|dbrx|nova|titan|jamba|granite|nemotron|yi|o[134])\d*(?:_|$)"
    r"|(?:^|_)(?:\d{1,2}x)?\d{1,3}b(?:_|$)"
)
"""Families of models, and their sizes in billions of parameters."""
_AUTOMATIC = frozenset({"em", "exact_match", "exactmatch", "contains", "substring_match", "f1", "token_f1", "bleu", "rouge", "rouge_1", "rouge_2",
                        "rouge_l", "rouge1", "rouge2", "rougel", "meteor", "chrf", "bertscore", "bert_score", "bleurt", "comet", "bem"})  # fmt: skip
"""Automatic metrics of texts."""
_OF_LABELS = frozenset({"annotation", "annotations", "assessment", "choice", "choices", "eval", "evaluation", "evaluations", "opinion",
                        "pick", "preference", "review", "reviews", "says", "vote", "votes", "winner"})  # fmt: skip
"""Further words in the names of grades, if people's."""
_ENDS_OF_NAMES = ("_name", "_version", "_id")


@lru_cache(CACHED_NAMES)
def normal(name: str) -> str:
    """Normalize a column's name: lower case, an underscore between words and for punctuation."""
    apart = _CAMEL.sub("_", name.strip())
    return re.sub(r"[^a-z0-9]+", "_", apart.lower()).strip("_")


def _bare(name: str) -> str:
    """Return a column's letters and digits only."""
    return normal(name).replace("_", "")


@lru_cache(CACHED_NAMES)
def is_session(name: str) -> bool:
    """Return whether a column holds a row's session, conversation or thread: ``Session ID``."""
    return normal(name) in set(map(normal, SESSIONS))


@lru_cache(CACHED_NAMES)
def lists_answers(name: str) -> bool:
    """Return whether a column holds several accepted answers: ``Gold answers``."""
    return normal(name) in _LISTS_OF_ANSWERS


def is_number_field(name: str) -> bool:
    """Return whether a column of a score table holds numbers, rather than values of a slice."""
    rounds = (LABEL_PROBABILITY, LABEL_ROUND, LABEL_ADDED)
    fields = (*AMOUNT_FIELDS, CHECKER_SCORE, *rounds, TRIALS_OF_CASE, FAILED_CALL)
    return name in fields or name.startswith((OF_PERSON, OF_BASELINE, OF_COVARIATE))


def is_metric(name: str) -> bool:
    """Return whether a column is named after a metric of a known tool."""
    return normal(name) in _METRICS


def grades_correctness(name: str) -> bool:
    """Return whether a metric grades correctness, as checkers do; faithfulness does not."""
    return normal(name) not in _METRICS - _OF_CORRECTNESS


@lru_cache(CACHED_NAMES)
def is_person(name: str) -> bool:
    """Return whether a column belongs to one of several numbered people: ``annotator_1``."""
    return _PEOPLE.fullmatch(normal(name)) is not None


@lru_cache(CACHED_NAMES)
def is_label_like(name: str) -> bool:
    """Return whether a column's name means grades by people: ``human_verdict``."""
    plain = normal(name)
    if plain.endswith(_ENDS_OF_PEOPLE) or plain.startswith(tuple(f"{person}_" for person in _OF_PEOPLE)):
        return not plain.endswith(_ENDS_OF_NAMES)
    if plain in _PEOPLE_ALONE or _WRITTEN_TOGETHER.fullmatch(plain):
        return True
    words = plain.split("_")
    return (
        _BEGINS_WITH_JUDGE.match(plain) is None
        and not _PEOPLES_WORDS.isdisjoint(words)
        and not (_OF_GRADES | _OF_LABELS).isdisjoint(words)
    )


@lru_cache(CACHED_NAMES)
def is_score_like(name: str) -> bool:
    """Return whether a column's name means grades by a machine: ``judge_correctness``."""
    plain = normal(name)
    if is_label_like(name) or plain in _OF_JUDGES or plain.endswith(_ENDS_OF_NAMES):
        return False
    if plain in FIELDS["response"]:  # model_answer
        return False
    begins = _BEGINS_WITH_JUDGE.match(plain) is not None
    return begins or plain.endswith(_ENDS_OF_SCORES) or plain in _METRICS


@lru_cache(CACHED_NAMES)
def names_judge(name: str) -> bool:
    """Return whether a column is named after a model or a metric: ``Llama3-8B``, ``EM``.

    Beside people's labels its grades are a judge's. Alone they may be those of a system.
    """
    plain = normal(name)
    words = plain.split("_")
    return (
        plain in _AUTOMATIC
        or _OF_MODELS.search(plain) is not None
        or any(word.endswith(("lm", "judge")) for word in words)
    )


def is_named_like_grades(name: str) -> bool:
    """Return whether a column's name has a word for grades: ``llm_verdict``."""
    return not _OF_GRADES.isdisjoint(normal(name).split("_"))


def person_column(columns: Iterable[str]) -> str | None:
    """Return the column with the name of the person who graded a row, or None if there is none."""
    return next((name for name in columns if normal(name) in LABEL_FIELDS["by"]), None)


def people_named_by_user(columns: Iterable[str], mapping: Mapping[str, str]) -> tuple[str, ...]:
    """Return the label columns that a user named, one per person; empty unless several."""
    return _several_named_by_user(columns, mapping, "label")


def judges_named_by_user(columns: Iterable[str], mapping: Mapping[str, str]) -> tuple[str, ...]:
    """Return the score columns that a user named, one per judge; empty unless several."""
    return _several_named_by_user(columns, mapping, "score")


def _several_named_by_user(columns: Iterable[str], mapping: Mapping[str, str], field: str) -> tuple[str, ...]:
    present, aliases = list(columns), {field, *FIELDS[field]}
    named = (
        column_named(present, second if first in aliases else first)
        for first, second in mapping.items()
        if first in aliases or second in aliases
    )
    several = tuple(dict.fromkeys(name for name in named if name is not None))
    return several if len(several) > 1 else ()


def people_columns(columns: Iterable[str], mapping: Mapping[str, str]) -> tuple[str, ...]:
    """Return the label columns of several people: named by a user, else a numbered series."""
    present = list(columns)
    return people_named_by_user(present, mapping) or tuple(filter(is_person, present))


def column_named(columns: Iterable[str], name: str) -> str | None:
    """Return the column that a user named; spaces, case and punctuation may differ.

    None unless exactly one column fits.
    """
    present = list(columns)
    if name in present:
        return name
    for form in (normal, _bare):
        alike = [each for each in present if form(name) and form(each) == form(name)]
        if alike:
            return alike[0] if len(alike) == 1 else None
    return None


def require_chosen_columns(mapping: Mapping[str, str]) -> None:
    """Refuse a ``?`` in place of a field or a column.

    Raises:
        UsageError: There is one.
    """
    for first, second in mapping.items():
        if "?" in {first, second}:
            raise UsageError(f"replace the ? in {map_options({first: second})} with a name")


_MOST = 10
"""Columns that a message names."""


def shown_columns(names: Collection[str]) -> str:
    """Return the names of columns for a message: all, or the first ten and their number."""
    shown = ", ".join(map(repr, islice(names, _MOST)))
    return shown if len(names) <= _MOST else f"{shown} and {len(names) - _MOST:,} more"


def map_options(columns: Mapping[str, str]) -> str:
    """Return the setting that names columns: ``--map 'query=User asks'``."""
    return spelled_pairs("map", columns)


def columns_by_field(
    columns: Iterable[str],
    mapping: Mapping[str, str],
    fields: Mapping[str, tuple[str, ...]] = FIELDS,
    *,
    use_aliases: bool = True,
) -> dict[str, str]:
    """Find the column of each field; a user may have named them in either order.

    Args:
        columns: The columns of the table.
        mapping: A field and its column, or a column and its field (``--map``).
        fields: The fields, with their usual names.
        use_aliases: Whether columns are also found by their usual names.

    Raises:
        UsageError: A name that the user gave is neither a field nor a column, or two columns are named as the id.
    """
    present = list(columns)
    aliases = {alias: field for field, names in fields.items() for alias in (field, *names)}
    resolved: dict[str, str] = {}
    unread = {first for first, second in mapping.items() if not second and first in UNREAD_FIELDS}
    for first, second in mapping.items():
        if first in unread:
            continue
        if first in aliases and (column := column_named(present, second)) is not None:
            require_one_id(aliases[first], resolved.get(aliases[first], column), column)
            resolved[aliases[first]] = column
        elif second in aliases and (column := column_named(present, first)) is not None:
            require_one_id(aliases[second], resolved.get(aliases[second], column), column)
            resolved[aliases[second]] = column
        elif first not in aliases and second not in aliases:
            hint = nearest(first, list(fields))
            raise UsageError(f"{first}={second}: neither is a field{hint}; fields are {', '.join(fields)}")
    if use_aliases:
        _add_usual(resolved, present, aliases)
    for field in UNREAD_FIELDS:
        if field in unread:
            resolved.pop(field, None)
        if field in fields and _several_named_by_user(present, mapping, field):
            resolved.pop(field, None)
    return resolved


def require_one_id(field: str, earlier: str, column: str) -> None:
    """Refuse two columns of one table as the id; a table of labels may have another one.

    Raises:
        UsageError: The columns differ.
    """
    if field in FIELDS["id"] and column != earlier:
        raise UsageError(
            f"{spelled_pairs('map', {field: column})}: {field} is {earlier!r} already; name one column"
        )


@lru_cache(HEADERS)
def known_fields(columns: tuple[str, ...], mapping: tuple[tuple[str, str], ...]) -> Mapping[str, str]:
    """Find the column of each field of an imported row.

    The result is cached: `columns_by_field` takes longer than the rest of a short row.
    """
    return columns_by_field(columns, dict(mapping))


def _add_usual(resolved: dict[str, str], present: Sequence[str], aliases: Mapping[str, str]) -> None:
    """Add the columns that have one of the usual names of a field."""
    taken = {name for field, name in resolved.items() if field != "id"}  # a question may be the id, too
    if not resolved.keys() & {"query", "messages", "response"} and "query" in aliases:
        resolved |= _speakers(present, taken)
        taken |= {resolved[field] for field in ("query", "response") if field in resolved}
    plain = {normal(alias): field for alias, field in aliases.items()}
    for name in sorted(present, key=lambda each: normal(each) in _LATER):
        field = plain.get(normal(name))
        if field is not None and field not in resolved and name not in taken:
            resolved[field] = name
            taken.add(name)
    if "accepted_answers" in aliases:
        resolved |= _answers_beside(resolved, [name for name in present if name not in taken])


def _answers_beside(resolved: Mapping[str, str], free: Iterable[str]) -> dict[str, str]:
    """Return the column `answers` as accepted ones, if a response or tools are beside it."""
    if {"accepted_answers", "expected_calls"} & resolved.keys() or not {
        "response",
        "tool_definitions",
    } & resolved.keys():
        return {}
    name = next((name for name in free if normal(name) == "answers"), None)
    return {} if name is None else {"accepted_answers": name}


def _speakers(present: Sequence[str], taken: AbstractSet[str]) -> dict[str, str]:
    """Return the columns of a chat that are named after its speakers; empty unless both exist."""
    free = {normal(name): name for name in present if name not in taken}
    asking = next((free[name] for name in _ASKING if name in free), None)
    answering = next((free[name] for name in _ANSWERING if name in free), None)
    return {"query": asking, "response": answering} if asking and answering else {}
