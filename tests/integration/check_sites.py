#!/usr/bin/env python3
"""Budgets of call sites: each kind of selector, within, over, skipped, unmatched, unmeasured."""
import json
import os
import re
import shutil
import sqlite3
import subprocess

import tap

BUILD, TMP = os.environ["LOOPMEM_BUILD"], os.environ["TEST_TMP"]
SESSION, BLIND = f"{TMP}/run.loopmem", f"{TMP}/blind.loopmem"


def run(*arguments, session=SESSION):
    done = subprocess.run([f"{BUILD}/loopmem", "check", session, *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def check(key, size, session=SESSION):
    return run("--verbose", f"--max={key}={size}", session=session)


subprocess.run([f"{BUILD}/tests/fixtures/reference_session", "--sites", SESSION], check=True)
shutil.copy(SESSION, BLIND)
with sqlite3.connect(BLIND) as db:  # as without the shim
    db.executescript("DELETE FROM site_sample; DELETE FROM site; DELETE FROM stack; UPDATE process SET instrumented = 0")
report = json.loads(subprocess.check_output([f"{BUILD}/loopmem", "report", "-f", "json", SESSION]))


def worst(frame, stage=None):
    """The largest sum of rows of one pool or process that have such a frame."""
    sums = {}
    for row in report["sites"]:
        if any(frame(f) for f in row["stack"]) and (not stage or report["pools"][row["pool"] - 1]["stage"] == stage):
            owner = row["pool"], row["pid"]
            sums[owner] = sums.get(owner, 0) + row["live_bytes"]
    return max(sums.values())


def judged(key, value):
    """Within a limit of exactly that value, over one of a byte less."""
    status, text = check(key, f"{value}B")
    assert status == 0 and re.search(rf"within +{re.escape(key)}", text), text
    status, text = check(key, f"{value - 1}B")
    assert status == 1 and re.search(rf"over +{re.escape(key)}", text), text
    return text


@tap.claim
def a_function_a_file_and_both_are_summed_over_stacks_in_one_pool():
    text = judged("site(CocoTrain.__getitem__).live_bytes", worst(lambda f: f["function"] == "CocoTrain.__getitem__"))
    assert "train #" in text, "says which pool"
    judged("site(file=*/dataset.py).live_bytes", worst(lambda f: f["file"] and f["file"].endswith("/dataset.py")))
    judged("site(file=*/dataset.py,stage=validate).live_bytes",
           worst(lambda f: f["file"] and f["file"].endswith("/dataset.py"), "validate"))
    judged("site(file=*_multiarray_umath.so).live_bytes", worst(lambda f: f["module"]))
    judged("site(main,file=*/train.py).live_bytes", worst(lambda f: f["function"] == "main"))


@tap.claim
def a_site_counts_once_however_many_frames_match():
    judged("site(*).live_bytes", worst(lambda f: True))


@tap.claim
def a_negated_term_leaves_out_stacks_with_such_a_frame():
    whole = worst(lambda f: f["function"] == "main")
    status, text = check("site(main,file=!*/metrics.py).live_bytes", f"{whole - 1}B")
    assert status == 0, text


@tap.claim
def what_is_not_there_fails_unless_it_is_a_pattern():
    status, text = check("site(no_such_function).live_bytes", "1GiB")
    assert status == 1 and "unmatched" in text and "no site matches" in text, text
    status, text = check("site(main,file=x.py).live_bytes", "1GiB")
    assert status == 1 and "unmatched" in text, "both of one frame"
    status, text = check("site(no_such*).live_bytes", "1GiB")
    assert status == 0 and "skipped" in text, text


@tap.claim
def each_line_is_judged_for_itself_and_the_same_selector_replaces():
    few, many = "site(main).live_bytes=1B", "site(*).live_bytes=1TiB"
    assert run(f"--max={few}", f"--max={many}")[0] == 1
    assert run(f"--max={few}", "--max=site(main).live_bytes=1TiB")[0] == 0


@tap.claim
def without_the_shim_nothing_is_measured():
    status, text = check("site(*).live_bytes", "1TiB", session=BLIND)
    assert status == 3 and "unmeasured" in text and "the shim was not in every process" in text, text


@tap.claim
def a_baseline_holds_no_call_sites():
    status, text = run("--tolerance=site(*).live_bytes=+5%")
    assert status == 2 and "a baseline holds no call sites: write a limit" in text, text


@tap.claim
def junit_has_a_case_that_names_no_figure():
    path = f"{TMP}/junit.xml"
    assert run("--max=site(file=*/dataset.py).live_bytes=1MiB", f"--junit={path}")[0] == 1
    assert 'name="site(file=*/dataset.py).live_bytes"' in open(path, encoding="utf-8").read()


tap.run()
