"""Endpoints: address and credentials of a model, and removing the key from texts.

An `EndpointGroup` consists of several endpoints of one model. Each is an `EndpointShare` with its own limits, and `EndpointUse`
counts its calls.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from ipaddress import ip_address
from itertools import takewhile
from typing import Any, Literal, NamedTuple
from urllib.parse import quote, quote_plus, urlsplit

from ...errors import UsageError
from ...spelling import setting
from .exchange import ApiName

_OPENAI_DOMAIN = "openai.com"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Address and credentials of a model.

    Attributes:
        base_url: The API's root, such as ``http://127.0.0.1:8000/v1``; None for OpenAI's own. Azure: the resource's address.
        api_key: The key; never shown, stored or logged. If it is None, the openai library reads it from its environment variable.
        kind: ``openai`` for every compatible endpoint, ``azure`` for Azure OpenAI.
        api_version: API version; only for Azure.
        organization: OpenAI's organization that is billed. If it is None, the openai library reads its environment variable.
        token: Function that returns a token to use instead of a key; it caches the token. Only for Azure.
        api: The protocol that the server speaks.
        path: Path of requests for decisions below the address, or None for the usual path of the protocol.

    Raises:
        UsageError: The address is not a web address or contains a password, or the key cannot be in a header.
    """

    base_url: str | None
    api_key: str | None = field(repr=False)
    kind: Literal["openai", "azure"] = "openai"
    api_version: str | None = None
    organization: str | None = None
    token: Callable[[], str] | None = field(default=None, repr=False, compare=False)
    api: ApiName = "chat"
    path: str | None = None

    def __post_init__(self) -> None:
        if self.base_url is not None and "@" in self.base_url.partition("://")[2].partition("/")[0]:
            raise UsageError(
                f"the endpoint's address holds a password or key; give it as the key (OPENAI_API_KEY, or {setting('api_key_env')})"
            )
        if self.base_url is not None and _scheme(self.base_url) not in {"http", "https"}:
            raise UsageError(
                f"the endpoint's address begins with http:// or https://, got {self.redact(self.base_url)!r}"
            )
        if self.api_key is not None and not (self.api_key.isascii() and self.api_key.isprintable()):
            raise UsageError(
                "the endpoint's key holds a line break or another character that no key has; how was it copied?"
            )
        if self.api != "chat":
            self._require_address()

    def _require_address(self) -> None:
        """Refuse an endpoint of a decision model without an address."""
        if self.kind == "azure":
            raise UsageError(
                f"api={self.api}: give the address of decisions, such as https://RESOURCE.openai.azure.com/openai/v1, as {setting('base_url')} instead of AZURE_OPENAI_ENDPOINT or an Azure connection"
            )
        if self.base_url is None and self.api != "decisions":
            raise UsageError(
                f"api={self.api} needs the server's address: {setting('endpoints', f'URL,api={self.api}')}"
            )

    @property
    def identity(self) -> str:
        """Text that tells endpoints apart, since the same name at two of them may be two models."""
        address = f"{self.kind}:{self.base_url or ''}"
        return address if self.api == "chat" else f"{address} {self.api} {self.path or ''}".rstrip()

    @property
    def needs_library(self) -> bool:
        """True if requests need the openai library: for OpenAI, Azure, and the library's variables."""
        if self.kind == "azure" or self.base_url is None or self.api_key is None or self.organization:
            return True
        host = urlsplit(self.base_url).hostname or ""
        return host == _OPENAI_DOMAIN or host.endswith("." + _OPENAI_DOMAIN)

    @property
    def exposes_key(self) -> bool:
        """True if a key, not just a short placeholder, goes to another machine without encryption."""
        if self.base_url is None or self.api_key is None or len(self.api_key) < _MIN_KEY_LENGTH:
            return False
        address = urlsplit(self.base_url)
        return address.scheme == "http" and not _is_this_machine(address.hostname or "")

    def client_options(self) -> dict[str, Any]:
        """Return the options of an openai client for this endpoint, without the token."""
        if self.kind == "azure":
            options = {"azure_endpoint": self.base_url or "", "api_version": self.api_version}
        else:
            options = {"base_url": self.base_url, "organization": self.organization}
        return {"api_key": self.api_key, **options}

    def redact(self, text: str) -> str:
        """Return a text without the key."""
        return redactor(self.api_key)(text.replace(self.api_key, _REDACTED) if self.api_key else text)


@dataclass(frozen=True, slots=True)
class EndpointShare:
    """One of several endpoints of a run.

    Attributes:
        endpoint: Its address.
        slots: Maximum number of calls in flight.
        model: Its name for the model, or None if it is the requested one.
    """

    endpoint: Endpoint
    slots: int
    model: str | None = None


class EndpointUse(NamedTuple):
    """Usage of one endpoint.

    Attributes:
        name: Its address.
        replies: Number of its replies.
        failures: Failed calls, without rate limits.
        given_up: Calls that took too long and were repeated.
        rate_limited: Calls that it refused because they came too fast.
        last_error: The last failure, or None if there was none.
    """

    name: str
    replies: int
    failures: int
    given_up: int
    rate_limited: int
    last_error: str | None


@dataclass(frozen=True, slots=True)
class EndpointGroup:
    """Several endpoints of one model, used as one.

    Attributes:
        shares: The endpoints.
        report: Called at the end with the usage of each.
    """

    shares: tuple[EndpointShare, ...]
    report: Callable[[list[EndpointUse]], object] | None = field(default=None, repr=False, compare=False)

    @property
    def identity(self) -> str:
        """Identity of the endpoints; that of the single endpoint if only the keys differ."""
        return "\n".join(sorted({share.endpoint.identity for share in self.shares}))


def _is_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _scheme(address: str) -> str | None:
    try:
        return urlsplit(address).scheme
    except ValueError:  # brackets of an IPv6 address that do not match
        return None


_MIN_KEY_LENGTH = 8
"""Shorter keys are not searched for in replies: they are placeholders, and may be words."""

_MIN_BEGINNING_LENGTH = 12
"""Beginnings of a key of this length are searched for, since servers show the beginning of a key that they refuse."""

_REDACTED = "***"


def redactor(key: str | None) -> Callable[[str], str]:
    """Return a function that removes a key from a text, unless the key is short.

    It removes the key as it is, in base64 (at any offset of the encoded text), in hexadecimal, and escaped as in URLs, JSON and HTML.
    It also removes beginnings of the key.
    """
    if key is None or len(key) < _MIN_KEY_LENGTH:
        return lambda text: text
    forms = sorted({*_forms(key)}, key=len, reverse=True)  # a form may contain a shorter one
    pattern = re.compile("|".join(map(re.escape, forms)))
    return lambda text: _without_beginnings(pattern.sub(_REDACTED, text), key)


def _without_beginnings(text: str, key: str) -> str:
    """Remove each beginning of a key, as far as the text equals the key."""
    if len(key) <= _MIN_BEGINNING_LENGTH:
        return text
    beginning = key[:_MIN_BEGINNING_LENGTH]
    pieces, position = list[str](), 0
    while (start := text.find(beginning, position)) >= 0:
        pairs = zip(text[start : start + len(key)], key, strict=False)
        end = start + sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        pieces += [text[position:start], _REDACTED]
        position = end
    return "".join([*pieces, text[position:]])


def _forms(key: str) -> Iterator[str]:
    """Yield the key in the encodings in which a server may echo it."""
    yield key
    yield quote(key, safe="")
    yield quote_plus(key)
    yield re.sub("%..", lambda match: match[0].lower(), quote(key, safe=""))
    yield key.encode().hex()
    yield key.encode().hex().upper()
    for escape in ("%{:02x}", "%{:02X}", "\\u{:04x}", "\\x{:02x}", "&#{};", "&#x{:x};"):
        yield "".join(map(escape.format, key.encode()))
    for before in range(3):
        # A letter of base64 encodes six bits. Letters at both ends that also encode neighbouring bytes are left out.
        first_letter = -(-before * 8 // 6)  # rounded up
        end_letter = (before + len(key.encode())) * 8 // 6
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            yield encode(b"\0" * before + key.encode()).decode()[first_letter:end_letter]
