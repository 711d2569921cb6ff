"""Call sites under stress, every allocation followed: nothing hangs, nothing crashes. `make stress` runs it for minutes."""
import os
import subprocess
import sys
import time
from pathlib import Path

import segments
import tap

SECONDS = float(os.environ.get("STORM_SECONDS", "16"))
SRC = Path(os.environ["SRC"])


def remove_old(directory, root):
    """There is no collector: files of children that ended are removed here, or minutes of them fill a disk."""
    for path in Path(directory).iterdir():
        if not path.name.startswith(f"{root}-") and time.time() - path.stat().st_mtime > 5:
            path.unlink()


def storm(*command):
    """Half of the time; the number of children that were forked and ended well meanwhile."""
    directory, until = segments.new_directory(), time.monotonic() + 10 * SECONDS + 60
    run = subprocess.Popen([*command, str(int(SECONDS / 2))], stdout=subprocess.PIPE, text=True,
                           env=segments.environment(directory, LOOPMEM_SAMPLE_BYTES="1"))
    while run.poll() is None:
        if time.monotonic() > until:
            run.kill()
            raise AssertionError("it hangs")
        remove_old(directory, run.pid)
        time.sleep(0.2)
    assert run.returncode == 0, run.returncode
    return int(run.stdout.read())


@tap.claim
def unwinding_beside_dlopen_forks_and_signal_handlers_never_hangs():
    assert storm(segments.target("sitestorm"), segments.target("libtls.so")) > 5


@tap.claim
def stacks_of_python_beside_imports_forks_and_signal_handlers_never_hang():
    assert storm(sys.executable, "-W", "ignore", SRC / "tests/targets/pystorm.py") > 5


tap.run()
