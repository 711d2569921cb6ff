#!/usr/bin/env python3
"""Every finding that can be provoked by a program is found where the fault is, with what the program knows of itself, and nowhere else."""
import ctypes.util
import os
import shutil
import signal

import tap
from found import MIB, Twins, findings, near, read
from profiled import BUILD, Session, path, run, target

FIT = f"{BUILD}/loopmem-fit"
NEW = (FIT, "--order=new", "--epochs=2", "--train-items=256", "--val-items=128", "--item-delay=20")


def fault(name, mib, *options):
    return findings(target("finding_faults"), name, str(mib), options=options)


# programs that mostly wait
waiting = Twins()
for name, mib in (("unshared-growth", 100), ("pool-count-growth", 20), ("allocator-retention", 200), ("nested-pools", 20),
                  ("pinned-memory", 64)):
    waiting.start(name, fault, (name, mib), (name + "-not", mib))
waiting.start("measured", fault, ("allocator-retention", 200, "--trim-test"), ("allocator-retention-not", 200, "--trim-test"))


def twins(finding, started=None):
    """The evidence of the program with the fault, and what it printed; its twin has no finding."""
    found, printed = waiting.result(started or finding, finding)
    return found[finding]["evidence"], printed


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
    evidence, printed = twins("unshared-growth")
    near(evidence["unshared_bytes_worker_max"], int(printed))


@tap.claim
def loaders_that_are_kept_are_found():
    evidence, _ = twins("pool-count-growth")
    assert evidence["pools_alive"] == 5, evidence
    near(evidence["private_bytes_max"], 5 * 20 * MIB)


@tap.claim
def a_worker_without_its_owner_is_found_and_named():
    found, printed = fault("orphan-workers", 20)
    os.kill(int(printed), signal.SIGKILL)
    near(found["orphan-workers"]["evidence"]["private_bytes"], 20 * MIB)
    assert found["orphan-workers"]["advice"] == f"kill {int(printed)}", found
    clean, _ = fault("orphan-workers-not", 20)
    assert not clean, clean


@tap.claim
def what_an_allocator_keeps_is_found():
    evidence, printed = twins("allocator-retention")
    near(evidence["kept_bytes"], int(printed))
    assert evidence["seconds"] >= 1, evidence


@tap.claim
def what_an_allocator_keeps_is_measured_by_trimming():
    evidence, printed = twins("allocator-retention", "measured")
    near(evidence["kept_bytes"], int(printed))
    assert evidence["trim_tests"] == 1 and "seconds" not in evidence, evidence


@tap.claim
def trimming_harms_no_program_of_threads_and_forks():
    session = path("trims.loopmem")
    r = run(target("trims"), options=["-q", "-o", session, "--trim-test"])
    assert (r.returncode, r.stdout) == (0, "right\n"), r
    trims = Session(session).rows("SELECT process, value, value2 FROM event WHERE kind = 'trim'")
    assert len({process for process, _, _ in trims}) == 2, trims
    assert all(before - after > 64 * MIB for _, before, after in trims), trims


@tap.claim
def another_allocator_is_not_asked_to_trim():
    library = ctypes.util.find_library("jemalloc")
    if not library:
        raise tap.Skip("libjemalloc is not installed")
    r = run("true", options=["-o", path("refused.loopmem"), "--trim-test"], env={**os.environ, "LD_PRELOAD": library})
    assert r.returncode == 0, r
    assert f"loopmem: --trim-test: not tested: its allocator is {library}" in r.stderr, r.stderr


@tap.claim
def a_pool_inside_a_worker_is_found():
    evidence, _ = twins("nested-pools")
    assert (evidence["pools"], evidence["workers"]) == (1, 1), evidence
    near(evidence["private_bytes_max"], 20 * MIB)


@tap.claim
def locked_memory_is_found():
    evidence, printed = twins("pinned-memory")
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
    session = path("make.loopmem")
    r = run("make", "-j2", options=["-q", "-o", session], cwd=path("build"))
    assert r.returncode == 0, r.stderr
    assert Session(session).value("SELECT count(*) FROM process") > 8
    assert not read(session)[0], read(session)[0]


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
