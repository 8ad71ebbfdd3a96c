"""Which models are one and the same."""

from __future__ import annotations

import pytest
from each_row import each_row

from fiducial.judges.transport.served_by import family


@each_row(
    ("asked", "served"),
    [
        ("gpt-4.1-mini", "gpt-4.1-mini-2025-04-14"),
        ("gpt-4.1-mini", "openai/gpt-4.1-mini"),
        ("claude-sonnet-4", "claude-sonnet-4-20250514"),
        ("gpt-4", "gpt-4-0613"),
        ("gemini-2.5-pro", "gemini-2.5-pro-001"),
        ("mistral-large", "Mistral-Large-latest"),
        ("meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b-instruct"),
        ("claude-3", "claude-3@20240229"),
    ],
)
def test_releases_of_one_model_are_one_family(asked: str, served: str):
    assert family(asked) == family(served)


@pytest.mark.parametrize(
    ("asked", "served"),
    [
        ("gpt-4.1", "gpt-4.1-mini"),
        ("llama-3.1-8b", "llama-3.1-70b"),
        ("gpt-4o", "gpt-4"),
        ("my-model", "gpt-oss-20b"),
    ],
)
def test_another_size_is_another_model(asked: str, served: str):
    assert family(asked) != family(served)
