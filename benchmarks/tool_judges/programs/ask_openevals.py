"""Ask judges of openevals, by the prompts that it ships."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from asking import MODEL, ToolVerdict, ask_all
from openevals.llm import create_llm_as_judge
from openevals.prompts import CORRECTNESS_PROMPT, RAG_GROUNDEDNESS_PROMPT


def _verdict(found: Any) -> ToolVerdict:
    score = found["score"]
    return ToolVerdict(float(score), bool(score), found.get("comment"))


def _correctness() -> Callable[[Any], ToolVerdict]:
    judge = create_llm_as_judge(prompt=CORRECTNESS_PROMPT, model=f"openai:{MODEL}")
    return lambda item: _verdict(
        judge(inputs=item["question"], outputs=item["answer"], reference_outputs=item["reference"])
    )


def _groundedness() -> Callable[[Any], ToolVerdict]:
    judge = create_llm_as_judge(prompt=RAG_GROUNDEDNESS_PROMPT, model=f"openai:{MODEL}")
    return lambda item: _verdict(
        judge(inputs=item["question"], outputs=item["answer"], context="\n\n".join(item["passages"]))
    )


if __name__ == "__main__":
    ask_all({"correctness": _correctness(), "rag_groundedness": _groundedness()})
