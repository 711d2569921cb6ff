#!/usr/bin/env python3
"""loopmem sites: the pool, stage, process and moment that are chosen, against the rows of the JSON report; the difference of two."""
import json
import os
import re
import shutil
import sqlite3
import subprocess

import tap

BUILD, TMP = os.environ["LOOPMEM_BUILD"], os.environ["TEST_TMP"]
BASE, HEAD = f"{TMP}/base.loopmem", f"{TMP}/head.loopmem"
GIB = 1 << 30


def sites(*arguments, status=0, session=HEAD):
    done = subprocess.run([f"{BUILD}/loopmem", "sites", "--width=200", "--full", *arguments, session], capture_output=True,
                          text=True)
    assert done.returncode == status, (arguments, done.stderr)
    return done.stdout if status == 0 else done.stderr


for path, growth in ((BASE, "0"), (HEAD, "0.5")):
    subprocess.run([f"{BUILD}/tests/fixtures/reference_session", "--sites", f"--growth={growth}", path], check=True)
report = json.loads(subprocess.check_output([f"{BUILD}/loopmem", "report", "-f", "json", HEAD]))


def rows(text):
    """(GiB or MiB as printed, owner, site)."""
    return re.findall(r"^ +([0-9.]+) +[0-9.]+ +[0-9 ]+?  (\S.*?)  +(\S+\.py:\d+ .*)$", text, re.M)


def live(*arguments):
    unit = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": GIB}
    size, name = re.search(r": ([0-9.]+) (\w+), sampled", sites(*arguments)).groups()
    return float(size) * unit[name]


@tap.claim
def a_stage_has_the_rows_of_its_pools_and_no_others():
    for stage in ("train", "validate"):
        found = rows(sites(f"--stage={stage}"))
        assert found and all(owner.startswith(stage) for _, owner, _ in found), found
    assert "No call site fits" in sites("--stage=predict")
    assert "--stage training: not one of other, train" in sites("--stage=training", status=2)


@tap.claim
def a_file_that_is_cut_says_what_its_figures_are_worth():
    path = f"{TMP}/cut.loopmem"
    shutil.copy(HEAD, path)
    os.truncate(path, os.path.getsize(path) * 9 // 10)
    assert "Damaged: the file is damaged" in sites(session=path)
    with sqlite3.connect(HEAD) as db, sqlite3.connect(f"{TMP}/nameless.loopmem") as copy:
        db.backup(copy)
        copy.execute("DELETE FROM symbol")
    text = sites(session=f"{TMP}/nameless.loopmem")
    assert "(name lost)" in text and "0x8000000000000000" not in text


@tap.claim
def a_pool_and_its_workers_are_chosen_by_number_and_pid():
    pool = next(p for p in report["pools"] if p["stage"] == "train" and p["epoch"] == 1)
    at = f"--at={pool['end_s'] - 5}"
    assert {owner for _, owner, _ in rows(sites(f"--pool={pool['id']}", at))} == {pool["name"]}
    one = live(f"--worker={pool['workers'][0]['pid']}", at)
    assert abs(one * 8 / live(f"--pool={pool['id']}", at) - 1) < 0.1, "eight equal workers"
    assert sites(f"--pool={pool['id']}", at).startswith(f"Sites of {pool['name']}, live at ")
    assert sites("--stage=train", "--worker=" + str(pool["workers"][0]["pid"]), at).startswith(
        f"Sites of train pools, process {pool['workers'][0]['pid']}, live at ")
    assert re.search(r"no pool #99 in .*: the last is #\d+", sites("--pool=99", status=2))
    assert "--stage=train is all pools of that stage" in sites("--pool=train", status=2)
    assert "--pool training: not a number" in sites("--pool=training", status=2)
    assert "no process 1 " in sites("--worker=1", status=2)


@tap.claim
def a_moment_is_told_as_it_was_asked_for():
    assert "live at the peak, 12:33: " in sites() and sites("--at=peak") == sites()
    assert "live at 5:00: " in sites("--at=300") and sites("--at=300") == sites("--at=5:00")
    assert live("--at=60", "--stage=train") < live("--at=300", "--stage=train"), "caches grow"
    phase = next(i for i, p in enumerate(report["phases"], 1) if p["stage"] == "validate")
    minutes, seconds = re.search(r"live at (\d+):(\d+): ", sites(f"--at=phase:{phase}")).groups()
    at = int(minutes) * 60 + int(seconds)
    assert report["phases"][phase - 1]["start_s"] - 1 <= at <= report["phases"][phase - 1]["end_s"]
    assert "after the end of" in sites("--at=1:00:00", status=2)
    for none in ("1:99", "1.5:30", "99:99:1", "1:", ":1", "-1", "1:2:3:4", "nan"):
        assert "not peak, end, phase:N or a number of seconds" in sites(f"--at={none}", status=2), none


@tap.claim
def what_lived_at_another_time_says_when():
    sanity = next(p for p in report["pools"] if p["stage"] == "sanity")
    text = sites(f"--pool={sanity['id']}")
    found = re.search(r"Nothing of it is live then. It lived from (\d+):(\d+) to (\d+):(\d+)", text)
    born, ended = (int(found[i]) * 60 + int(found[i + 1]) for i in (1, 3))
    assert sanity["start_s"] - 2 <= born < ended <= sanity["end_s"] + 60, text


@tap.claim
def a_tree_reaches_the_line_that_names_the_row():
    text = sites("--tree", "--stage=train")
    blocks = [block for block in text.split("\n\n") if "GiB  train" in block]
    assert blocks and all(re.search(r"^ +> (\S+\.py:\d+ \S+)$", block, re.M)[1] in block.splitlines()[0 if "Sites" not in
                          block else 1] for block in blocks), text


@tap.claim
def a_difference_is_by_stage_file_and_function_at_the_moment_of_each():
    text = sites("--diff", BASE)
    assert re.match(r"Sites, live at 12:33 in BASE, at 12:33 in HEAD, GiB", text), text
    base, head, change = map(float, re.search(r"^ +([0-9.]+) +([0-9.]+) +\+([0-9.]+)  train +dataset.py CocoTrain", text, re.M).groups())
    assert abs(head / base - 1.5) < 0.05 and abs(head - base - change) < 0.11, text
    assert "no site changed" in sites("--diff", HEAD)
    only = sites("--diff", BASE, "--stage=validate")
    assert "validate" in only and "train  " not in only
    assert "--worker is of one session" in sites("--diff", BASE, "--worker=5", status=2)


tap.run()
