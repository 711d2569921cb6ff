#!/usr/bin/env python3
"""Findings on how loaders start, stay and end: found in the program with the fault, with what it knows of itself; its twin has none."""
import os
import subprocess

import tap
from found import MIB, Twins, findings, near, read
from profiled import LOOPMEM, path, target

FAULTS = target("loader_faults")
SPAWNED = (os.environ["PYTHON"], f"{os.environ['SRC']}/tests/targets/spawned.py", "60")


def fault(name, mib):
    return findings(FAULTS, name, str(mib))


def spawned(*more):
    return findings(*SPAWNED, *more, options=["--sample-bytes=8192"])  # an estimate to 1 %


def small_shm(name, mib):
    """In a mount namespace with a /dev/shm of its own of 64 MiB."""
    session = path(f"{name}.loopmem")
    script = 'mount -t tmpfs -o size=64m none /dev/shm || exit 77; exec "$@"'
    try:
        r = subprocess.run(["unshare", "-Urm", "sh", "-c", script, "sh", LOOPMEM, "run", "-q", "-o", session, "--",
                            FAULTS, name, str(mib)], capture_output=True, text=True, timeout=120)
    except FileNotFoundError:
        raise tap.Skip("unshare is not installed") from None
    if r.returncode == 77 or "unshare" in r.stderr:
        raise tap.Skip("no mount namespace of our own here")
    assert r.returncode == 0, r.stderr
    return read(session)[0], r.stdout


twins = Twins()
for name, mib, run in (("slow-shutdown", 20, fault), ("persistent-trade-off", 40, fault), ("stale-shm", 8, fault),
                       ("shm-pressure", 56, small_shm)):
    twins.start(name, run, (name, mib), (name + "-not", mib))
twins.start("spawn-copies", spawned, (), ("not",))


@tap.claim
def workers_that_take_long_to_end_are_found():
    found, printed = twins.result("slow-shutdown")
    evidence = found["slow-shutdown"]["evidence"]
    near(evidence["shutdown_seconds_max"], float(printed))
    near(evidence["private_bytes"], 20 * MIB)
    assert evidence["pools"] == 1 and "worker 0 of train #1" in found["slow-shutdown"]["text"], found


@tap.claim
def both_sides_of_persistent_workers_are_told():
    found, printed = twins.result("persistent-trade-off")
    evidence = found["persistent-trade-off"]["evidence"]
    near(evidence["held_bytes_max"], int(printed))
    assert evidence["restarts_saved"] == 1, evidence
    # the program waits 0.3 s for its first batch
    assert 0.3 <= evidence["restart_seconds_saved"] < 1.5, evidence
    assert 2.5 < evidence["held_seconds"] < 15, evidence
    assert set(found) <= {"persistent-trade-off", "idle-pool-retained"}, found


@tap.claim
def what_is_pickled_into_spawned_workers_is_found():
    found, printed = twins.result("spawn-copies")
    evidence = found["spawn-copies"]["evidence"]
    near(evidence["copied_bytes_worker_max"], int(printed))
    near(evidence["copied_bytes"], 2 * int(printed))
    assert evidence["workers"] == 2 and "Listed" in found["spawn-copies"]["text"], found


@tap.claim
def what_a_dead_process_left_in_shared_memory_is_found():
    found, printed = twins.result("stale-shm")
    file = f"/dev/shm/torch_{int(printed)}_1234_0"
    os.unlink(file)
    near(found["stale-shm"]["evidence"]["stale_bytes"], 8 * MIB)
    assert found["stale-shm"]["evidence"]["file"] == file, found


@tap.claim
def a_full_dev_shm_is_found():
    found, printed = twins.result("shm-pressure")
    evidence = found["shm-pressure"]["evidence"]
    near(evidence["shm_own_bytes_max"], int(printed))
    near(evidence["shm_used_bytes_max"], int(printed))
    assert evidence["shm_size_bytes"] == 64 * MIB and evidence["bus_errors"] == 0, evidence


tap.run()
