"""The tools, their packages, and the judges that each is asked with."""

from __future__ import annotations

from typing import Literal, NamedTuple

ANSWERS = ("memory_answer", "web_search_answer")
CALLS = ("tool_call",)
GROUNDED = ("grounded_answer",)


class ToolJudge(NamedTuple):
    """A judge of a tool.

    Attributes:
        name: Its name in the tool.
        kinds: Kinds of case that it is asked about.
        asks: What it is asked, in a few words.
        passes: From which score on it passes, by the tool's own rule where it has one.
    """

    name: str
    kinds: tuple[str, ...]
    asks: str
    passes: str


class Tool(NamedTuple):
    """A tool with judges that ask a model.

    Attributes:
        name: Its name, also of its environment and of its batch files.
        packages: Packages that are installed for it, pinned; none where this project itself asks.
        program: Program among ``programs/`` that asks its judges.
        judges: The judges.
        registry: Where the packages come from.
    """

    name: str
    packages: tuple[str, ...]
    program: str
    judges: tuple[ToolJudge, ...]
    registry: Literal["pip", "npm"] = "pip"


_CORRECT = "right by the reference?"
_FAITHFUL = "supported by the passages?"
_OWN_HALF = "0.5 (its own)"

_ALL = (
    Tool(
        "openevals",
        ("openevals==0.2.2", "langchain-openai==1.7.4"),
        "ask_openevals.py",
        (
            ToolJudge("correctness", ANSWERS, _CORRECT, "true"),
            ToolJudge("rag_groundedness", GROUNDED, _FAITHFUL, "true"),
        ),
    ),
    Tool(
        "deepeval",
        ("deepeval==4.3.1",),
        "ask_deepeval.py",
        (
            ToolJudge("GEval", ANSWERS, _CORRECT, _OWN_HALF),
            ToolJudge("Faithfulness", GROUNDED, "free of contradictions to the passages?", _OWN_HALF),
            ToolJudge("ToolCorrectness", CALLS, "the expected tools by name, and the best ones?", _OWN_HALF),
            ToolJudge("AnswerRelevancy", ANSWERS, "about the question?", _OWN_HALF),
        ),
    ),
    Tool(
        "ragas",
        ("ragas==0.4.3", "langchain-community==0.3.31"),
        "ask_ragas.py",
        (
            ToolJudge("AnswerAccuracy", ANSWERS, _CORRECT, "0.5 (it has none)"),
            ToolJudge("Faithfulness", GROUNDED, _FAITHFUL, "1 (it has none)"),
        ),
    ),
    Tool(
        "mlflow",
        ("mlflow-skinny==3.17.2", "litellm==1.110.2", "openai==3.57.0", "pandas==3.1.1"),
        "ask_mlflow.py",
        (
            ToolJudge("is_correct", ANSWERS, _CORRECT, "yes"),
            ToolJudge("is_grounded", GROUNDED, _FAITHFUL, "yes"),
            ToolJudge("is_tool_call_correct", CALLS, "right calls, without a reference?", "yes"),
        ),
    ),
    Tool(
        "azure",
        ("azure-ai-evaluation==1.18.10",),
        "ask_azure.py",
        (
            ToolJudge("Similarity", ANSWERS, _CORRECT, "3 of 5 (its own)"),
            ToolJudge("Groundedness", GROUNDED, _FAITHFUL, "3 of 5 (its own)"),
            ToolJudge("ToolCallAccuracy", CALLS, "right calls, without a reference?", "3 of 5 (its own)"),
        ),
    ),
    Tool(
        "inspect",
        ("inspect-ai==0.3.285", "openai==3.57.0"),
        "ask_inspect.py",
        (
            ToolJudge("model_graded_fact", ANSWERS, _CORRECT, "C"),
            ToolJudge("model_graded_qa", ANSWERS, _CORRECT, "C"),
        ),
    ),
    Tool(
        "promptfoo",
        ("promptfoo@0.121.20",),
        "ask_promptfoo.py",
        (ToolJudge("llm-rubric", ANSWERS, _CORRECT, "pass"),),
        registry="npm",
    ),
    Tool(
        "decisions",
        (),
        "",
        (
            ToolJudge("tool_call_accuracy/decision", CALLS, "right calls, without a reference?", "0.5"),
            ToolJudge("groundedness/decision", GROUNDED, _FAITHFUL, "1"),
            ToolJudge("memory_answer/decision", ("memory_answer",), _CORRECT, "0.5"),
            ToolJudge("web_search_answer/decision", ("web_search_answer",), _CORRECT, "0.5"),
        ),
    ),
)

TOOLS: dict[str, Tool] = {tool.name: tool for tool in _ALL}
