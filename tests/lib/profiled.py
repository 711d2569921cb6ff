"""Runs of `loopmem run`, and what their sessions hold, for tests in Python."""
import contextlib
import glob
import os
import signal
import sqlite3
import subprocess
import time

BUILD = os.environ["LOOPMEM_BUILD"]
LOOPMEM = f"{BUILD}/loopmem"
TMP = os.environ["TEST_TMP"]
WAIT_S = 20


def target(name):
    """A program of tests/targets."""
    return f"{BUILD}/tests/targets/{name}"


def path(name):
    return f"{TMP}/{name}"


def run(*command, options=(), **kwargs):
    """Runs to the end; .returncode, .stdout and .stderr are those of the whole."""
    return subprocess.run([LOOPMEM, "run", *options, "--", *command], capture_output=True, text=True,
                          timeout=120, cwd=kwargs.pop("cwd", TMP), **kwargs)


def start(*command, options=(), **kwargs):
    kwargs.setdefault("stdout", subprocess.PIPE)
    kwargs.setdefault("stderr", subprocess.PIPE)
    return subprocess.Popen([LOOPMEM, "run", *options, "--", *command], text=True, cwd=TMP, **kwargs)


def until(condition, what, within_s=WAIT_S):
    """The first true value of condition()."""
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.01)
    raise AssertionError(f"not within {within_s} s: {what}")


def children(pid):
    found = []
    for stat in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(stat) as f:
                fields = f.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(stat.split("/")[2]))
    return sorted(found)


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def rollup(pid, key):
    """Bytes of one line of smaps_rollup."""
    with open(f"/proc/{pid}/smaps_rollup") as f:
        for line in f:
            if line.startswith(key + ":"):
                return int(line.split()[1]) * 1024
    raise KeyError(key)


def end(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Session:
    """A session file, read as it is now."""

    def __init__(self, file):
        self.db = sqlite3.connect(f"file:{file}?mode=ro", uri=True)

    def rows(self, sql, *args):
        return self.db.execute(sql, args).fetchall()

    def value(self, sql, *args):
        row = self.db.execute(sql, args).fetchone()
        return row[0] if row else None

    def meta(self, key):
        return self.value("SELECT value FROM meta WHERE key = ?", key)

    def notes(self):
        return dict(self.rows("SELECT text, count FROM note"))

    def sound(self):
        return self.value("PRAGMA integrity_check") == "ok"


def so_far(file, sql, *args):
    """A figure of a session that is being written; None where there is none, or where the collector has not made the file or its tables."""
    try:
        session = Session(file)
        with contextlib.closing(session.db):
            return session.value(sql, *args)
    except sqlite3.OperationalError:
        return None
