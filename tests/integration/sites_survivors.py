"""Survivors: what was allocated in a phase of one stage and is alive in one of another, to the byte where all is followed."""
import re
import sqlite3

import profiled
import tap

FILE = profiled.path("survivors.loopmem")
KEPT, DROPPED, LATER = 1000 * 20008, 1000 * 10008, 500 * 8008  # malloc_usable_size of what poolcalls asks for
done = profiled.run(profiled.target("poolcalls"), "keep:o:100:50000",
                    "begin:t:1:-1", "next:t:1", "keep:k:1000:20000", "keep:d:1000:10000",
                    "begin:v:3:-1", "next:v:1", "keep:v:500:8000", "drop:d", "sleep:1000",
                    options=("-q", "-o", FILE, "--sample-bytes", "1"))
assert done.returncode == 0, done.stderr
session = sqlite3.connect(f"file:{FILE}?mode=ro", uri=True)


def amounts(stage, column):
    """Of the larger sites, at the last reading: at the end of the program, whatever else the collector had time for."""
    return sorted(value for value, _ in session.execute(
        f"SELECT {column}, max(t_ns) FROM site_sample JOIN site ON site.id = site "
        f"WHERE stage IS ? AND alloc_bytes > 1000000 GROUP BY site", (stage,)))


@tap.claim
def a_site_belongs_to_the_stage_in_which_it_allocated():
    assert amounts("validate", "live_bytes") == [LATER]
    assert amounts(None, "live_bytes") == [100 * 50008]
    assert sum(amounts("train", "alloc_bytes")) == KEPT + DROPPED


@tap.claim
def what_was_freed_since_is_no_survivor():
    assert sum(amounts("train", "live_bytes")) == KEPT


@tap.claim
def what_was_live_at_the_edge_is_told_whenever_it_is_read():
    assert sum(amounts("train", "edge_live_bytes")) == KEPT + DROPPED
    assert amounts("validate", "edge_live_bytes") == [0]


def sites(*options):
    return profiled.subprocess.run([profiled.LOOPMEM, "sites", *options, FILE], capture_output=True, text=True)


@tap.claim
def the_list_of_survivors_names_the_phase_they_are_alive_in():
    shown = sites("--survivors", "train")
    assert shown.returncode == 0, shown.stderr
    title = shown.stdout.splitlines()[0]
    assert re.match(r"Sites, allocated in train, live in validate e3, .*: (19|29) MiB, every allocation$", title), title  # at once, the rest is not dropped yet


@tap.claim
def where_no_other_stage_follows_there_is_nothing_to_survive():
    shown = sites("--survivors", "test")
    assert shown.returncode == 2 and "no phase of another stage comes after test" in shown.stderr, shown.stderr
    refused = sites("--survivors", "lunch")
    assert refused.returncode == 2 and "--survivors lunch: not one of other, train" in refused.stderr
    assert sites("--survivors", "train", "--diff", FILE).returncode == 2


tap.run()
