from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fiducial.errors import RunFolderError
from fiducial.records.process_lock import ProcessLock

HOLDER = """
import sys, time
from pathlib import Path
from fiducial.records.process_lock import ProcessLock
lock = ProcessLock(Path(sys.argv[1]), "busy")
lock.take()
print("held", flush=True)
time.sleep(600)
"""


def test_a_second_process_is_told_who_holds_the_lock_until_the_first_is_killed(tmp_path: Path):
    path = tmp_path / "a.lock"
    ours = ProcessLock(path, "another process is writing here; wait for it")
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(path)], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        assert not ours.is_free()
        with pytest.raises(RunFolderError, match="another process is writing here; wait for it"):
            ours.take()
        holder.kill()
    with ours.held(wait=60):
        assert not ProcessLock(path, "busy").is_free()
    assert ours.is_free()


def test_a_lock_in_a_folder_that_is_none_says_so(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        ProcessLock(tmp_path / "file" / "a.lock", "busy").take()
