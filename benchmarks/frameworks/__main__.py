"""Run agent frameworks against a scripted server, and keep their traces.

    python benchmarks/frameworks [--environments FOLDER] [--out FOLDER] [NAME...]

The traces become the samples of ``tests/formats/test_frameworks.py``.
"""

from __future__ import annotations

import argparse
import gzip
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

_SDK = "opentelemetry-sdk==1.45.2"
FRAMEWORKS: dict[str, list[str]] = {
    "anthropic": ["anthropic==2.14.0", "openinference-instrumentation-anthropic==3.1.0", _SDK],
    "google_adk": ["google-adk==2.13.0", "litellm==1.110.2", "openinference-instrumentation-google-adk==1.0.5"],
    "langfuse": ["langfuse==5.0.4", "openai==3.57.0"],
    "langgraph": ["langchain==1.5.2", "langchain-openai==1.7.4", "langgraph==1.2.24", "openinference-instrumentation-langchain==0.1.80", _SDK],
    "llama_index": ["llama-index-core==0.14.25", "llama-index-llms-openai-like==0.8.1", "openinference-instrumentation-llama-index==4.6.1", _SDK],
    "mlflow": ["mlflow-skinny==3.17.2", "langchain==1.5.2", "langchain-openai==1.7.4", "pandas==3.1.1"],
    "openai_agents": ["openai-agents==0.24.0", "openinference-instrumentation-openai-agents==2.6.0", _SDK],
    "openllmetry": ["opentelemetry-instrumentation-openai==0.62.4", "openai==3.57.0", _SDK],
    "pydantic_ai": ["pydantic-ai-slim[openai]==2.68.0", _SDK],
    "smolagents": ["smolagents[openai]==1.26.0", "openinference-instrumentation-smolagents==0.1.43", _SDK],
    "strands": ["strands-agents[openai,otel]==1.62.0"],
}  # fmt: skip
"""Packages of each framework, pinned: these wrote the samples."""

VARIANTS = {"google_adk_openinference": ("google_adk", ["openinference"])}
"""Further traces of a framework's program, with arguments."""

_HERE = Path(__file__).parent
_FOLDERS = re.compile(r'(File \\*")[^"\\]*/')


def main() -> None:
    """Run the frameworks that are named, or all."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("names", nargs="*", default=[])
    arguments.add_argument("--environments", type=Path, default=Path(".venv-frameworks"))
    arguments.add_argument("--out", type=Path, default=_HERE.parents[1] / "tests/formats/frameworks")
    given = arguments.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    for name in given.names or [*FRAMEWORKS, *VARIANTS]:
        program, options = VARIANTS.get(name, (name, []))
        python = _environment(given.environments / program, FRAMEWORKS[program])
        with tempfile.TemporaryDirectory() as folder:
            written = Path(folder, f"{name}.jsonl")
            command = [str(python), str(_HERE / f"run_{program}.py"), str(written), *options]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=300)
            for file in sorted(Path(folder).iterdir()):
                text = _FOLDERS.sub(r"\1", file.read_text("utf-8"))
                (given.out / f"{file.name}.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
        print(name, file=sys.stderr)


def _environment(folder: Path, packages: list[str]) -> Path:
    """Return the interpreter of an environment with these packages."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *packages], check=True)
    return python


if __name__ == "__main__":
    main()
