"""The public API: states of pools, the edges they leave, and to whom allocations belong."""
import os
import subprocess

import segments
import tap

TRAIN, SANITY, VALIDATE = 1, 2, 3


def calls(*words, **more):
    run = segments.run([segments.target("poolcalls"), *words], **more)
    assert run.returncode == 0, run.stderr
    return max(run.segments, key=segments.born)


def edges(segment):
    return [(event[0], event[1]) for event in segment.events if event[0] not in ("exit", "fork")]


def states(segment):
    return {pool["label"]: pool["state"] for pool in segment.pools}


def no_drops(segment):
    return not any(segment.drops.values())


@tap.claim
def a_pool_is_described_as_it_was_begun():
    segment = calls(f"begin:a:{TRAIN}:-1", "worker:a:1234:0", "worker:a:1235:1")
    (pool,) = segment.pools
    assert pool == dict(id=1, row=0, state="starting", stage=TRAIN, start=1, flags=1, epoch=3,
                        workers=2, batch_size=8, prefetch=2, uses=0, expected=-1, batches=0, use=0,
                        label="a", dataset="Numbers", origin="poolcalls.c:1"), pool
    assert segment.workers == [[1, 1234, 0], [1, 1235, 1]]
    assert segment.events[:3] == [("begin", 1, 0, 0, ""), ("worker", 1, 1234, 0, ""),
                                  ("worker", 1, 1235, 1, "")]


@tap.claim
def delivering_leaves_an_edge_only_when_it_begins():
    segment = calls(f"begin:a:{TRAIN}:-1", "next:a:1", "next:a:1", "next:a:1")
    assert edges(segment) == [("begin", 1), ("deliver", 1), ("first", 1)]
    assert segment.delivering == 1 and segment.pools[0]["batches"] == 3 and no_drops(segment)


@tap.claim
def a_pool_is_parked_while_another_delivers():
    segment = calls(f"begin:a:{TRAIN}:-1", "next:a:1", f"begin:b:{VALIDATE}:-1", "next:b:1",
                    "exhausted:b", "next:a:1")
    assert edges(segment) == [("begin", 1), ("deliver", 1), ("first", 1), ("begin", 2), ("park", 1),
                              ("deliver", 2), ("first", 2), ("exhausted", 2), ("deliver", 1)]
    assert states(segment) == {"a": "delivering", "b": "exhausted"}


@tap.claim
def two_pools_asked_in_turn_do_not_park_each_other():
    in_turn = ["next:a:1", "next:b:1"] * 20
    segment = calls(f"begin:a:{TRAIN}:-1", f"begin:b:{TRAIN}:-1", *in_turn)
    assert states(segment) == {"a": "delivering", "b": "delivering"}
    assert len(edges(segment)) <= 8, edges(segment)


@tap.claim
def of_two_pools_asked_in_turn_the_one_no_longer_asked_is_parked():
    segment = calls(f"begin:a:{TRAIN}:-1", f"begin:b:{TRAIN}:-1", "next:a:1", "next:b:1", "next:a:1",
                    "next:b:1", "sleep:600", "next:a:1", "sleep:600", "next:a:1")
    assert states(segment) == {"a": "delivering", "b": "parked"}
    assert edges(segment)[-1] == ("park", 2)


@tap.claim
def a_pool_is_exhausted_by_the_last_batch_it_was_expected_to_hand_out():
    segment = calls(f"begin:a:{SANITY}:2", "next:a:1", "next:a:1")
    assert edges(segment)[-1] == ("exhausted", 1) and segment.delivering == 0
    assert [event[2] for event in segment.events if event[0] == "exhausted"] == [2]


@tap.claim
def asking_an_exhausted_pool_once_more_changes_nothing():
    segment = calls(f"begin:a:{TRAIN}:1", "next:a:1", "next:a:0", "exhausted:a")
    assert edges(segment) == [("begin", 1), ("deliver", 1), ("first", 1), ("exhausted", 1)]


@tap.claim
def a_pool_that_had_more_than_was_said_delivers_again():
    segment = calls(f"begin:a:{TRAIN}:1", "next:a:1", "next:a:1", "next:a:0")
    assert [edge[0] for edge in edges(segment)][3:] == ["exhausted", "deliver", "exhausted"]


@tap.claim
def a_limit_can_be_learnt_later():
    segment = calls(f"begin:a:{TRAIN}:-1", "next:a:1", "next:a:1", "expect:a:2")
    assert states(segment) == {"a": "exhausted"}


@tap.claim
def an_end_of_data_exhausts():
    segment = calls(f"begin:a:{TRAIN}:-1", "next:a:1", "next:a:0")
    assert states(segment) == {"a": "exhausted"}


@tap.claim
def a_reused_pool_starts_over():
    segment = calls(f"begin:a:{TRAIN}:1", "next:a:1", "reuse:a:4", "next:a:1", "end:a")
    (pool,) = segment.pools
    assert (pool["uses"], pool["epoch"], pool["batches"], pool["use"]) == (1, 4, 2, 1)
    assert [edge[0] for edge in edges(segment)] == ["begin", "deliver", "first", "exhausted", "reuse",
                                                    "deliver", "first", "exhausted", "end"]


@tap.claim
def allocations_inside_next_belong_to_the_pool_and_nexts_nest():
    segment = calls(f"begin:a:{TRAIN}:-1", f"begin:b:{TRAIN}:-1", "heap:1000", "ask:a", "heap:20000",
                    "ask:b", "heap:300000", "got:b:1", "heap:20000", "got:a:1", "heap:1000")
    bytes_of = {context: 0 for context in range(3)}
    for _, context, alloc_bytes, *_ in segment.rows:
        bytes_of[context] += alloc_bytes
    assert bytes_of[1] == 2 * 20008, bytes_of
    assert 300000 <= bytes_of[2] < 305000, bytes_of
    assert segment.alloc_bytes == sum(bytes_of.values()), "a row that counts is one that readers look at"
    # b serves a: a goes on delivering
    assert "park" not in segment.kinds() and states(segment)["a"] == "delivering"


@tap.claim
def a_pool_that_ends_inside_its_own_next_leaves_the_thread_outside():
    segment = calls(f"begin:a:{TRAIN}:-1", "ask:a", "end:a", "got:a:0", "heap:50000")
    assert all(row[2] < 50000 for row in segment.rows if row[1] == 1), segment.rows


@tap.claim
def nonsense_is_dropped_and_counted():
    segment = calls(f"begin:a:{TRAIN}:-1", "end:a", "next:a:1", "end:a", "worker:a:5:5")
    assert segment.drops[1] == 4 and edges(segment) == [("begin", 1), ("end", 1)]


@tap.claim
def no_pool_is_nothing_at_all():
    segment = calls("next:z:1", "end:z", "exhausted:z", "worker:z:1:1")
    assert no_drops(segment) and edges(segment) == []


@tap.claim
def a_child_has_no_pools_and_its_own_get_other_numbers():
    segment = calls(f"begin:a:{TRAIN}:-1", "next:a:1", "child", "next:a:1", "end:a",
                    f"begin:b:{TRAIN}:-1", "next:b:1")
    assert segment.forked == 1 and no_drops(segment)
    assert [pool["label"] for pool in segment.pools] == ["b"] and segment.pools[0]["id"] == 2
    assert edges(segment) == [("begin", 2), ("deliver", 2), ("first", 2)]


@tap.claim
def a_child_that_was_forked_inside_next_is_outside_it():
    segment = calls(f"begin:a:{TRAIN}:-1", "ask:a", "child", "heap:100000", "got:a:1")
    assert [row[1] for row in segment.rows] == [0]


@tap.claim
def phases_are_edges_with_a_name():
    name = "warmup of the whole thing and more, then some"
    segment = calls(f"phase:1:7:{name}", "leave")
    assert segment.events[:2] == [("phase", 0, 1, 7, name[:39]),
                                  ("phend", 0, 0, 0, "")]


@tap.claim
def a_full_pool_table_gives_no_pool_until_one_ends():
    run = segments.run([segments.target("full"), "pools"])
    (segment,) = run.segments
    assert run.stdout == "32 33\n" and segment.drops[0] == 1
    assert {pool["label"] for pool in segment.pools} == {"more", "after"}


@tap.claim
def rings_of_workers_and_edges_keep_the_newest():
    (segment,) = segments.run([segments.target("full"), "workers"]).segments
    assert len(segment.workers) == 512 and [1, 1599, 599] in segment.workers
    (segment,) = segments.run([segments.target("full"), "events"]).segments
    assert segment.event_seq == 10001 and len(segment.events) == 1024
    assert segment.events[-1][0] == "exit" and segment.events[-2][0] == "phend"


@tap.claim
def threads_beyond_the_table_share_a_slot_and_stay_exact():
    (segment,) = segments.run([segments.target("full"), "threads"]).segments
    assert segment.drops[5] >= 80 - 64
    assert sum(row[3] for row in segment.rows if row[0] == 64) >= 16 * 100
    busy = [row for row in segment.rows if row[0] not in (0, 64)]
    assert len(busy) == 63 and all(row[3] >= 100 for row in busy), len(busy)
    assert sum(row[3] for row in segment.rows) >= 80 * 100
    assert segment.allocs == sum(row[3] for row in segment.rows), "a row that counts is one that readers look at"


@tap.claim
def nexts_nested_deeper_than_a_thread_remembers_do_no_harm():
    run = segments.run([segments.target("full"), "nesting"])
    assert run.returncode == 0 and no_drops(run.segments[0])


@tap.claim
def without_the_shim_every_call_is_nothing():
    for name in ("poolcalls", "api_in_cxx"):
        words = ["begin:a:1:1", "next:a:1", "number:a"] if name == "poolcalls" else []
        bare = subprocess.run([segments.target(name), *words], capture_output=True, text=True)
        shim = segments.run([segments.target(name), *words])
        assert (bare.returncode, bare.stdout) == (0, "0\n"), (name, bare)
        assert (shim.returncode, shim.stdout) == (0, "1\n"), (name, shim.stdout)


tap.run()
