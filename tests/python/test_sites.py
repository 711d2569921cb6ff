"""A real torch worker with three caches of 60 MB, in a run at the default sampling: each is named with its line, and its size is right."""
import os
import re
import sqlite3
import subprocess
import sys

import tap

BUILD, SRC, TMP = os.environ["LOOPMEM_BUILD"], os.environ["SRC"], os.environ["TEST_TMP"]
SESSION = f"{TMP}/run.loopmem"
CACHE = 60_000_000


def loopmem(*arguments):
    return subprocess.run([f"{BUILD}/loopmem", *arguments], capture_output=True, text=True, check=True, timeout=120).stdout


output = loopmem("run", "-q", "-o", SESSION, "--", sys.executable, f"{SRC}/tests/python/caches.py")
OBJECTS, ARRAY, TENSORS = map(int, re.search(r"lines (\d+) (\d+) (\d+)", output).groups())
collapsed = [line.rpartition(" ") for line in loopmem("export", "-f", "collapsed", "--lines", SESSION).splitlines()]


def live(line):
    """Bytes of all stacks of the worker that go through that line of the script."""
    frame = re.compile(rf";Caching\.fill[^;]*\(caches\.py:{line}\)")
    return sum(int(count) for stack, _, count in collapsed if stack.startswith("pool train") and frame.search(stack))


@tap.claim
def sixty_mb_of_bytes_objects_are_found_at_their_line():
    assert abs(live(OBJECTS) / CACHE - 1) < 0.1, live(OBJECTS)


@tap.claim
def a_numpy_array_of_sixty_mb_is_found_at_its_line():
    assert abs(live(ARRAY) / CACHE - 1) < 0.1, live(ARRAY)


@tap.claim
def tensors_of_sixty_mb_are_found_at_their_line():
    assert abs(live(TENSORS) / CACHE - 1) < 0.1, live(TENSORS)


@tap.claim
def the_report_names_all_three_with_file_and_line():
    text = loopmem("report", "--width=120", SESSION)
    for line in (OBJECTS, ARRAY, TENSORS):
        size, = re.findall(rf"^ +([0-9.]+) .*train.* caches\.py:{line} Caching\.fill", text, re.M)
        assert abs(float(size) * (1 << 20) / CACHE - 1) < 0.12, (line, size)


@tap.claim
def each_figure_is_of_the_one_worker():
    with sqlite3.connect(SESSION) as db:
        pid, = db.execute("SELECT p.pid FROM pool_worker w JOIN process p ON p.id = w.process").fetchone()
    text = loopmem("export", "-f", "collapsed", f"--worker={pid}", SESSION)
    whole = sum(int(line.rpartition(" ")[2]) for line in text.splitlines())
    assert whole >= live(OBJECTS) + live(ARRAY) + live(TENSORS)
    for other in loopmem("export", "-f", "collapsed", SESSION).splitlines():
        assert other.startswith("pool train") or "Caching.fill" not in other


tap.run()
