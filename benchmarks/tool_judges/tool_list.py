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
    """

    name: str
    kinds: tuple[str, ...]
    asks: str


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

TOOLS: dict[str, Tool] = {
    each.name: each
    for each in (
        Tool(
            "openevals",
            ("openevals==0.2.2", "langchain-openai==1.7.4"),
            "ask_openevals.py",
            (
                ToolJudge("correctness", ANSWERS, _CORRECT),
                ToolJudge("rag_groundedness", GROUNDED, _FAITHFUL),
            ),
        ),
        Tool(
            "deepeval",
            ("deepeval==4.3.1",),
            "ask_deepeval.py",
            (
                ToolJudge("GEval", ANSWERS, _CORRECT),
                ToolJudge("Faithfulness", GROUNDED, "free of contradictions to the passages?"),
                ToolJudge(
                    "ToolCorrectness", CALLS, "the expected tools by name, and the best of those there are?"
                ),
                ToolJudge("AnswerRelevancy", ANSWERS, "about the question?"),
            ),
        ),
    )
}
