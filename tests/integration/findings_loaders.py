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


def ends(how):
    return findings(os.environ["PYTHON"], f"{os.environ['SRC']}/tests/targets/ends.py", how)


def in_small_shm(name, command, around=()):
    """In a mount namespace with a /dev/shm of its own of 64 MiB; `around`: a command that starts the run."""
    session = path(f"{name}.loopmem")
    script = 'mount -t tmpfs -o size=64m none /dev/shm || exit 77; exec "$@"'
    try:
        r = subprocess.run(["unshare", "-Urm", "sh", "-c", script, "sh", *around, LOOPMEM, "run", "-q", "-o", session, "--",
                            *command], capture_output=True, text=True, timeout=120)
    except FileNotFoundError:
        raise tap.Skip("unshare is not installed") from None
    if r.returncode == 77 or "unshare" in r.stderr:
        raise tap.Skip("no mount namespace of our own here")
    assert r.returncode == 0, r.stderr
    return read(session)[0], r.stdout


def small_shm(name, mib):
    return in_small_shm(name, (FAULTS, name, str(mib)))


twins = Twins()
for name, mib, run in (("slow-shutdown", 20, fault), ("process-died", 20, fault), ("persistent-trade-off", 40, fault), ("stale-shm", 8, fault),
                       ("shm-pressure", 56, small_shm)):
    twins.start(name, run, (name, mib), (name + "-not", mib))
twins.start("spawn-copies", spawned, (), ("not",))
twins.start("ends", ends, ("died",), ("meant",))


@tap.claim
def workers_that_take_long_to_end_are_found():
    found, printed = twins.result("slow-shutdown")
    evidence = found["slow-shutdown"]["evidence"]
    near(evidence["shutdown_seconds_max"], float(printed))
    near(evidence["private_bytes"], 20 * MIB)
    assert evidence["pools"] == 1 and "worker 0 of train #1" in found["slow-shutdown"]["text"], found


@tap.claim
def a_worker_that_dies_is_found_and_one_that_its_owner_ends_is_not():
    found, printed = twins.result("process-died")
    f = found["process-died"]
    assert (f["evidence"]["ended_by"], f["evidence"]["pid"], f["evidence"]["processes"]) == ("SIGSEGV", int(printed), 1), f
    near(f["evidence"]["private_bytes"], 20 * MIB)
    near(f["evidence"]["pool_private_bytes"], 20 * MIB)
    assert f["severity"] == "warning" and "worker 0 of train #1" in f["text"], f


@tap.claim
def of_processes_that_a_program_starts_and_ends_in_its_ways_only_the_dead_are_found():
    found, printed = twins.result("ends", "process-died")
    f = found["process-died"]
    assert f["evidence"]["ended_by"] == "exit 4" and f"process {printed.strip()}" in f["text"], f
    assert "of Pool ends.py:" in f["text"], f


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


LEFT_BEFORE = """
import mmap, os, subprocess, sys
kind, *command = sys.argv[1:]
dead = subprocess.Popen(["true"])
dead.wait()
file = f"/dev/shm/torch_{os.getpid() if kind == 'owned' else dead.pid}_7_0"
with open(file, "w+b") as f:
    f.write(bytes(8 << 20))
    f.flush()
    held = mmap.mmap(f.fileno(), 0) if kind == "held" else None
print(file, flush=True)
sys.exit(subprocess.run(command).returncode)
"""


def before(kind):
    """A run that finds a file of 8 MiB in /dev/shm: of a dead process, of one that lives, of a dead one but mapped."""
    return in_small_shm(f"left-{kind}", ("sleep", "0.5"), (os.environ["PYTHON"], "-c", LEFT_BEFORE, kind))


@tap.claim
def what_an_earlier_run_left_in_shared_memory_is_found():
    found, printed = before("dead")
    file = printed.strip()
    near(found["stale-shm"]["evidence"]["earlier_bytes"], 8 * MIB)
    assert "stale_bytes" not in found["stale-shm"]["evidence"], found
    assert found["stale-shm"]["severity"] == "notice" and found["stale-shm"]["evidence"]["file"] == file, found
    assert found["stale-shm"]["advice"] == f"rm {file.removesuffix('7_0')}*", found


@tap.claim
def files_whose_owner_lives_or_that_somebody_maps_are_not_stale():
    assert not before("owned")[0]
    assert not before("held")[0]


@tap.claim
def a_full_dev_shm_is_found():
    found, printed = twins.result("shm-pressure")
    evidence = found["shm-pressure"]["evidence"]
    near(evidence["shm_own_bytes_max"], int(printed))
    near(evidence["shm_used_bytes_max"], int(printed))
    assert evidence["shm_size_bytes"] == 64 * MIB and evidence["bus_errors"] == 0, evidence


tap.run()
