"""Hidden tests decide: an agent's files or code cannot replace or end them as passed."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any, Literal

import pytest
from workspaces import lay_out, verdict_on_workspace

from fiducial.records import Verdict

Files = dict[str, str | bytes]
Kind = Literal["python", "pytest"]

SCRIPT = """
import unittest
from solution import double
from helper_expected import EXPECTED

class TestDouble(unittest.TestCase):
    def test_double(self):
        self.assertEqual(double(2), EXPECTED)

if __name__ == "__main__":
    unittest.main()
"""
PLAIN_SCRIPT = (
    "from solution import double\nfrom helper_expected import EXPECTED\nassert double(2) == EXPECTED\n"
)
TESTS = "from solution import double\nfrom helper_expected import EXPECTED\ndef test_double(): assert double(2) == EXPECTED\n"
HELPER = "EXPECTED = 4\n"
RIGHT, WRONG = "def double(x): return 2 * x\n", "def double(x): return x\n"
TAG = sys.implementation.cache_tag


def bytecode(source: str) -> bytes:
    """Return a module's bytecode in a form that Python loads without looking at the source."""
    code = compile(source, "helper_expected.py", "exec")
    unchecked = (1).to_bytes(4, "little")
    return importlib.util.MAGIC_NUMBER + unchecked + bytes(8) + __import__("marshal").dumps(code)


EVIL_HELPER = "EXPECTED = 2\n"
OVERRULING: dict[str, Files] = {
    "conftest that ends": {"conftest.py": "import os; os._exit(0)"},
    "conftest in a folder": {
        "sub/conftest.py": "import os; os._exit(0)",
        "sub/test_a.py": "def test(): pass",
    },
    "conftest that turns failures": {
        "conftest.py": "import pytest\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport():\n r = yield\n r.get_result().outcome = 'passed'"
    },
    "pytest.ini": {"pytest.ini": "[pytest]\naddopts = --co\n"},
    ".pytest.ini": {".pytest.ini": "[pytest]\naddopts = --co\n"},
    "tox.ini": {"tox.ini": "[pytest]\naddopts = --co\n"},
    "setup.cfg": {"setup.cfg": "[tool:pytest]\naddopts = --co\n"},
    "pyproject.toml": {"pyproject.toml": "[tool.pytest.ini_options]\naddopts = '--co'\n"},
    "plugin by metadata": {
        "evil-1.0.dist-info/entry_points.txt": "[pytest11]\nevil = evil\n",
        "evil-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n",
        "evil.py": "import os; os._exit(0)",
    },
    "package beside the helper": {"helper_expected/__init__.py": EVIL_HELPER},
    "helper": {"helper_expected.py": EVIL_HELPER},
    "bytecode": {f"__pycache__/helper_expected.{TAG}.pyc": bytecode(EVIL_HELPER)},
    "bytecode without source": {"helper_expected.pyc": bytecode(EVIL_HELPER)},
    "bytecode of the tests": {
        f"__pycache__/test_hidden.{TAG}.pyc": bytecode("def test(): pass"),
        f"__pycache__/test_hidden.{TAG}-pytest-{pytest.__version__}.pyc": bytecode("def test(): pass"),
    },
    "package beside the tests": {
        "test_hidden/__init__.py": "def test(): pass",
        "test/__init__.py": "",
        "test/__main__.py": "",
    },
    "sitecustomize": {
        "sitecustomize.py": "import os; os._exit(0)",
        "usercustomize.py": "import os; os._exit(0)",
    },
    "usercustomize": {
        f".local/lib/python3.{sys.version_info[1]}/site-packages/usercustomize.py": "import os; os._exit(0)"
    },
    "a library": {
        "unittest.py": "def main(): pass\nclass TestCase: pass",
        "pytest.py": "raise SystemExit(0)",
    },
    "a library's package": {"unittest/__init__.py": "def main(): pass\nclass TestCase: pass"},
    "the workspace as a package": {"__init__.py": "import os; os._exit(0)"},
}
ENDING = {
    "os._exit": "import os; os._exit(0)",
    "sys.exit": "import sys; sys.exit(0)",
    "sys.exit when called": "def double(x): raise SystemExit",
    "another program": "import os, sys; os.execv(sys.executable, [sys.executable, '-c', ''])",
    "a thread": "import os, threading; threading.Thread(target=os._exit, args=(0,)).start(); import time; time.sleep(1)",
    "at exit": "import atexit, os; atexit.register(os._exit, 0)\n" + WRONG,
    "every open file": (
        "import os\nfor n in range(3, 256):\n"
        " for data in (b'1', b'passed', b'{}'):\n"
        "  try: os.write(n, data)\n"
        "  except OSError: pass\n"
        "os._exit(0)"
    ),
    "a child": "import os\nif os.fork(): os._exit(0)\n" + WRONG,
    "a helper written in time": "open('helper_expected.py', 'w').write('EXPECTED = 2')\n" + WRONG,
    "a package made in time": "import os\nos.mkdir('helper_expected')\nopen('helper_expected/__init__.py', 'w').write('EXPECTED = 2')\n"
    + WRONG,
    "a folder moved": (
        "import os, glob\nfor place in ('/fiducial-exam', '/tmp', '.'):\n"
        " try: os.rename(place, place + '-away'); os.mkdir(place); open(place + '/helper_expected.py', 'w').write('EXPECTED = 2')\n"
        " except OSError: pass\n" + WRONG
    ),
}
WAYS: list[tuple[Kind, str]] = [("python", "strict"), ("python", "bfcl"), ("pytest", "strict")]
ONCE = {"sys.exit when called", "another program", "every open file", "a child", "a folder moved"}
"""Of each sort one, with every change as a script under strict rules."""
ENDINGS = [
    pytest.param(
        attack, *way, marks=[] if attack in ONCE and way == ("python", "strict") else [pytest.mark.slow]
    )
    for attack in ENDING
    for way in WAYS
]
SKIPPING = {
    "the module": "import pytest; pytest.skip('no', allow_module_level=True)",
    "the test": "import pytest\ndef double(x): pytest.skip('no')",
    "an expected failure": "import pytest\ndef double(x): pytest.xfail('no')",
    "the run": "import pytest\ndef double(x): pytest.exit('done', returncode=0)",
}


def verdict_on(folder: Path, kind: Kind, files: Files, rules: Any, tests: dict[str, str]) -> Verdict:
    lay_out(folder / "challenge" / "custom_python", tests)
    ground = {"files": ["test.py"] if kind == "python" else [], "eval": {"type": kind}}
    reference = {"ground": ground, "folder": str(folder / "challenge")}
    return verdict_on_workspace(lay_out(folder / "workspace", files), reference, rules, allow_code=True)


def exam_of(kind: Kind, script: str) -> dict[str, str]:
    return {
        ("test.py" if kind == "python" else "test_hidden.py"): script if kind == "python" else TESTS,
        "helper_expected.py": HELPER,
    }


TOGETHER: dict[str, tuple[Kind, tuple[str, ...]]] = {
    "Python's own hooks": ("python", ("sitecustomize", "usercustomize", "the workspace as a package")),
    "a library": ("python", ("a library", "a library's package", "package beside the tests")),
    "the helper": ("python", ("package beside the helper", "helper", "bytecode", "bytecode without source")),
    "configuration of pytest": (
        "pytest",
        ("pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg", "pyproject.toml", "plugin by metadata"),
    ),
    "code of pytest's": (
        "pytest",
        ("conftest that turns failures", "conftest in a folder", "bytecode of the tests"),
    ),
}
"""Attacks that would each make wrong code pass, and do not undo each other."""


@pytest.mark.attack("hidden tests")
@pytest.mark.parametrize("attacks", TOGETHER)
def test_attacks_of_one_sort_together_overrule_no_hidden_tests(tmp_path: Path, attacks: str):
    kind, names = TOGETHER[attacks]
    files = {
        "solution.py": WRONG,
        **{file: text for name in names for file, text in OVERRULING[name].items()},
    }
    script = PLAIN_SCRIPT if attacks == "a library" else SCRIPT
    verdict = verdict_on(tmp_path, kind, files, "strict", exam_of(kind, script))
    assert (verdict.outcome, verdict.score) == ("graded", 0.0), verdict.reason


def test_every_attack_is_among_those_tried_with_every_change():
    tried = {name for _, names in TOGETHER.values() for name in names}
    assert tried == OVERRULING.keys() - {"conftest that ends"}  # there is one conftest.py


@pytest.mark.slow
@pytest.mark.attack("hidden tests")
@pytest.mark.parametrize(("kind", "rules"), WAYS)
@pytest.mark.parametrize("attack", OVERRULING)
def test_nothing_in_a_workspace_overrules_hidden_tests(tmp_path: Path, kind: Kind, attack: str, rules: str):
    files = {"solution.py": WRONG, **OVERRULING[attack]}
    verdict = verdict_on(tmp_path, kind, files, rules, exam_of(kind, SCRIPT))
    assert (verdict.outcome, verdict.score) == ("graded", 0.0), verdict.reason


@pytest.mark.attack("hidden tests")
@pytest.mark.parametrize("kind", ["python", "pytest"])
def test_under_strict_rules_a_right_solution_passes_whatever_lies_beside_it(tmp_path: Path, kind: Kind):
    beside: Files = {name: data for attack in OVERRULING.values() for name, data in attack.items()}
    files = {**beside, "__init__.py": "", "solution.py": RIGHT}
    verdict = verdict_on(tmp_path, kind, files, "strict", exam_of(kind, SCRIPT))
    assert (verdict.outcome, verdict.score) == ("graded", 1.0), verdict.reason


@pytest.mark.attack("hidden tests")
@pytest.mark.parametrize(("attack", "kind", "rules"), ENDINGS)
def test_code_that_ends_the_tests_does_not_pass_them(tmp_path: Path, attack: str, kind: Kind, rules: str):
    verdict = verdict_on(tmp_path, kind, {"solution.py": ENDING[attack]}, rules, exam_of(kind, SCRIPT))
    assert (verdict.outcome, verdict.score, verdict.error_type) == ("graded", 0.0, "script_failed"), (
        verdict.reason
    )


@pytest.mark.attack("hidden tests")
@pytest.mark.parametrize("attack", SKIPPING)
def test_code_that_skips_the_tests_does_not_pass_them(tmp_path: Path, attack: str):
    verdict = verdict_on(
        tmp_path, "pytest", {"solution.py": SKIPPING[attack]}, "strict", exam_of("pytest", SCRIPT)
    )
    assert (verdict.outcome, verdict.score, verdict.error_type) == ("graded", 0.0, "script_failed"), (
        verdict.reason
    )


_READS_THE_TESTS = """
import os, sys
frame = sys._getframe()
while frame:
    for name in ("prove", "EXPECTED"):
        if name in frame.f_locals: print(name); frame.f_locals[name]() if name == "prove" else None; os._exit(0)
    frame = frame.f_back
print(2)
"""
_AS_A_PROGRAM = """
import subprocess, sys
from helper_expected import EXPECTED

def test_double():
    said = subprocess.run([sys.executable, "solution.py"], capture_output=True, text=True, check=True).stdout
    assert int(said) == EXPECTED

if __name__ == "__main__":
    test_double()
"""


@pytest.mark.attack("hidden tests")
@pytest.mark.parametrize(("kind", "rules"), WAYS)
def test_tests_that_run_the_code_as_a_program_are_out_of_its_reach(tmp_path: Path, kind: Kind, rules: str):
    tests = {
        ("test.py" if kind == "python" else "test_hidden.py"): _AS_A_PROGRAM,
        "helper_expected.py": HELPER,
    }
    right = verdict_on(tmp_path / "right", kind, {"solution.py": "print(4)"}, rules, tests)
    assert right.score == 1.0, right.reason
    wrong = verdict_on(tmp_path / "wrong", kind, {"solution.py": _READS_THE_TESTS}, rules, tests)
    assert wrong.score == 0.0


_POSING = sorted(
    {*sys.stdlib_module_names, "org", "java", "vms_lib", "sitecustomize", "conftest"} - {"__main__"}
)


@pytest.mark.attack("hidden tests")
@pytest.mark.parametrize(("kind", "rules"), WAYS)
def test_no_file_of_a_workspace_is_imported_as_a_module_of_the_standard_library(
    tmp_path: Path, kind: Kind, rules: str
):
    tests = {
        ("test.py" if kind == "python" else "test_hidden.py"): f"import copy, pdb, platform\n{_AS_A_PROGRAM}",
        "helper_expected.py": HELPER,
    }
    posing: Files = {f"{name}.py": _READS_THE_TESTS for name in _POSING}
    verdict = verdict_on(tmp_path, kind, {**posing, "solution.py": "print(2)"}, rules, tests)
    assert (verdict.outcome, verdict.score) == ("graded", 0.0), verdict.reason


@pytest.mark.attack("hidden tests")
def test_a_right_solution_passes_beside_files_called_as_every_standard_module(tmp_path: Path):
    posing: Files = {f"{name}.py": "raise SystemExit" for name in _POSING}
    verdict = verdict_on(
        tmp_path, "python", {**posing, "solution.py": RIGHT}, "strict", exam_of("python", SCRIPT)
    )
    assert (verdict.outcome, verdict.score) == ("graded", 1.0), verdict.reason


@pytest.mark.attack("hidden tests")
@pytest.mark.parametrize("rules", ["strict", "bfcl"])
@pytest.mark.parametrize("named", [False, True])
def test_a_solutions_unittest_is_not_the_framework_of_the_hidden_tests(
    tmp_path: Path, rules: str, named: bool
):
    posing: Files = {"unittest.py": "class TestCase: pass\ndef main(): pass\n"}
    if named:
        lay_out(tmp_path / "challenge" / "artifacts_out", {**posing, "solution.py": RIGHT})
    verdict = verdict_on(
        tmp_path, "python", {**posing, "solution.py": WRONG}, rules, exam_of("python", SCRIPT)
    )
    assert (verdict.outcome, verdict.score) == ("graded", 0.0), verdict.reason


def test_a_solution_may_have_a_name_that_the_test_framework_uses(tmp_path: Path):
    tests = {"test.py": SCRIPT.replace("solution", "difflib"), "helper_expected.py": HELPER}
    lay_out(tmp_path / "challenge" / "artifacts_out", {"difflib.py": RIGHT})
    assert verdict_on(tmp_path, "python", {"difflib.py": RIGHT}, "strict", tests).score == 1.0


def test_a_hidden_test_may_be_called_as_its_framework(tmp_path: Path):
    lay_out(tmp_path / "challenge" / "custom_python", {"unittest.py": SCRIPT, "helper_expected.py": HELPER})
    for text, score in ((RIGHT, 1.0), (WRONG, 0.0)):
        workspace = lay_out(tmp_path / f"workspace {score}", {"solution.py": text})
        reference = {
            "ground": {"files": ["unittest.py"], "eval": {"type": "python"}},
            "folder": str(tmp_path / "challenge"),
        }
        assert verdict_on_workspace(workspace, reference, "strict", allow_code=True).score == score


@pytest.mark.parametrize(
    ("text", "solution", "outcome"),
    [
        ("import no_such_library\n", {"solution.py": RIGHT}, "not_applicable"),
        ("from no_such_library.part import thing\n", {"solution.py": RIGHT}, "not_applicable"),
        ("try:\n    import no_such_library\nexcept ImportError: pass\n", {"solution.py": RIGHT}, "graded"),
        ("import no_such_library\n", {"solution.py": RIGHT, "no_such_library.py": RIGHT}, "graded"),
        ("import no_such_library\n", {}, "graded"),
    ],
)
@pytest.mark.parametrize("rules", ["strict", "bfcl"])
def test_a_package_that_hidden_tests_need_and_this_machine_lacks_fails_nobody(
    tmp_path: Path, text: str, solution: Files, outcome: str, rules: str
):
    lay_out(tmp_path / "challenge" / "artifacts_out", solution)
    verdict = verdict_on(tmp_path, "python", {"solution.py": RIGHT}, rules, exam_of("python", text + SCRIPT))
    assert verdict.outcome == outcome, verdict.reason
    if outcome == "not_applicable":
        assert verdict.error_type == "unusable_challenge"
        assert "import no_such_library, neither installed here" in str(verdict.reason)


@pytest.mark.parametrize("rules", ["strict", "bfcl"])
@pytest.mark.parametrize("kind", ["python", "pytest"])
def test_a_right_solution_passes(tmp_path: Path, kind: Kind, rules: str):
    verdict = verdict_on(tmp_path, kind, {"solution.py": RIGHT}, rules, exam_of(kind, SCRIPT))
    assert verdict.score == 1.0, verdict.reason


def test_a_challenge_may_bring_its_own_configuration_fixtures_and_skipped_tests(tmp_path: Path):
    tests = {
        "pytest.ini": "[pytest]\npython_functions = check_*\n",
        "conftest.py": "import pytest\n@pytest.fixture\ndef four(): return 4\n",
        "test_hidden.py": (
            "import pytest\nfrom solution import double\ndef check_double(four): assert double(2) == four\n"
            "@pytest.mark.skip\ndef check_later(): pass\n@pytest.mark.xfail\ndef check_open(): assert False\n"
            "def check_here(): pytest.skip('not on this system')\n"
        ),
    }
    conftest = {"conftest.py": "import os; os._exit(0)"}
    assert (
        verdict_on(tmp_path / "a", "pytest", {**conftest, "solution.py": RIGHT}, "strict", tests).score == 1.0
    )
    assert (
        verdict_on(tmp_path / "b", "pytest", {**conftest, "solution.py": WRONG}, "strict", tests).score == 0.0
    )
