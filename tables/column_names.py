"""Column names that tables may use, and what a name says of a column.

Imports, tables of scores and tables of labels share them. `named_columns` finds a table's columns by these names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

SESSIONS = ("session_id", "sessionId", "session", "conversation_id", "conversationId", "thread_id", "threadId", "chat_id", "chatId")  # fmt: skip
"""Usual names of the column with a row's session, conversation or thread."""

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
"""Fields of an imported row, each with its usual column names."""

_LISTS_OF_ANSWERS = frozenset({"accepted_answers", "gold_answers", "golden_answers", "correct_answers", "reference_answers", "acceptable_answers",
                               "expected_answers", "possible_answers", "ground_truths", "references", "targets", "aliases", "answers"})  # fmt: skip
"""Names of columns whose cells may list several accepted answers, separated by bars."""

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

RATING_NAMES = (
    "rating",
    "user_rating",
    "feedback",
    "user_feedback",
    "vote",
    "liked",
    "ok",
    "is_ok",
    "okay",
    "approved",
)
"""Names of columns with grades by a product's users. Many hold texts or scores, so all values must be grades, and no
column may name a judge."""

OF_PERSON, OF_BASELINE, OF_COVARIATE = "person:", "baseline:", "covariate:"
"""Prefixes of columns of numbers in a table of scores."""

AMOUNT_FIELDS = ("calls", "prompt_tokens", "completion_tokens", "cost")
CHECKER_SCORE, LABEL_PROBABILITY, LABEL_ROUND = "checker_score", "label_probability", "label_round"
TRIALS_OF_CASE, FAILED_CALL, LABEL_ADDED = "trials_of_case", "failed_call", "label_added"
"""Columns of numbers in a table of scores besides score and label."""

CACHED_NAMES = 1 << 16
"""Maximum number of cached column names. Every row of a table looks up each of its names."""

HEADERS = 16
"""Maximum number of cached sets of columns. In most tables all rows have the same columns."""

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[0-9])(?=[A-Z][a-z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""Places between the words of ``HumanJudgement``, ``isCorrect`` and ``LLMScore``."""

_NUMBERED_PERSON = re.compile(
    r"(annotator|annotation|rater|reviewer|labell?er|person|human|expert|grader)_?(\d{1,3}|[a-z])"
)
_PEOPLE_PREFIXES = ("human", "expert", "gold", "manual", "annotator", "rater", "reviewer")
_PEOPLE_WORDS = frozenset(
    ("human", "humans", "expert", "experts", "gold", "golden", "manual", "annotator", "annotators", "rater", "raters", "reviewer", "reviewers",
     "labeler", "labeller", "crowd", "turker", "consensus", "adjudicated", "majority", "truth", "gt", "true", "groundtruth")
)  # fmt: skip
"""Words that, anywhere in the name of a grade, say that people gave it: ``avg_human_score``."""
_PEOPLES_COLUMN_NAMES = frozenset({"human", "humans", "expert", "experts"})
"""Whole names of columns of people's grades."""
_PERSON_AND_GRADE = re.compile(
    r"(human|expert|gold|manual|annotator)(score|label|grade|rating|verdict|judge?ment)s?"
)
_JUDGE_WORDS = ("judge", "llm", "auto", "model", "gpt", "claude", "grader", "evaluator", "scorer")
_BEGINS_WITH_JUDGE = re.compile(rf"({'|'.join(_JUDGE_WORDS)})[_\d]|judge?ment")
"""A judge's word at the beginning of a name, whole or numbered: ``gpt4_grade``, not ``automobile``."""
_PEOPLE_SUFFIXES = ("_human", "_gold", "_expert")
_SCORE_SUFFIXES = ("_judge", "_score")
_METRICS = frozenset({"faithfulness", "groundedness", "answer_relevancy", "answer_relevance", "response_relevancy", "context_precision", "context_recall",
                      "context_relevancy", "context_relevance", "context_entity_recall", "answer_correctness", "factual_correctness",
                      "answer_similarity", "semantic_similarity"})  # fmt: skip
"""Metrics that tools use as column names; the best score is the highest."""
_CORRECTNESS_METRICS = frozenset(
    {"answer_correctness", "factual_correctness", "answer_similarity", "semantic_similarity"}
)
_GRADE_WORDS = frozenset({"score", "scores", "grade", "grades", "rating", "verdict", "verdicts", "label", "pass", "passed", "decision",
                        "judgment", "judgement", "judgments", "judgements", "ratings", "labels", "correct", "correctness", "quality", "result",
                        "outcome"})  # fmt: skip
"""Words in the names of columns of grades."""
_MODEL_FAMILY = re.compile(
    r"(?:^|_)(?:(?:chat)?gpt|claude|haiku|sonnet|opus|(?:code)?llama|mistral|mixtral|gemma|gemini|qwen|qwq|deepseek|phi|falcon|vicuna|zephyr|grok|"
    r"command_r|cohere|prometheus|palm|bard|olmo|kimi|glm|chatglm|internlm|starling|wizard|solar|dbrx|nova|titan|jamba|granite|nemotron|yi|o[134])\d*(?:_|$)"
    r"|(?:^|_)(?:\d{1,2}x)?\d{1,3}b(?:_|$)"
)
"""A family of models, or a size in billions of parameters (``8x7b``)."""
_AUTOMATIC_METRICS = frozenset({"em", "exact_match", "exactmatch", "contains", "substring_match", "f1", "token_f1", "bleu", "rouge", "rouge_1", "rouge_2",
                        "rouge_l", "rouge1", "rouge2", "rougel", "meteor", "chrf", "bertscore", "bert_score", "bleurt", "comet", "bem"})  # fmt: skip
"""Metrics that compare texts automatically."""
_PEOPLES_GRADE_WORDS = frozenset({"annotation", "annotations", "assessment", "choice", "choices", "eval", "evaluation", "evaluations", "opinion",
                        "pick", "preference", "review", "reviews", "says", "vote", "votes", "winner"})  # fmt: skip
"""Words that mean a grade only in a name that also names people."""
_NAME_SUFFIXES = ("_name", "_version", "_id")


@lru_cache(CACHED_NAMES)
def normal(name: str) -> str:
    """Return a column's name in lower case, with underscores between words: ``is_correct``."""
    separated_words = _CAMEL.sub("_", name.strip())
    return re.sub(r"[^a-z0-9]+", "_", separated_words.lower()).strip("_")


@lru_cache(CACHED_NAMES)
def is_session(name: str) -> bool:
    """Return whether a column names a row's session, conversation or thread: ``Session ID``."""
    return normal(name) in set(map(normal, SESSIONS))


@lru_cache(CACHED_NAMES)
def lists_answers(name: str) -> bool:
    """Return whether a cell of a column may list several accepted answers: ``Gold answers``."""
    return normal(name) in _LISTS_OF_ANSWERS


def is_number_field(name: str) -> bool:
    """Return whether a column of a table of scores has numbers, so that it is no slice."""
    rounds = (LABEL_PROBABILITY, LABEL_ROUND, LABEL_ADDED)
    fields = (*AMOUNT_FIELDS, CHECKER_SCORE, *rounds, TRIALS_OF_CASE, FAILED_CALL)
    return name in fields or name.startswith((OF_PERSON, OF_BASELINE, OF_COVARIATE))


def is_metric(name: str) -> bool:
    """Return whether a column is named after a metric of a known tool."""
    return normal(name) in _METRICS


def grades_correctness(name: str) -> bool:
    """Return whether a column may grade correctness, as checkers do; faithfulness does not."""
    return normal(name) not in _METRICS - _CORRECTNESS_METRICS


@lru_cache(CACHED_NAMES)
def is_person(name: str) -> bool:
    """Return whether a column is named after a numbered person: ``annotator_1``, ``rater_b``."""
    return _NUMBERED_PERSON.fullmatch(normal(name)) is not None


@lru_cache(CACHED_NAMES)
def is_label_like(name: str) -> bool:
    """Return whether a column's name means grades that people gave: ``human_verdict``."""
    normalized = normal(name)
    if normalized.endswith(_PEOPLE_SUFFIXES) or normalized.startswith(
        tuple(f"{person}_" for person in _PEOPLE_PREFIXES)
    ):
        return not normalized.endswith(_NAME_SUFFIXES)
    if normalized in _PEOPLES_COLUMN_NAMES or _PERSON_AND_GRADE.fullmatch(normalized):
        return True
    words = normalized.split("_")
    return (
        _BEGINS_WITH_JUDGE.match(normalized) is None
        and not _PEOPLE_WORDS.isdisjoint(words)
        and not (_GRADE_WORDS | _PEOPLES_GRADE_WORDS).isdisjoint(words)
    )


def is_rating(name: str) -> bool:
    """Return whether a column's name means grades by users or other people: ``user_rating``."""
    normalized = normal(name)
    return normalized in RATING_NAMES or normalized in FIELDS["label"] or is_label_like(name)


@lru_cache(CACHED_NAMES)
def is_score_like(name: str) -> bool:
    """Return whether a column's name means grades that a judge gave: ``judge_correctness``."""
    normalized = normal(name)
    if is_label_like(name) or normalized in _JUDGE_WORDS or normalized.endswith(_NAME_SUFFIXES):
        return False
    if normalized in FIELDS["response"]:  # ``model_answer`` is an answer, and no grade by a model
        return False
    begins_with_judge = _BEGINS_WITH_JUDGE.match(normalized) is not None
    return begins_with_judge or normalized.endswith(_SCORE_SUFFIXES) or normalized in _METRICS


@lru_cache(CACHED_NAMES)
def names_judge(name: str) -> bool:
    """Return whether a column is named after a model or a metric: ``Llama3-8B``, ``EM``.

    In a table with people's labels such a column has a judge's grades. Without labels it may be about a system.
    """
    normalized = normal(name)
    words = normalized.split("_")
    return (
        normalized in _AUTOMATIC_METRICS
        or _MODEL_FAMILY.search(normalized) is not None
        or any(word.endswith(("lm", "judge")) for word in words)
    )


def is_named_like_grades(name: str) -> bool:
    """Return whether a column's name has a word for grades: ``llm_verdict``."""
    return not _GRADE_WORDS.isdisjoint(normal(name).split("_"))
