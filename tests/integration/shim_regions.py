"""Mappings are followed by kind, through every way of making, moving and dropping them."""
import os
import subprocess
import sys

import segments
import tap

MIB = 1 << 20


def figures(region):
    return [region[key] // MIB for key in ("map_bytes", "unmap_bytes", "discard_bytes")]


@tap.claim
def mappings_are_counted_by_kind():
    # A file of a disk: those of a tmpfs are shared memory.
    kind = subprocess.run(["stat", "-f", "-c", "%T", segments.BUILD], capture_output=True, text=True)
    if kind.stdout.strip() == "tmpfs":
        raise tap.Skip("the build directory is on a tmpfs")
    path = os.path.join(segments.BUILD, f"mapped-{os.getpid()}")
    run = segments.run([segments.target("mappings"), path])
    os.unlink(path)
    assert run.returncode == 0, run.stderr
    (segment,) = run.segments
    regions = segment.regions
    # mapped 8 + 4 + 6; unmapped 1 + 1 + 2, 3 by the move, 2 by being replaced
    assert figures(regions["anon"]) == [18, 9, 3], regions
    assert (regions["anon"]["maps"], regions["anon"]["unmaps"]) == (3, 5), regions
    assert figures(regions["shared"]) == [2 + 5 + 3, 0, 0], regions
    assert figures(regions["file"]) == [2, 0, 0], regions
    assert segment.shm_sized_bytes == (5 + 3 + 1) * MIB, segment.shm_sized_bytes
    assert not any(segment.drops.values())


@tap.claim
def the_file_system_of_shared_objects_is_asked_once():
    # As a loader does that hands over its batches in objects of their own.
    script = """
from multiprocessing import shared_memory
for _ in range(50):
    batch = shared_memory.SharedMemory(create=True, size=1 << 20)
    batch.close()
    batch.unlink()
"""
    run = segments.run([sys.executable, "-c", script], preload=[segments.target("libfilesystems.so")])
    own = max(run.segments, key=lambda segment: segment.shm_sized_bytes)  # beside it Python's tracker of resources
    assert own.shm_sized_bytes == 50 * MIB, own.shm_sized_bytes
    asked = [int(line.split()[1]) for line in run.stdout.splitlines()]
    assert 1 <= max(asked) <= 2, run.stdout


@tap.claim
def a_full_table_of_regions_drops_and_what_it_knows_stays_true():
    run = segments.run([segments.target("full"), "regions"])
    (segment,) = run.segments
    assert run.returncode == 0
    assert segment.drops[2] > 3000, segment.drops
    for kind in ("anon", "shared"):
        region = segment.regions[kind]
        assert region["maps"] > 8000 and region["map_bytes"] == region["unmap_bytes"], region


tap.run()
