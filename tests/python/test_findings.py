"""Findings on real loaders of torch: found where the fault is, with what the program knows of itself, and none where it is not."""
import os
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import tap

import shimmed
import reported

HERE = pathlib.Path(__file__).parent
NUMPY = """
import numpy, time
rng = numpy.random.default_rng(0)
for _ in range(12):
    a = rng.random((int(rng.integers(100, 3000)), 1000))
    b, s = a @ a[:100].T, numpy.sort(a, axis=0)
    table = {int(k): [float(k)] * 3 for k in rng.integers(0, 1 << 30, 50000)}
    time.sleep(0.1)
del a, b, s, table
time.sleep(1.5)
print(0)
"""


def read(name, *command, options=()):
    """The findings of a run by id, and the bytes that it printed."""
    session = f"{os.environ['TEST_TMP']}/{name}.loopmem"
    done = subprocess.run([reported.LOOPMEM, "run", "-q", "-o", session, *options, sys.executable, *command], text=True,
                          timeout=280, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=shimmed.environment())
    assert done.returncode == 0, done.stderr
    return {f["id"]: f for f in reported.read(session)["findings"]}, int(done.stdout)


pool = ThreadPoolExecutor(3)
runs = {name: pool.submit(read, name, str(HERE / "torch_faults.py"), name)
        for name in ("held", "held-not", "parked", "parked-not", "kept", "kept-not", "losses", "losses-not", "clean")}
runs |= {name: pool.submit(read, name, str(HERE / "torch_faults.py"), name, options=("--sample-bytes=64K",))
         for name in ("spawned", "spawned-not")}
runs |= {name: pool.submit(read, name, str(HERE / "shared_list.py"), name) for name in ("strings", "numpy", "collected", "frozen")}
runs["plain"] = pool.submit(read, "plain", "-c", NUMPY)


def near(value, truth):
    assert abs(value - truth) <= 0.1 * truth, (value, truth)


def silent(name, but=()):
    """No finding; `but`: those that only say how slow the machine was."""
    found, _ = runs[name].result()
    assert set(found) <= set(but), found


@tap.claim
def workers_of_a_loop_that_counts_its_batches_are_held_idle():
    found, size = runs["held"].result()
    near(found["idle-pool-retained"]["evidence"]["train_bytes"], size)
    silent("held-not")


@tap.claim
def batches_of_a_loop_that_leaves_early_are_parked():
    found, size = runs["parked"].result()
    near(found["parked-batches"]["evidence"]["parked_batch_bytes_max"], size)
    silent("parked-not")


@tap.claim
def a_dataset_is_pickled_into_every_spawned_worker():
    found, size = runs["spawned"].result()
    evidence = found["spawn-copies"]["evidence"]
    near(evidence["copied_bytes_worker_max"], size)
    near(evidence["copied_bytes"], 2 * size)
    assert evidence["workers"] == 2, evidence
    silent("spawned-not", ("slow-shutdown",))


def named(found, size, text):
    """The line of torch_faults.py that holds it, and how much of it."""
    line = (HERE / "torch_faults.py").read_text(encoding="utf-8").splitlines()[found["site_line"] - 1]
    assert found["site_file"].endswith("torch_faults.py") and text in line, (found, line)
    near(found["site_bytes"], size)


@tap.claim
def what_workers_keep_of_each_item_is_named_with_its_line():
    found, size = runs["kept"].result()
    near(found["worker-growth"]["evidence"]["growth_bytes"], size)
    named(found["worker-growth"], size, "numpy.full(")
    silent("kept-not")


@tap.claim
def losses_with_their_graphs_are_named_with_the_line_that_made_them():
    found, size = runs["losses"].result()
    assert found["main-growth-per-step"]["evidence"]["growth_bytes"] > 0.9 * size, found
    named(found["main-growth-per-step"], size, "loss = net(")
    silent("losses-not")


@tap.claim
def a_training_that_does_everything_right_has_no_findings():
    silent("clean", ("slow-shutdown",))


@tap.claim
def a_plain_script_with_arrays_has_no_findings():
    silent("plain")


@tap.claim
def reading_strings_copies_them_into_each_worker():
    found, size = runs["strings"].result()
    evidence = found["unshared-growth"]["evidence"]
    assert abs(evidence["unshared_bytes_worker_max"] - size) <= 0.1 * size, (evidence, size)
    # the pool's 64 items; its two workers may have been measured last at different moments
    assert abs(evidence["bytes_per_item"] * 64 - evidence["unshared_bytes_max"]) <= 64, evidence
    assert size < evidence["unshared_bytes_max"] < 2.2 * size, (evidence, size)


@tap.claim
def garbage_collection_in_workers_copies_what_was_not_frozen():
    found, size = runs["collected"].result()
    # the collector follows the libraries' objects too
    assert 0.9 * size <= found["unshared-growth"]["evidence"]["unshared_bytes_worker_max"] <= 1.8 * size, (found, size)
    assert "gc.freeze()" in found["unshared-growth"]["advice"], found
    found, _ = runs["frozen"].result()
    assert "unshared-growth" not in found, found


@tap.claim
def reading_an_array_copies_nothing():
    found, _ = runs["numpy"].result()
    assert "unshared-growth" not in found, found
    assert all(f["severity"] == "notice" for f in found.values()), found


tap.run()
