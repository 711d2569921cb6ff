"""Programs under `loopmem run`, as the report and the session tell of them."""
import contextlib
import functools
import json
import os
import sqlite3
import subprocess

import shimmed

LOOPMEM = str(shimmed.BUILD / "loopmem")


def read(session):
    """The report of a session."""
    return json.loads(subprocess.run([LOOPMEM, "report", "-f", "json", session], check=True,
                                     stdout=subprocess.PIPE).stdout)


def rows(session, sql):
    """What a query finds in a session as it is so far: nothing in one that is not made yet."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{session}?mode=ro", uri=True)) as db:
            return db.execute(sql).fetchall()
    except sqlite3.OperationalError:
        return []


def run(name, *command, status=0, **env):
    """(report, a function that queries the session) of a command that exits with that status."""
    session = f"{os.environ['TEST_TMP']}/{name}.loopmem"
    done = subprocess.run([LOOPMEM, "run", "-q", "-o", session, *command], text=True, timeout=280,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=os.environ["TEST_TMP"],
                          env=shimmed.environment(**env))
    assert done.returncode == status, (done.returncode, done.stderr)
    return read(session), functools.partial(rows, session)
