# ruff: noqa: RUF001 - phrases of other languages are written in their own letters
"""Recognise replies that decline to judge, as opposed to replies in the wrong form.

A refusal begins with a usual phrase: an apology, if any, and a clause that declines. All patterns are bounded, so that matching is
linear.
"""

from __future__ import annotations

import re

_SORRY = (
    r"(?:(?:i['’]?m|i am) (?:very |so |really |truly )?sorry|sorry|(?:my )?apologies|i apologi[sz]e|unfortunately"
    r"|as an ai[^.!\n]{0,60}?)"
)
_UNABLE = (
    r"(?:(?:i|we) (?:can['’]?t|cannot|can not|won['’]?t|will not)"
    r"|(?:i['’]?m|i am|we['’]?re|we are) (?:unable|not able|not allowed|not permitted) to)"
)
_HELP = (
    r"(?:help|assist|comply|fulfil|fulfill|engage|participate|provide|continue|process|discuss|support|respond"
    r"|(?:do|evaluate|judge|rate|score|grade|assess|answer) (?:this|that|such))\b"
)
_DECLINE = r"(?:i|we)(?: must| have to| need to| will)?(?: respectfully)? decline\b"
_ENGLISH = rf"(?:{_SORRY}[\s,.:;!]{{0,4}}(?:(?:but|and|as an ai)[\s,]{{1,2}}){{0,2}}){{0,2}}(?:{_UNABLE} {_HELP}|{_DECLINE})"

_OTHER_LANGUAGES = (  # "I cannot help with this" in German, French, Spanish, Portuguese, Italian, Polish, Russian, Chinese, Japanese, Korean
    (
        r"(?:ich (?:kann|darf|werde)|(?:da\w{0,6} )?(?:kann|darf|werde) ich)\b[^.!?:\n]{0,60}?\b(?:nicht|keine)\b[^.!?:\n]{0,30}?"
        r"(?:helfen|unterstütz|behilflich|beantwort|bewert|beurteil|nachkommen|erfüll)"
    ),
    (
        r"je (?:ne (?:peux|pourrai)|suis dans l['’]incapacité)[^.!?:\n]{0,30}?"
        r"(?:aider|assister|répondre|évaluer|traiter|fournir)"
    ),
    r"no puedo (?:ayudar|asistir|cumplir|evaluar|responder|continuar|proporcionar)",
    r"não posso (?:ajudar|auxiliar|cumprir|avaliar|responder|continuar|fornecer)",
    r"non posso (?:aiutar|assister|valutar|risponder|continuar|fornir)",
    r"nie mogę[^.!?:\n]{0,20}?(?:pomóc|ocenić|odpowiedzieć|spełnić)",
    r"(?:я )?не могу[^.!?:\n]{0,20}?(?:помочь|ответить|оценить|выполнить|обсуждать)",
    r"我?(?:无法|不能|無法)(?:协助|帮助|提供|回答|评估|满足|評估|協助|幫助)",
    r"(?:[そこ]の[^。\n]{0,12})?(?:お手伝い|お答え|お応え|ご協力|対応|回答|評価)(?:すること)?(?:が|は)?(?:でき|いたしかね|致しかね)",
    r"[^.!?:\n]{0,20}?(?:도와|도움|답변|평가|응답)[^.!?:\n]{0,10}?(?:수 없|없습니다)",
)
_APOLOGY = r"(?:[^.!?:\n。：]{0,30}[,.!。，、]\s{0,2})?(?:(?:aber|mais|pero|mas|ma|ale|но|但是?) ?)?"
"""Any text before the first comma or full stop; it counts as an apology only if a clause of `_OTHER_LANGUAGES` follows."""

_REFUSAL = re.compile(rf"\A(?:{_ENGLISH}|{_APOLOGY}(?:{'|'.join(_OTHER_LANGUAGES)}))", re.IGNORECASE)
_MAX_SEARCHED_LENGTH = 400
"""Only the beginning of a reply is searched."""


def is_refusal(text: str) -> bool:
    """Return whether a reply without a score declines to judge, with a usual opening phrase.

    Refusals in languages that are not listed here count as unparsable, which is no score either.
    """
    start = text.lstrip(" \t\r\n*_`\"'#>")[:_MAX_SEARCHED_LENGTH]
    return _REFUSAL.match(start) is not None
