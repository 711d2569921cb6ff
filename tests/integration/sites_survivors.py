"""Survivors: what was allocated in a phase of one stage and is alive in one of another, to the byte where all is followed."""
import re
import sqlite3

import profiled
import tap

FILE = profiled.path("survivors.loopmem")
KEPT, DROPPED, LATER = 1000 * 20008, 1000 * 10008, 500 * 8008  # malloc_usable_size of what poolcalls asks for
done = profiled.run(profiled.target("poolcalls"), "keep:o:100:50000",
                    "begin:t:1:-1", "next:t:1", "keep:k:1000:20000", "keep:d:1000:10000",
                    "begin:v:3:-1", "next:v:1", "keep:v:500:8000", "drop:d", "sleep:1500", "next:t:1", "sleep:700",
                    options=("-q", "-o", FILE, "--sample-bytes", "1"))
assert done.returncode == 0, done.stderr
session = sqlite3.connect(f"file:{FILE}?mode=ro", uri=True)


def edge(stage):
    """When the pool of a stage was asked first, and when another was asked again."""
    return [t for t, in session.execute("SELECT e.t_ns FROM event e JOIN pool p ON p.id = e.pool "
                                        "WHERE e.kind = 'pool-deliver' AND p.stage = ? ORDER BY e.t_ns", (stage,))]


def amounts(stage, column, until_ns):
    return sorted(value for value, _ in session.execute(
        f"SELECT {column}, max(t_ns) FROM site_sample JOIN site ON site.id = site "
        f"WHERE stage IS ? AND t_ns < ? AND alloc_bytes > 1000000 GROUP BY site", (stage, until_ns)))


@tap.claim
def a_site_belongs_to_the_stage_in_which_it_allocated():
    end = edge("train")[1]
    assert amounts("validate", "live_bytes", end) == [LATER]
    assert amounts(None, "live_bytes", end) == [100 * 50008]
    assert sum(amounts("train", "alloc_bytes", end)) == KEPT + DROPPED


@tap.claim
def what_was_freed_since_is_no_survivor():
    assert sum(amounts("train", "live_bytes", edge("train")[1])) == KEPT


@tap.claim
def what_was_live_at_the_edge_is_told_whenever_it_is_read():
    assert sum(amounts("train", "edge_live_bytes", edge("train")[1])) == KEPT + DROPPED
    assert amounts("validate", "edge_live_bytes", edge("train")[1]) == [0]


def sites(*options):
    return profiled.subprocess.run([profiled.LOOPMEM, "sites", *options, FILE], capture_output=True, text=True)


@tap.claim
def the_list_of_survivors_names_the_phase_they_are_alive_in():
    shown = sites("--survivors", "train")
    assert shown.returncode == 0, shown.stderr
    title = shown.stdout.splitlines()[0]
    assert re.match(r"Sites, allocated in train, live in validate e3, .*: 19 MiB, every allocation$", title), title


@tap.claim
def where_no_other_stage_follows_there_is_nothing_to_survive():
    shown = sites("--survivors", "test")
    assert shown.returncode == 2 and "no phase of another stage comes after test" in shown.stderr, shown.stderr
    assert sites("--survivors", "lunch").returncode == 2
    assert sites("--survivors", "train", "--diff", FILE).returncode == 2


tap.run()
