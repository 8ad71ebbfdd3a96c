"""The way to a model and back: a provider that asks, and providers that wrap another."""

from .exchange import (
    CallError,
    NotRecordedError,
    Provider,
    Reply,
    Request,
    RequestedCall,
    TokenLogprob,
    make_request,
)

__all__ = [
    "CallError",
    "NotRecordedError",
    "Provider",
    "Reply",
    "Request",
    "RequestedCall",
    "TokenLogprob",
    "make_request",
]
