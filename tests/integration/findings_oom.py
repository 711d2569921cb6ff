#!/usr/bin/env python3
"""oom-victim: under a real limit, and by the files of a cgroup and a real SIGKILL: who was killed, how large, what was idle then."""
import os
import signal
import subprocess
import time

import cgroups
import tap
from found import MIB, near, read
from profiled import LOOPMEM, TMP, path, target, until

LIMIT = 120 * MIB
# a train worker of 30 MiB, then one of validation that grows to 90
OOM = (target("loader_faults"), "oom-victim", "30")


def under_limit(name):
    """The program in a cgroup of its own: findings, report, what it printed, what loopmem said."""
    directory = cgroups.own_cgroup(LIMIT)
    session = path(f"{name}.loopmem")
    script = f'echo $$ > {directory}/cgroup.procs; exec "$@"'
    try:
        r = subprocess.run(["sh", "-c", script, "sh", LOOPMEM, "run", "-o", session, "--", OOM[0], name, OOM[2]],
                           capture_output=True, text=True, timeout=60, cwd=TMP)
        assert r.returncode == 0, r
        return *read(session), r.stdout, r.stderr
    finally:
        until(lambda: not os.system(f"rmdir {directory} 2>/dev/null"), "the cgroup to be empty")


def check(found, printed):
    """What is said in both cases."""
    f = found["oom-victim"]
    assert f["severity"] == "error" and f["pools"] == [1], f
    assert f"worker 0 of validate #2 e0, process {int(printed)}" in f["text"], f
    assert "Idle then: train #1 e0; ending it would have made room" in f["text"], f
    near(f["evidence"]["idle_retained_bytes"], 30 * MIB)
    return f["evidence"]


@tap.claim
def the_victim_of_a_real_limit_is_named_with_what_was_idle():
    found, report, printed, said = under_limit("oom-victim")
    evidence = check(found, printed)
    # it was killed when all of the limit was used: by the owner, the idle worker, and it
    assert 60 * MIB < evidence["victim_bytes"] < 95 * MIB, evidence
    assert 95 * MIB < evidence["job_bytes"] <= LIMIT, evidence
    assert "oom-victim" in said, said
    assert found["limit-mismatch"]["evidence"]["limit_bytes"] == LIMIT, found
    assert report["totals"]["limit_source"] == "cgroup", report["totals"]


@tap.claim
def the_same_program_that_ends_its_idle_workers_is_not_killed():
    found, report, _, _ = under_limit("oom-victim-not")
    assert "oom-victim" not in found, found
    assert report["totals"]["peak_pss_bytes"] > 85 * MIB, report["totals"]
    # 90 of 120 MiB is near, not within 5 %
    assert not found, found


@tap.claim
def a_kill_is_known_from_the_files_of_the_cgroup():
    files = cgroups.Files(path("cgroup"), 4096 * MIB)
    session = path("files.loopmem")
    with subprocess.Popen(files.around(LOOPMEM, "run", "-q", "-o", session, "--", *OOM), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as p:
        printed = p.stdout.readline()
        if not printed:
            raise tap.Skip(f"no mount namespace of our own here: {p.stderr.read().strip()}")
        full = 90 * MIB
        until(lambda: rss_of(int(printed)) >= full, "the worker to have grown")
        time.sleep(0.5)
        os.kill(int(printed), signal.SIGKILL)
        files.kills(1)
        p.communicate(timeout=60)
    evidence = check(read(session)[0], printed)
    near(evidence["victim_bytes"], full)


def rss_of(pid):
    with open(f"/proc/{pid}/statm") as f:
        return int(f.read().split()[1]) * 4096


tap.run()
