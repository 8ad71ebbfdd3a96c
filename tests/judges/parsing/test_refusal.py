# ruff: noqa: RUF001 - refusals in other scripts
"""Refusals told from replies in the wrong form."""

from __future__ import annotations

from each_row import each_row

from fiducial.judges.parsing import is_refusal


@each_row(
    "reply",
    [
        "I'm sorry, but I can't assist with that request.",
        "I\u2019m sorry, I can\u2019t help with that.",
        "Sorry, I cannot comply.",
        "I cannot fulfill this request.",
        "As an AI language model, I am unable to evaluate such content.",
        "I won't engage with this.",
        "I'm unable to help with that.",
        "I\u2019m really sorry, but I\u2019m not able to rate this answer.",
        "I'm sorry. As an AI, I can't judge such content.",
        "My apologies, but I must decline.",
        "Es tut mir leid, aber dabei kann ich nicht helfen.",
        "Lo siento, pero no puedo ayudarte con eso.",
        "Je suis d\u00e9sol\u00e9, mais je ne peux pas vous aider.",
        "Przykro mi, ale nie mog\u0119 w tym pom\u00f3c.",
        "Извините, но я не могу помочь с этим.",
        "抱歉，我无法协助处理这个请求。",
        "申し訳ありませんが、そのリクエストには対応できません。",
        "죄송하지만 도와드릴 수 없습니다.",
    ],
)
def test_a_refusal_is_recognised(reply: str) -> None:
    assert is_refusal(reply)


@each_row(
    "reply",
    [
        "",
        "I am sorry, I cannot decide between {these} options: maybe.",
        "The agent said: I can't help with that.",
        "Maybe.",
        "I can't find a fault.",
        "I cannot evaluate whether both hold.",
        "Die Antwort ist falsch, denn ich kann den Wert nicht finden.",
        "The answer reads: no puedo ayudar.",
        "答案是错误的。",
    ],
)
def test_a_judge_at_a_loss_has_not_refused(reply: str) -> None:
    assert not is_refusal(reply)
