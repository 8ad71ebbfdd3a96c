"""Build a release of the last commit, and try the wheel on every Python that is installed.

    python .ci/release.py --repository https://github.com/OWNER/NAME --out dist

An index shows the README outside the repository, so its links and pictures are made absolute, and the metadata
names the repository. Without --repository both stay as they are: good enough to try, not to upload.
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


def try_wheel(wheel: Path, python: str, folder: Path) -> str:
    """Install a wheel into an empty environment and run the demo offline; return one line on it."""
    subprocess.run([python, "-m", "venv", str(folder)], check=True)
    binaries = folder / "bin"
    begun = time.monotonic()
    subprocess.run(
        [str(binaries / "python"), *_PIP, "install", "--only-binary=:all:", str(wheel)], check=True
    )
    installed = time.monotonic() - begun
    alone = without_network()
    for command in ("fiducial", "fiducial-eval"):
        subprocess.run(
            [*alone, str(binaries / command), "demo", "-q", "--out", str(folder / f"demo of {command}")],
            check=True,
            env={"PATH": str(folder / "nothing"), "HOME": str(folder)},
            stdout=subprocess.DEVNULL,
        )
    offline = "without network" if alone else "network not taken away: not allowed here"
    return f"installed in {installed:.0f} s, demo by both commands, {offline}"


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
    if not released_version((ROOT / "CHANGELOG.md").read_text("utf-8"), version):
        print(f"CHANGELOG.md: no section `## [{version}] - YYYY-MM-DD`")
        return 1
    with TemporaryDirectory() as name:
        source = Path(name) / "source"
        export_commit(source)
        if arguments.repository:
            name_repository(source, arguments.repository.rstrip("/"), f"v{version}")
        else:
            print("no --repository: the README's links stay relative; do not upload these files")
        built = Path(name) / "dist"
        subprocess.run(
            [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(built), str(source)],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        subprocess.run(
            [sys.executable, "-m", "twine", "check", "--strict", *map(str, built.iterdir())], check=True
        )
        (wheel,) = built.glob("*.whl")
        for wanted in arguments.pythons.split():
            found = subprocess.run(
                [str(ROOT / ".ci" / "find_python"), wanted], check=True, capture_output=True, text=True
            ).stdout.strip()
            if not found:
                print(f"python {wanted}: not installed here, not tried")
                continue
            print(f"python {wanted}: {try_wheel(wheel, found, Path(name) / wanted)}", flush=True)
        arguments.out.mkdir(parents=True, exist_ok=True)
        for file in sorted(built.iterdir()):
            (arguments.out / file.name).write_bytes(file.read_bytes())
            print(arguments.out / file.name)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
