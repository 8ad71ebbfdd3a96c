"""Send requests to models, and receive their replies.

A `Provider` answers a `Request` with a `Reply`. `OpenAIProvider` calls the model; it sends bytes through a `Sender`, in the form
of an `Api`. All other providers wrap one: they retry, limit, cache or record. `connect` stacks them.
"""

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
