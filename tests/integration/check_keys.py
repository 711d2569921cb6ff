"""One vocabulary: every key of `loopmem check --list-keys` is a name of `loopmem report -f json`, with the same figure."""
import json
import subprocess
from math import isclose
from os import environ
from pathlib import Path

import tap

BUILD = Path(environ["LOOPMEM_BUILD"])
TMP = Path(environ["TEST_TMP"])
SESSION = TMP / "run.loopmem"
HUGE = {"MiB": "9999 TiB", "s": "9999999 h", "GiB.s": "999999 GiB.h", "": "999999999"}


def loopmem(*arguments, code=0):
    done = subprocess.run([BUILD / "loopmem", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, (arguments, done.stdout, done.stderr)
    return done.stdout


def subjects(report, scope):
    """The objects of the JSON that a scope of the keys speaks of."""
    if scope == "worker":
        return [worker for pool in report["pools"] for worker in pool["workers"]]
    found = report[scope + "s" if scope in ("total", "owner", "pool", "phase", "site") else scope]
    return found if isinstance(found, list) else [found]


subprocess.run([BUILD / "tests/fixtures/reference_session", SESSION], check=True)
REPORT = json.loads(loopmem("report", "-f", "json", SESSION))
KEYS = [(line.split()[0], line[42:52].split()[-1] if " " in line[42:52].strip() else "")
        for line in loopmem("check", "--list-keys").splitlines()]


def figures(key, unit):
    loopmem("check", SESSION, "--max", f"{key}={HUGE[unit]}", "--json", TMP / "r.json")
    return [rule["value"] for rule in json.loads((TMP / "r.json").read_text())["rules"]]


@tap.claim
def every_key_is_a_name_of_the_json():
    missing = []
    for key, _ in KEYS:
        scope, name = key.split("(*)")[0].split(".")[0], key.rsplit(".", 1)[1]
        if scope != "site" and not all(name in subject for subject in subjects(REPORT, scope)):
            missing.append(key)
    assert len(KEYS) > 20 and not missing, missing


@tap.claim
def with_the_same_figure():
    differs = []
    for key, unit in KEYS:
        scope, name = key.split("(*)")[0].split(".")[0], key.rsplit(".", 1)[1]
        if scope == "site":
            continue
        worst = max(subject[name] for subject in subjects(REPORT, scope))
        if not isclose(max(figures(key, unit)), worst, rel_tol=1e-9):
            differs.append((key, figures(key, unit), worst))
    assert not differs, differs


tap.run()
