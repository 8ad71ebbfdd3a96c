"""Fuzz every decoder: hostile shapes first, then seeded mutations of plain replies.

Prints the slowest inputs, marking those over 100 ms, and how many crashed (anything but a result or a DecodingError); exits 1
if any crashed.

    python benchmarks/fuzz_decoders.py [SECONDS]
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from fiducial.deterministic.ast.java_values import convert_java
from fiducial.deterministic.ast.javascript_values import convert_javascript
from fiducial.deterministic.ast.strict_rules import standardise_strictly
from fiducial.deterministic.decoding.replies import decode_native
from fiducial.deterministic.decoding.text_replies import decode_prompt
from fiducial.deterministic.decoding.wrapping import AskedForm
from fiducial.errors import DecodingError

LIMIT_MS = 100.0
SEED = 20_240_601

DECODERS: dict[str, Callable[[str], Any]] = {
    "python": decode_prompt,
    "python, strict": lambda text: decode_prompt(text, strictly=True),
    "python, tagged": lambda text: decode_prompt(f"<TOOLCALL>{text}</TOOLCALL>", AskedForm(tagged=True)),
    "json": lambda text: decode_prompt(text, AskedForm(form="json")),
    "json, strict": lambda text: decode_prompt(text, AskedForm(form="json"), strictly=True),
    "verbose xml": lambda text: decode_prompt(
        f"<functions>{text}</functions>", AskedForm(form="verbose_xml")
    ),
    "concise xml": lambda text: decode_prompt(
        f"<functions>{text}</functions>", AskedForm(form="concise_xml")
    ),
    "java": lambda text: decode_prompt(text, AskedForm(language="java")),
    "java, strict": lambda text: decode_prompt(text, AskedForm(language="java"), strictly=True),
    "javascript": lambda text: decode_prompt(text, AskedForm(language="javascript")),
    "native": lambda text: decode_native([{"f": text}]),
    "java list": lambda text: convert_java(text, "ArrayList", "String"),
    "java array": lambda text: convert_java(text, "Array", "integer"),
    "java map": lambda text: convert_java(text, "HashMap"),
    "javascript array": lambda text: convert_javascript(text, "array", "integer"),
    "javascript dict": lambda text: convert_javascript(text, "dict"),
    "strict text": standardise_strictly,
}

DEEP = 10_000
PIECES = (
    "[", "]", "(", ")", "{", "}", "f(", "a=", "1", "-", "+", "~", "not ", "'", '"', "\\", "\n", " ", ",", ":", ".", "*", "**",
    "lambda:", "x", "new HashMap<", ">(){", "new ArrayList<>(", "Arrays.asList(", "add(", 'put("', '",', "{{", "}}",
    "new int[]{", "[[", "],[", "<param>", "<params>", "</", "&a;", "<!DOCTYPE x [", "<![CDATA[", "NaN", "\0", "\ud800",
    "9" * 50, "0x", "1e", "if ", "for x in ", "await ", "...", "é", "\ufeff", "=", ";", "//", "/*", "`", "${", "@", "#",
)  # fmt: skip


def hostile() -> Iterator[str]:
    """Yield inputs made to exhaust depth, length, digits, backtracking or encodings."""
    for piece in PIECES:
        for count in (150, 190, DEEP):
            yield piece * count
            yield f"[f(a={piece * count})]"
    for opening, closing in (("[", "]"), ("(", ")"), ("{1:", "}"), ("g(a=", ")"), ("<params>", "</params>")):
        for depth in (90, 190, DEEP):
            yield f"f(a={opening * depth}1{closing * depth})"
            yield opening * depth + closing * depth
    yield from (
        "x" * 1_000_000,
        "f(a='" + "x" * 1_000_000 + "')",
        "f(a=" + "9" * 49_000 + ")",
        "f(a=0x" + "f" * 49_000 + ")",
    )
    yield from (
        "f(a=10**10**10)",
        "f(a='x'*10**9)",
        "f(a=[[0]*9999]*9999)",
        "f(a=1<<10**9)",
        "f(a='%999999999d'%1)",
        "f(a=1e999)",
    )
    yield from (
        "f(a=1" + "+1" * 20_000 + ")",
        "f(a=x" + ".y" * 20_000 + ")",
        "x" + ".y" * 20_000 + "(a=1)",
        "f(" + "a=1," * 12_000 + ")",
    )
    yield from (
        "[[1" + ",],[" * 10_000,
        "{a:" + "1,b:" * 10_000,
        "[" + '{"function": "f", "parameters": {}},' * 1_000 + "]",
    )
    yield "new HashMap<String, Integer>() {{ " + 'put("a", 1); ' * 3_000


def mutations(random_source: random.Random) -> Iterator[str]:
    """Yield plain replies with pieces inserted, deleted and repeated, endlessly."""
    plain = ("[f(a=1, b='x', c=[1, 2])]", '[{"function": "f", "parameters": {"a": 1}}]', 'A.f(a=1, b="x")')  # fmt: skip
    while True:
        text = random_source.choice(plain)
        for _ in range(random_source.randrange(1, 8)):
            place = random_source.randrange(len(text) + 1)
            piece = random_source.choice(PIECES) * random_source.choice((1, 1, 2, 50))
            text = text[:place] + piece + text[place + random_source.randrange(3) :]
        yield text


def run(texts: Iterator[str], until: float, slowest: list[tuple[float, str, str]]) -> tuple[int, int]:
    """Feed texts to every decoder; return the numbers of readings and of crashes."""
    readings = crashes = 0
    for text in texts:
        for name, decode in DECODERS.items():
            start = time.perf_counter()
            try:
                decode(text)
            except DecodingError:
                pass
            except Exception as error:  # noqa: BLE001 - whatever else comes out is the crash that is looked for
                crashes += 1
                print(f"crash: {name}: {type(error).__name__}: {error!s:.80} on {text[:80]!r}")
            readings += 1
            elapsed = (time.perf_counter() - start) * 1e3
            slowest.append((elapsed, name, f"{text[:40]!r} ({len(text):,} characters)"))
        slowest.sort(reverse=True)
        del slowest[5:]
        if time.monotonic() > until:
            break
    return readings, crashes


def main() -> int:
    """Run and print."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 20.0
    slowest: list[tuple[float, str, str]] = []
    first = run(hostile(), float("inf"), slowest)
    then = run(mutations(random.Random(SEED)), time.monotonic() + seconds, slowest)  # noqa: S311 - not for secrets
    crashes = first[1] + then[1]
    print(f"fuzz: {first[0]:,} hostile and {then[0]:,} mutated readings, {crashes} crashes; slowest:")
    for elapsed, name, text in slowest:
        print(f"  {elapsed:7.1f} ms{' (over the limit)' if elapsed > LIMIT_MS else ''}  {name}: {text}")
    return 1 if crashes else 0


if __name__ == "__main__":
    sys.exit(main())
