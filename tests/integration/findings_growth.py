#!/usr/bin/env python3
"""What grows step by step is found, with what the program knows of itself, and its twin that drops what it makes has no finding. The programs
mostly wait: they run side by side."""
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

import cgroups
import tap
from found import MIB, read
from profiled import LOOPMEM, TMP, path, run, target

SOURCE = os.path.join(os.environ["SRC"], "tests/targets/growth_faults.c")
SIZES = {"grow-until-end": 480, "grow-until-full": 360, "grow-when-reused": 120, "main-growth": 128, "main-growth-freed": 256,
         "fd-growth": 1, "file-cache": 256, "rss-overcount": 300, "grow-slowly": 48}
# what has no fault, and as much memory as a small run is told of
INNOCENT = {"fill-cache": 48, "warm-up": 48, "saw-tooth": 192, "copy-on-write": 48, "short-pool": 320}


def diagnose(name, mib, label=None):
    """Findings of a run by id, and the numbers that the program printed; None when it cannot have the fault here."""
    session = path(f"{label or name}.loopmem")
    # a twin keeps nothing, however much it makes: it makes less, since pages cost more than the wait
    mib //= 4 if name.endswith("-not") else 1
    r = run(target("growth_faults"), name, str(max(mib, 1)), options=["-q", "-o", session])
    return result(r, session)


def result(r, session):
    if r.returncode == 77:
        return None
    assert r.returncode == 0, r.stderr
    return read(session)[0], [int(word) for word in r.stdout.split()]


def write_in_a_cgroup(name):
    """The same in a cgroup of its own, to which page cache is charged, or the reason why not."""
    session = path(f"{name}.loopmem")
    try:
        r = cgroups.run(LOOPMEM, "run", "-q", "-o", session, "--", target("growth_faults"), name, "256")
    except tap.Skip as why:
        return why
    return result(r, session)


pool = ThreadPoolExecutor(2 * len(SIZES) + len(INNOCENT) + 3)
runs = {fault + twin: pool.submit(diagnose, fault + twin, mib) for fault, mib in SIZES.items() for twin in ("", "-not")}
runs |= {name: pool.submit(diagnose, name, mib) for name, mib in INNOCENT.items()}
runs["main-growth-slowly"] = pool.submit(diagnose, "main-growth", 40, "main-growth-slowly")
runs |= {name: pool.submit(write_in_a_cgroup, name) for name in ("file-written", "file-written-not")}


def twins(name, finding):
    """The finding of the program with the fault and what it printed; the twin has none."""
    both = runs[name].result(), runs[name + "-not"].result()
    for skip in both:
        if isinstance(skip, tap.Skip):
            raise skip
    if None in both:
        raise tap.Skip("the program cannot have this fault here")
    (found, printed), (clean, _) = both
    assert list(found) == [finding], found
    assert not clean, clean
    return found[finding], printed


def near(value, truth):
    assert abs(value - truth) <= 0.1 * truth, (value, truth)


def named(found, size, session):
    """The line that keeps it, in the document and in the words of the report."""
    with open(SOURCE, encoding="utf-8") as f:
        line = f.read().splitlines()[found["site_line"] - 1]
    assert found["site_file"].endswith("growth_faults.c") and "malloc(" in line, found
    near(found["site_bytes"], size)
    text = " ".join(subprocess.check_output([LOOPMEM, "report", path(session)], text=True).split())
    assert f"Most of it was allocated at growth_faults.c:{found['site_line']} {found['site_function']}." in text, text


@tap.claim
def what_workers_keep_until_their_pool_ends_is_found():
    found, (size,) = twins("grow-until-end", "worker-growth")
    near(found["evidence"]["growth_bytes"], size)
    near(found["evidence"]["growth_bytes_worker"], size / 2)
    named(found, size, "grow-until-end.loopmem")
    near(found["evidence"]["bytes_per_item"], size / 60 / 4)
    assert found["evidence"]["class"] == "freed with the pool", found
    assert found["severity"] == "notice", found


@tap.claim
def a_cache_that_levels_off_is_told_from_a_leak():
    found, (size,) = twins("grow-until-full", "worker-growth")
    near(found["evidence"]["growth_bytes"], size)
    assert found["evidence"]["class"] == "levels off", found
    assert found["severity"] == "notice", found


@tap.claim
def what_goes_on_when_workers_are_used_again_is_a_warning():
    found, (size,) = twins("grow-when-reused", "worker-growth")
    near(found["evidence"]["growth_bytes"], size)
    assert found["evidence"]["class"] == "goes on when re-used", found
    assert found["severity"] == "warning", found


@tap.claim
def little_growth_of_workers_that_goes_straight_on_is_a_notice():
    found, (size,) = twins("grow-slowly", "worker-growth")
    near(found["evidence"]["growth_bytes"], size)
    assert found["evidence"]["class"] == "goes on with each item", found
    assert found["severity"] == "notice", found
    named(found, size, "grow-slowly.loopmem")
    text = subprocess.check_output([LOOPMEM, "report", path("grow-slowly.loopmem")], text=True)
    assert "nothing urgent; 1 notice: worker-growth" in text, text


@tap.claim
def caches_starts_and_what_comes_and_goes_are_no_growth_of_workers():
    for name in INNOCENT:
        found, _ = runs[name].result()
        # pages that are copied have a finding of their own
        assert set(found) <= ({"unshared-growth"} if name == "copy-on-write" else set()), (name, found)


@tap.claim
def little_growth_of_a_trainer_is_a_notice():
    found, (size, _) = runs["main-growth-slowly"].result()
    near(found["main-growth-per-step"]["evidence"]["growth_bytes"], size)
    assert [f["severity"] for f in found.values()] == ["notice"], found


@tap.claim
def a_trainer_that_keeps_something_of_every_step_is_found():
    found, (size, step) = twins("main-growth", "main-growth-per-step")
    near(found["evidence"]["growth_bytes"], size)
    near(found["evidence"]["bytes_per_step"], step)
    assert "not freed" in found["text"], found
    named(found, size, "main-growth.loopmem")


@tap.claim
def outputs_that_are_kept_until_the_end_of_a_phase_are_found():
    found, (size, step) = twins("main-growth-freed", "main-growth-per-step")
    near(found["evidence"]["growth_bytes"], size)
    near(found["evidence"]["bytes_per_step"], step)
    assert "freed when the phase ends" in found["text"], found
    named(found, size, "main-growth-freed.loopmem")


@tap.claim
def descriptors_that_are_kept_are_found():
    found, (fds,) = twins("fd-growth", "fd-growth")
    near(found["evidence"]["fds_max"], fds)
    assert found["bytes"] == 0, found
    text = subprocess.check_output([LOOPMEM, "report", path("fd-growth.loopmem")], text=True)
    assert "opens descriptors and keeps them" in " ".join(text.split()), text


@tap.claim
def a_mapped_file_is_no_leak():
    found, (size,) = twins("file-cache", "file-cache-not-leak")
    near(found["evidence"]["file_growth_bytes"], size)
    near(found["evidence"]["mapped_file_bytes"], size)


@tap.claim
def page_cache_that_is_charged_to_the_job_is_no_leak():
    if subprocess.run(["stat", "-f", "-c", "%T", TMP], capture_output=True, text=True).stdout.strip() == "tmpfs":
        raise tap.Skip("files in memory are no page cache")
    found, (size,) = twins("file-written", "file-cache-not-leak")
    near(found["evidence"]["file_growth_bytes"], size)
    near(found["evidence"]["page_cache_bytes"], size)
    assert found["evidence"]["mapped_file_bytes"] < 16 * MIB, found
    assert found["evidence"]["anonymous_growth_bytes"] < 8 * MIB, found


@tap.claim
def shared_pages_that_rss_counts_again_are_told():
    found, (size,) = twins("rss-overcount", "rss-overcount")
    near(found["evidence"]["rss_sum_bytes"], size)
    near(found["evidence"]["total_bytes"], size / 5)


tap.run()
