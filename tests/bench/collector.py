"""What the collector costs while it runs: CPU, session, disturbance. Usage: collector.py [SECONDS].

Environment: LOOPMEM_BUILD. Budgets: 1 % of a core at 64 processes, 1 MiB a minute at 8 workers,
walks for 0.5 % of the time of any process. The first seconds (everybody is forked and walked) are
left out.
"""
import os
import sqlite3
import subprocess
import sys
import tempfile
import time

BUILD = os.environ["LOOPMEM_BUILD"]
SETTLE_S = 20
SECONDS = int(sys.argv[1]) if len(sys.argv) > 1 else 30
BUDGET_CPU, BUDGET_MIB_A_MINUTE, BUDGET_DUTY = 1.0, 1.0, 0.5


def meta(file):
    db = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    try:
        return dict(db.execute("SELECT key, value FROM meta WHERE key IN ('collector_cpu_ns', 'collector_wall_ns',"
                               " 'samples', 'walks', 'skipped', 'collector_memory_bytes')"))
    finally:
        db.close()


def used_bytes(file):
    db = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    try:
        pages, free, size = (db.execute(f"PRAGMA {p}").fetchone()[0] for p in ("page_count", "freelist_count", "page_size"))
        return (pages - free) * size
    finally:
        db.close()


def longest_duty(file, since_ns, until_ns):
    """Percent of the time that the most walked process was being walked."""
    db = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    try:
        most = db.execute("SELECT max(sum) FROM (SELECT sum(wall_ns) AS sum FROM rollup WHERE t_ns > ? AND t_ns <= ? GROUP BY process)",
                          (since_ns, until_ns)).fetchone()[0] or 0
        return 100 * most / (until_ns - since_ns)
    finally:
        db.close()


def verdict(value, budget):
    return "within" if value <= budget else "OVER"


def measure(processes, mib):
    with tempfile.TemporaryDirectory() as directory:
        file = f"{directory}/bench.loopmem"
        run = subprocess.Popen([f"{BUILD}/loopmem", "run", "-q", "-o", file, "--", f"{BUILD}/tests/targets/crowd",
                                str(processes), str(mib), str(SETTLE_S + SECONDS + 2)])
        time.sleep(SETTLE_S)
        before, bytes_before = meta(file), used_bytes(file)
        time.sleep(SECONDS)
        after, bytes_after = meta(file), used_bytes(file)
        run.wait()
        span_ns = after["collector_wall_ns"] - before["collector_wall_ns"]
        cpu = 100 * (after["collector_cpu_ns"] - before["collector_cpu_ns"]) / span_ns
        growth = (bytes_after - bytes_before) / 2**20 / (span_ns / 60e9)
        duty = longest_duty(file, before["collector_wall_ns"], after["collector_wall_ns"])
        rate = (after["samples"] - before["samples"]) / (span_ns / 1e9)
        walks = (after["walks"] - before["walks"]) / (span_ns / 1e9)
    print(f"{processes:>4} processes of {mib} MiB: CPU {cpu:.2f} % of a core ({verdict(cpu, BUDGET_CPU)} {BUDGET_CPU:.0f} %), "
          f"session {growth:.2f} MiB a minute"
          + (f" ({verdict(growth, BUDGET_MIB_A_MINUTE)} {BUDGET_MIB_A_MINUTE:.0f})" if processes <= 8 else "")
          + f", walked for {duty:.2f} % ({verdict(duty, BUDGET_DUTY)} {BUDGET_DUTY} %), "
            f"{rate:.1f} rounds and {walks:.1f} walks a second, {after['collector_memory_bytes'] / 2**20:.1f} MiB")


for case in ((1, 64), (8, 64), (64, 8), (64, 64)):
    measure(*case)
