"""Findings on a real loader: found where the fault is, and none where it is not."""
import os
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import tap

import profiled
import reported

SCRIPT = str(pathlib.Path(__file__).with_name("shared_list.py"))


def read(kind):
    """The findings of a run by id, and the bytes that it printed."""
    session = f"{os.environ['TEST_TMP']}/{kind}.loopmem"
    done = subprocess.run([reported.LOOPMEM, "run", "-q", "-o", session, sys.executable, SCRIPT, kind], text=True, timeout=280,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=profiled.environment())
    assert done.returncode == 0, done.stderr
    return {f["id"]: f for f in reported.read(session)["findings"]}, int(done.stdout)


runs = dict(zip(("strings", "numpy"), ThreadPoolExecutor(2).map(read, ("strings", "numpy"))))


@tap.claim
def reading_strings_copies_them_into_each_worker():
    found, size = runs["strings"]
    evidence = found["unshared-growth"]["evidence"]
    assert abs(evidence["unshared_bytes_worker_max"] - size) <= 0.1 * size, (evidence, size)
    # the pool's 64 items; its two workers may have been measured last at different moments
    assert abs(evidence["bytes_per_item"] * 64 - evidence["unshared_bytes_max"]) <= 64, evidence
    assert size < evidence["unshared_bytes_max"] < 2.2 * size, (evidence, size)


@tap.claim
def reading_an_array_copies_nothing():
    found, _ = runs["numpy"]
    assert "unshared-growth" not in found, found
    assert all(f["severity"] == "notice" for f in found.values()), found


tap.run()
