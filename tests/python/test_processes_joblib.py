"""joblib under `loopmem run`: processes grouped by the program's line, whatever of joblib starts them,
and each helper process called what it is."""
import os

import shimmed
import reported
import tap

PROGRAM = """
import os, time
from joblib import Parallel, delayed
def work(n):
    block = bytes(8 << 20)
    time.sleep(0.1)
    return os.getpid()
def ready():
    # before the hook is in, what is started has a group, but no line
    import sys
    while not hasattr(sys, "_loopmem"):
        bytearray(1 << 16)
def main():
    ready()
    first = Parallel(n_jobs=2)(delayed(work)(n) for n in range(4))          # loky
    time.sleep(1)
    again = Parallel(n_jobs=2)(delayed(work)(n) for n in range(4))
    assert set(first) == set(again), "an executor that is used again"
    Parallel(n_jobs=2, backend="multiprocessing")(delayed(work)(n) for n in range(4))  # multiprocessing
main()
"""


def line(mark):
    (found,) = [n for n, text in enumerate(PROGRAM.splitlines(), 1) if text.endswith(f"# {mark}")]
    return f"joblib jobs.py:{found}"


def run_program(path):
    if not os.path.exists(f"{path}/joblib"):
        raise tap.Skip("joblib is not installed")
    return reported.run("joblib", shimmed.sys.executable, shimmed.script(PROGRAM, "jobs.py"), PYTHONPATH=path)


@tap.claim
def each_way_is_a_group_of_the_programs_line():
    report, rows = run_program(os.environ["VENV"] + "/frameworks")
    loky, pool = sorted(report["pools"], key=lambda p: p["start_s"])
    assert (loky["label"], loky["start_method"]) == (line("loky"), "spawn"), loky
    assert (pool["label"], pool["start_method"]) == (line("multiprocessing"), "fork"), pool
    for group in (loky, pool):
        assert (group["stage"], group["grouped"], group["declared_workers"]) == ("other", True, 2), group
        assert group["name"].startswith(group["label"]) and group["end_s"] is not None, group
        assert len(group["workers"]) == 2 and not group["idle_retained_bytes_max"], group
    # the executor keeps its workers between the two calls, and until the program ends
    assert loky["end_s"] - loky["start_s"] >= 1 and loky["end_s"] >= pool["end_s"], (loky, pool)
    roles = rows("SELECT role, cmdline FROM process ORDER BY id")
    assert sorted({role for role, _ in roles}) == ["owner", "resource-tracker", "worker"], roles
    assert all("resource_tracker" in text for role, text in roles if role == "resource-tracker"), roles
    assert sum(role == "worker" for role, _ in roles) == 4, roles


tap.run()
