"""Processes that a C program forks: grouped by owner and line, each once, with their ends."""
import json
import os
import shutil
import subprocess

import tap
from profiled import LOOPMEM, Session, path, so_far, start, target, until

SOURCE = f"{os.environ['SRC']}/tests/targets/preforks.c"


def lines(function):
    """The lines of a function of the program that fork."""
    with open(SOURCE) as f:
        text = f.read().splitlines()
    first = next(n for n, line in enumerate(text) if line == f"static void {function}(void)")
    last = next(n for n, line in enumerate(text) if n > first and line == "}")
    return [n + 1 for n in range(first, last) if "fork()" in text[n]]


def label(line):
    return f"fork preforks.c:{line}"


def grouped(way, processes, program=target("preforks")):
    """The report of a run that ends when all of its processes are in groups."""
    file = path(f"{way}.loopmem")
    p = start(program, way, options=["-o", file], stdin=subprocess.PIPE)
    assert p.stdout.readline() == "ready\n"
    until(lambda: so_far(file, "SELECT count(*) FROM pool_worker") == processes, f"{processes} processes in groups")
    _, err = p.communicate(timeout=20)
    assert p.returncode == 0, err
    r = subprocess.run([LOOPMEM, "report", "-f", "json", file], check=True, capture_output=True)
    return json.loads(r.stdout), Session(file)


def groups(report):
    found = {}
    for pool in report["pools"]:
        assert (pool["stage"], pool["grouped"], pool["start_method"]) == ("other", True, "fork"), pool
        assert pool["end_s"] is not None and pool["name"].startswith(pool["label"]), pool
        assert all(w["exit"] is not None for w in pool["workers"]), pool
        found[pool["label"]] = len(pool["workers"])
    return found


@tap.claim
def a_prefork_server_is_one_group_of_its_line():
    report, s = grouped("server", 3)
    assert groups(report) == {label(*lines("server")): 3}, report["pools"]
    assert all(w["private_bytes_max"] >= 4 << 20 for w in report["pools"][0]["workers"]), report["pools"]
    assert s.value("SELECT count(*) FROM process WHERE ended_ns IS NULL") == 0


@tap.claim
def the_stages_of_a_pipeline_are_groups_of_their_lines():
    report, _ = grouped("pipeline", 2)
    assert groups(report) == {label(line): 1 for line in lines("pipeline")}, report["pools"]


@tap.claim
def workers_of_a_worker_are_its_own_group():
    report, s = grouped("nested", 3)
    outer, inner = map(label, lines("nested"))
    assert groups(report) == {outer: 1, inner: 2}, report["pools"]
    owners = dict(s.rows("SELECT label, owner FROM pool"))
    assert s.rows("SELECT process FROM pool_worker JOIN pool ON pool.id = pool WHERE label = ?", outer) == [
        (owners[inner],)], owners


@tap.claim
def a_daemon_is_its_line_under_who_started_it():
    report, s = grouped("daemon", 1)
    assert groups(report) == {label(lines("become_daemon")[1]): 1}, report["pools"]
    assert s.value("SELECT owner FROM pool") == 1


@tap.claim
def without_line_numbers_it_is_the_function():
    if not shutil.which("strip"):
        raise tap.Skip("no strip")
    program = path("plain")
    subprocess.run(["strip", "-g", "-o", program, target("preforks")], check=True)
    report, _ = grouped("pipeline", 2, program)
    assert len(report["pools"]) == 1 and groups(report) == {"fork pipeline() of plain": 2}, report["pools"]


tap.run()
