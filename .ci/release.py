"""Build a release of the last commit, and try the wheel on every Python that is installed.

    python .ci/release.py --repository https://github.com/OWNER/NAME --out dist

An index shows the README outside the repository, so its links and pictures are made absolute, and the metadata
names the repository. Without --repository links become plain text, so that none is dead; try such files, but do
not upload them. With it, unreleased changes and a tag at another commit are refused.
"""

from __future__ import annotations

import argparse
import io
import re
import shutil
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
_LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]+)\)")
_ELSEWHERE = re.compile(r"[a-z]+:|#")
_PIP = ("-m", "pip", "--disable-pip-version-check", "-q")


def absolute_links(page: str, repository: str, tag: str, *, root: Path = ROOT) -> str:
    """Return a Markdown page with links and pictures of the repository at a tag.

    Raises:
        SystemExit: A link names a file that is not in the tree.
    """

    def absolute(link: re.Match[str]) -> str:
        target = link["target"]
        if _ELSEWHERE.match(target):
            return link[0]
        path, _, anchor = target.partition("#")
        if not (root / path).exists():
            raise SystemExit(f"README.md: {target}: no such file")
        view = "raw" if link["image"] else "tree" if (root / path).is_dir() else "blob"
        address = f"{repository}/{view}/{tag}/{path}" + (f"#{anchor}" if anchor else "")
        return f"{link['image']}[{link['text']}]({address})"

    return _LINK.sub(absolute, page)


def without_links(page: str) -> tuple[str, int]:
    """Return a Markdown page with text in place of links and pictures of the repository, and their number."""
    dropped = 0

    def text_of(link: re.Match[str]) -> str:
        nonlocal dropped
        if _ELSEWHERE.match(link["target"]):
            return link[0]
        dropped += 1
        return f"*{link['text']}*" if link["image"] else link["text"]

    return _LINK.sub(text_of, page), dropped


def relative_links(page: str) -> list[str]:
    """Return the targets in a Markdown page that work in the repository alone."""
    return [link["target"] for link in _LINK.finditer(page) if not _ELSEWHERE.match(link["target"])]


def unreleased(changelog: str) -> int:
    """Return the number of changes that no version has."""
    section = changelog.partition("## [Unreleased]")[2].partition("\n## [")[0]
    return len(re.findall(r"^- ", section, re.MULTILINE))


def not_ready(version: str, tag_commit: str, head: str, changes: int) -> str | None:
    """Return why the last commit cannot be released as a version, or None if it can."""
    if tag_commit not in {"", head}:
        return f"tag v{version} is another commit: set VERSION in version.py"
    if changes:
        return f"CHANGELOG.md: {changes:,} unreleased changes, which are not in {version}: set VERSION, and move them below its section"
    return None


def project_urls(repository: str, tag: str) -> str:
    """Return the table of pyproject.toml that names the repository's pages."""
    pages = {
        "Homepage": repository,
        "Documentation": f"{repository}/tree/{tag}/docs",
        "Source": repository,
        "Changelog": f"{repository}/blob/{tag}/CHANGELOG.md",
        "Issues": f"{repository}/issues",
    }
    return "\n[project.urls]\n" + "".join(f'{name} = "{address}"\n' for name, address in pages.items())


def released_version(changelog: str, version: str) -> bool:
    """Return whether the changelog has a dated section for a version."""
    return (
        re.search(rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d$", changelog, re.MULTILINE) is not None
    )


def export_commit(folder: Path) -> None:
    """Unpack the last commit into a folder."""
    packed = subprocess.run(
        ["git", "-C", str(ROOT), "archive", "HEAD"], check=True, capture_output=True
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")


def name_repository(source: Path, repository: str, tag: str) -> None:
    """Write the repository's address into a source tree's metadata and README."""
    readme, project = source / "README.md", source / "pyproject.toml"
    readme.write_text(absolute_links(readme.read_text("utf-8"), repository, tag, root=source), "utf-8")
    project.write_text(
        project.read_text("utf-8").replace(
            "\n[project.scripts]\n", project_urls(repository, tag) + "\n[project.scripts]\n", 1
        ),
        "utf-8",
    )


def without_network() -> list[str]:
    """Return the command prefix that cuts off the network; empty where that is not allowed."""
    program = shutil.which("unshare")  # the demo is given no PATH
    command = [program or "", "--map-root-user", "--net"]
    allowed = program is not None and (
        subprocess.run([*command, sys.executable, "-V"], check=False, capture_output=True).returncode == 0
    )
    return command if allowed else []


def try_wheel(wheel: Path, python: str, folder: Path, version: str) -> str:
    """Install a wheel into an empty environment and run the demo offline; return one line on it."""
    subprocess.run([python, "-m", "venv", str(folder)], check=True)
    binaries = folder / "bin"
    begun = time.monotonic()
    subprocess.run(
        [str(binaries / "python"), *_PIP, "install", "--only-binary=:all:", str(wheel)], check=True
    )
    installed = time.monotonic() - begun
    alone, environment = without_network(), {"PATH": str(folder / "nothing"), "HOME": str(folder)}
    for command in ("fiducial", "fiducial-eval"):
        program = str(binaries / command)
        named = subprocess.run(
            [program, "--version"], check=True, env=environment, capture_output=True, text=True
        ).stdout.split()[-1]
        if named != version:
            raise SystemExit(f"{command} --version: {named}, expected {version}")
        subprocess.run(
            [*alone, program, "demo", "-q", "--out", str(folder / f"demo of {command}")],
            check=True,
            env=environment,
            stdout=subprocess.DEVNULL,
        )
    offline = "without network" if alone else "network not taken away: not allowed here"
    return f"installed in {installed:.0f} s, demo by both commands, {offline}"


def prepare(source: Path, version: str, repository: str | None) -> None:
    """Unpack the last commit, with a README whose links work outside the repository."""
    export_commit(source)
    if repository:
        name_repository(source, repository.rstrip("/"), f"v{version}")
        return
    readme = source / "README.md"
    page, dropped = without_links(readme.read_text("utf-8"))
    readme.write_text(page, "utf-8")
    print(f"no --repository: {dropped} links of the README become text; do not upload these files")


def build(source: Path, out: Path, version: str) -> Path:
    """Build source archive and wheel, check both, and return the wheel."""
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(source)],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *map(str, out.iterdir())], check=True)
    (wheel,) = out.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [each for each in archive.namelist() if each.endswith(".dist-info/METADATA")]
        headers, _, page = archive.read(name).decode("utf-8").partition("\n\n")
    if f"\nVersion: {version}\n" not in headers:
        raise SystemExit(f"{wheel.name}: its metadata do not say version {version}")
    if dead := relative_links(page):
        raise SystemExit(f"{wheel.name}: links that only work in the repository: {', '.join(dead)}")
    return wheel


def find_python(wanted: str) -> str:
    """Return the path of a Python; empty if it is not installed."""
    found = subprocess.run(
        [str(ROOT / ".ci" / "find_python"), wanted], check=True, capture_output=True, text=True
    )
    return found.stdout.strip()


def commit_of(name: str) -> str:
    """Return the commit of a tag or of HEAD; empty if there is none."""
    command = ["git", "-C", str(ROOT), "rev-parse", "--verify", "-q", f"{name}^{{commit}}"]
    return subprocess.run(command, check=False, capture_output=True, text=True).stdout.strip()


def refusal(version: str, repository: str | None) -> str | None:
    """Return why nothing is built; print what only keeps a trial from being a release."""
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    if not released_version(changelog, version):
        return f"CHANGELOG.md: no section `## [{version}] - YYYY-MM-DD`"
    problem = not_ready(version, commit_of(f"v{version}"), commit_of("HEAD"), unreleased(changelog))
    if problem and not repository:
        print(f"a trial, not a release: {problem}")
        return None
    return problem


def main() -> int:
    """Build, check and try a release; return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repository", help="address of the public repository")
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--pythons", default="3.11 3.12 3.13 3.14")
    arguments = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    version: str = __import__("version").VERSION
    if problem := refusal(version, arguments.repository):
        print(problem)
        return 1
    with TemporaryDirectory() as name:
        source, built = Path(name) / "source", Path(name) / "dist"
        prepare(source, version, arguments.repository)
        wheel = build(source, built, version)
        for wanted in arguments.pythons.split():
            if found := find_python(wanted):
                print(f"python {wanted}: {try_wheel(wheel, found, Path(name) / wanted, version)}", flush=True)
            else:
                print(f"python {wanted}: not installed here, not tried")
        arguments.out.mkdir(parents=True, exist_ok=True)
        for file in sorted(built.iterdir()):
            (arguments.out / file.name).write_bytes(file.read_bytes())
            print(arguments.out / file.name)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
