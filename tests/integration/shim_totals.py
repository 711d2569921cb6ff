"""What the shim counts is exact to the byte, in every kind of process and under other allocators."""
import glob
import os
import re
import subprocess
import time

import segments
import tap

ROUNDS = "3000"
NAMES = ["alloc_bytes", "allocs", "free_bytes", "frees", "inherited_bytes", "inherited"]


def library(name):
    found = sorted(glob.glob(f"/usr/lib/*/{name}"))
    if not found:
        raise tap.Skip(f"no {name} here")
    return found[0]


def heapwork(rounds, *more, **options):
    """{process name: (ledger, counts of its segment)}"""
    run = segments.run([segments.target("heapwork"), rounds, *more], **options)
    assert run.returncode == 0, run.stderr
    found = {}
    for line in run.stdout.splitlines():
        name, pid, *ledger = line.split()
        segment = run.of(int(pid))
        found[name] = ([int(word) for word in ledger], segment.counts() if segment else [0] * 6)
        if segment:
            assert not any(segment.drops.values()), (name, segment.drops)
    return found, run


def compare(*more, **options):
    idle, _ = heapwork("0", *more, **options)
    busy, run = heapwork(ROUNDS, *more, **options)
    assert len(busy) == 7, busy
    for name, (ledger, counts) in busy.items():
        counted = [after - before for after, before in zip(counts, idle[name][1])]
        assert counted == ledger, f"{name}: counted {dict(zip(NAMES, counted))}, did {ledger}"
    return run


@tap.claim
def every_entry_point_is_counted_exactly_in_threads_children_and_grandchildren():
    run = compare()
    assert {segment.allocator for segment in run.segments} == {"glibc"}


@tap.claim
def counting_is_exact_when_every_allocation_takes_the_slow_path():
    compare(LOOPMEM_SAMPLE_BYTES="1")


@tap.claim
def counting_is_exact_under_jemalloc():
    run = compare("no-pvalloc", preload=[library("libjemalloc.so.2")])
    assert {segment.allocator for segment in run.segments} == {"libjemalloc.so.2"}
    assert all(s.regions["anon"]["maps"] == 0 for s in run.segments), "its arenas are heap"


@tap.claim
def counting_is_exact_under_tcmalloc():
    run = compare("no-pvalloc", preload=[library("libtcmalloc_minimal.so.4")])
    assert re.match("libtcmalloc", run.segments[0].allocator)


@tap.claim
def an_allocator_that_comes_before_the_shim_is_named_as_not_seen():
    directory = segments.new_directory()
    environment = segments.environment(directory)
    environment["LD_PRELOAD"] = f"{library('libjemalloc.so.2')}:{segments.SHIM}"
    done = subprocess.run([segments.target("heapwork"), "200", "no-pvalloc"], env=environment,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for segment in segments.read(directory):
        assert segment.allocator == "libjemalloc.so.2 (not seen)", segment.allocator
        assert segment.allocs == 0 and not any(segment.drops.values())


@tap.claim
def a_program_that_gives_malloc_an_address_of_its_own_is_counted():
    # Not position independent: the address of malloc is an entry in the program, for all libraries.
    program = os.path.join(segments.TMP, "fixed")
    source = """#include <stdlib.h>
        void *(*volatile allocate)(size_t) = malloc;
        int main(void) { for (int i = 0; i < 1000; i++) allocate(1000); return 0; }"""
    build = [os.environ.get("CC", "gcc"), "-fno-pie", "-no-pie", "-o", program, "-xc", "-"]
    subprocess.run(build, input=source, text=True, check=True)
    (segment,) = segments.run([program]).segments
    assert segment.allocator == "glibc" and segment.allocs >= 1000, segment.allocs


def planned(rounds, delay_s):
    """heapwork under a plan whose directory is made after a while: {name: (ledger, counts)}"""
    plan = os.path.join(segments.new_directory(), "plan")
    environment = segments.environment(None, LOOPMEM_PLAN=plan)
    del environment["LOOPMEM_COLLECT"]
    with subprocess.Popen([segments.target("heapwork"), rounds], env=environment,
                          stdout=subprocess.PIPE, text=True) as process:
        time.sleep(delay_s)
        os.mkdir(plan, 0o700)
        lines = process.stdout.read().splitlines()
    found = {segment.pid: segment.counts() for segment in segments.read(plan)}
    return {name: ([int(word) for word in ledger], found.get(int(pid)))
            for name, pid, *ledger in map(str.split, lines)}


@tap.claim
def counts_follow_into_a_directory_that_is_made_while_threads_count():
    idle = heapwork("0")[0]
    late = 0
    for delay_s in (0.03, 0.08, 0.15):
        for name, (ledger, counts) in planned("4000", delay_s).items():
            if counts is None:
                late += name == "main"
                continue
            counted = [after - before for after, before in zip(counts, idle[name][1])]
            assert counted == ledger, f"{name} after {delay_s} s: {counted}, did {ledger}"
    assert late < 3, "the directory was always made too late"


@tap.claim
def without_a_directory_nothing_is_written_and_the_program_runs():
    run = segments.run([segments.target("heapwork"), "100"], directory="/nonexistent/for/loopmem")
    assert run.returncode == 0 and len(run.stdout.splitlines()) == 7


tap.run()
