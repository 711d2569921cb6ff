"""The table of where CPython keeps its frames, against the internal headers of every CPython that has them here."""
import os
import subprocess
from pathlib import Path

import pythons
import tap

SRC, TMP = Path(os.environ["SRC"]), Path(os.environ["TEST_TMP"])


def include_of(python):
    where = subprocess.run([python, "-c", "import sysconfig; print(sysconfig.get_path('include'))"],
                           capture_output=True, text=True, check=True).stdout.strip()
    return where if (Path(where) / "internal").is_dir() else None


def claim_for(minor, python):
    def check():
        include = include_of(python)
        if not include:
            raise tap.Skip("no internal headers of this version here")
        program = TMP / f"offsets{minor}"
        subprocess.run(["gcc", "-std=gnu11", "-I", SRC, "-I", include,
                        SRC / "tests/integration/python_offsets.c", "-o", program], check=True)
        done = subprocess.run([program], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout
    check.__name__ = f"the row of 3.{minor} is what its headers say"
    tap.claim(check)


for (_, version), path in pythons.supported().items():
    claim_for(version, path)
tap.run()
