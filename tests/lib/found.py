"""Findings of real programs, for tests: run one, read what was found."""
import concurrent.futures
import itertools
import json
import re
import subprocess

import tap
from profiled import LOOPMEM, TMP, path, run

MIB = 1 << 20
_numbers = itertools.count()


def read(session):
    """(findings by id, the whole report)"""
    report = json.loads(subprocess.check_output([LOOPMEM, "report", "-f", "json", session]))
    text = subprocess.check_output([LOOPMEM, "report", "--full", session], text=True)
    for f in report["findings"]:
        said = re.search(rf"^  [EWN] {f['id']}\b(.*\n(?: {{6,}}.*\n)*)", text, re.M).group(1)
        assert re.search(r"\d", re.sub(r"\bAt [\d:.]+s?", "", said)), f"no figure is said: {said}"
    return {f["id"]: f for f in report["findings"]}, report


def findings(*command, cwd=TMP, options=(), status=0):
    """Of a run: its findings by id, and what it printed."""
    session = path(f"found{next(_numbers)}.loopmem")
    r = run(*command, options=["-q", "-o", session, *options], cwd=cwd)
    if r.returncode == 77:
        raise tap.Skip("the program cannot have this fault here")
    assert r.returncode == status, (r.returncode, r.stderr)
    return read(session)[0], r.stdout


class Twins:
    """Programs that mostly wait, each with its twin, all started at once."""

    def __init__(self):
        self.pool = concurrent.futures.ThreadPoolExecutor(8)
        self.pairs = {}

    def start(self, name, run, faulty, healthy):
        """run(*faulty) and run(*healthy), which give findings and what was printed."""
        self.pairs[name] = [self.pool.submit(run, *faulty), self.pool.submit(run, *healthy)]

    def result(self, name, finding=None):
        """(findings with the fault, what was printed); the twin has no finding at all. `finding`: where it is not called as the pair."""
        (found, printed), (clean, _) = [future.result() for future in self.pairs[name]]
        assert (finding or name) in found, found
        assert not clean, clean
        return found, printed


def near(value, truth):
    assert abs(value - truth) <= 0.1 * truth, (value / MIB, truth / MIB)
