#!/usr/bin/env python3
"""Every finding that can be provoked by a program is found where the fault is, with what the program knows of itself, and nowhere else."""
import json
import os
import shutil
import signal
import subprocess

import tap
from profiled import BUILD, LOOPMEM, TMP, Session, path, run, target

MIB = 1 << 20
FIT = f"{BUILD}/loopmem-fit"
NEW = (FIT, "--order=new", "--epochs=2", "--train-items=256", "--val-items=128", "--item-delay=20")


def findings(*command, cwd=TMP):
    """Of a run: its findings by id, and what it printed."""
    r = run(*command, options=["-q", "-o", path("found.loopmem")], cwd=cwd)
    if r.returncode == 77:
        raise tap.Skip("the program cannot have this fault here")
    assert r.returncode == 0, r.stderr
    text = subprocess.check_output([LOOPMEM, "report", "-f", "json", path("found.loopmem")])
    return {f["id"]: f for f in json.loads(text)["findings"]}, r.stdout


def fault(name, *arguments):
    return findings(target("finding_faults"), name, *arguments)


def near(value, truth):
    assert abs(value - truth) <= 0.1 * truth, (value / MIB, truth / MIB)


def twins(name, mib):
    """The finding of the program with the fault, and what it printed; its twin without the fault has no finding at all."""
    found, printed = fault(name, str(mib))
    assert name in found, found
    clean, _ = fault(name + "-not", str(mib))
    assert not clean, clean
    return found[name]["evidence"], printed


def not_sanitized():
    with open(FIT, "rb") as f:
        if b"__asan_init" in (program := f.read()) or b"__tsan_init" in program:
            raise tap.Skip("a sanitized loopmem-fit cannot be preloaded for")


@tap.claim
def idle_pools_and_overlaps_are_found_in_the_old_order_only():
    not_sanitized()
    found, _ = findings(*NEW, "--order=old", "--cache-mib=16")
    assert {"idle-pool-retained", "pool-overlap"} <= set(found), found
    near(found["idle-pool-retained"]["evidence"]["train_bytes"], 2 * 16 * MIB)
    near(found["pool-overlap"]["evidence"]["overlap_bytes_max"], 2 * 16 * MIB)
    clean, _ = findings(*NEW, "--cache-mib=16")
    assert not clean, clean


@tap.claim
def batches_that_nobody_fetches_are_found():
    not_sanitized()
    wide = (*NEW, "--features=16384")
    found, _ = findings(*wide, "--limit-train=4", "--validate-inside")
    # prefetch x workers x items x features x 4 bytes
    near(found["parked-batches"]["evidence"]["parked_batch_bytes_max"], 2 * 2 * 32 * 16384 * 4)
    clean, _ = findings(*wide)
    assert not clean, clean


@tap.claim
def copied_pages_are_found():
    evidence, printed = twins("unshared-growth", 100)
    near(evidence["unshared_bytes_worker_max"], int(printed))


@tap.claim
def loaders_that_are_kept_are_found():
    evidence, _ = twins("pool-count-growth", 20)
    assert evidence["pools_alive"] == 5, evidence
    near(evidence["private_bytes_max"], 5 * 20 * MIB)


@tap.claim
def a_worker_without_its_owner_is_found_and_named():
    found, printed = fault("orphan-workers", "20")
    os.kill(int(printed), signal.SIGKILL)
    near(found["orphan-workers"]["evidence"]["private_bytes"], 20 * MIB)
    assert found["orphan-workers"]["advice"] == f"kill {int(printed)}", found
    clean, _ = fault("orphan-workers-not", "20")
    assert not clean, clean


@tap.claim
def what_an_allocator_keeps_is_found():
    evidence, printed = twins("allocator-retention", 200)
    near(evidence["kept_bytes"], int(printed))


@tap.claim
def a_pool_inside_a_worker_is_found():
    evidence, _ = twins("nested-pools", 20)
    assert (evidence["pools"], evidence["workers"]) == (1, 1), evidence
    near(evidence["private_bytes_max"], 20 * MIB)


@tap.claim
def locked_memory_is_found():
    evidence, printed = twins("pinned-memory", 64)
    near(evidence["locked_bytes_max"], int(printed))


@tap.claim
def a_build_has_no_findings():
    if not shutil.which("make") or not shutil.which("cc"):
        raise tap.Skip("make or cc is not installed")
    os.makedirs(path("build"), exist_ok=True)
    for i in range(8):
        with open(path(f"build/f{i}.c"), "w") as f:
            f.writelines(f"int f{i}_{k}(int x) {{ return x * {k} + {i}; }}\n" for k in range(300))
    with open(path("build/Makefile"), "w") as f:
        f.write("all: $(patsubst %.c,%.o,$(wildcard *.c))\n")
    found, _ = findings("make", "-j2", cwd=path("build"))
    assert Session(path("found.loopmem")).value("SELECT count(*) FROM process") > 8
    assert not found, found


@tap.claim
def a_plain_script_has_no_findings():
    script = """import subprocess, time
table = {str(i): [i] * 5 for i in range(300000)}
subprocess.run(["true"])
del table
time.sleep(1)
kept = bytearray(80 << 20)
time.sleep(1)"""
    found, _ = findings(os.environ["PYTHON"], "-c", script)
    assert not found, found


tap.run()
