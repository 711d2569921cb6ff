"""What the shim costs a process once: start (median of paired runs), fork (least time), memory.

Environment: LOOPMEM_BUILD. Budgets: start + 300 us, fork + 1 %, 1 MiB touched.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

BUILD = os.environ["LOOPMEM_BUILD"]
SHIM = os.path.join(BUILD, "libloopmem.so")


def environment(directory):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("LOOPMEM_", "LD_"))}
    if directory:
        clean.update(LD_PRELOAD=SHIM, LOOPMEM_DIR=directory, LOOPMEM_COLLECT="0")
    return clean


def start_us(directory):
    before = time.perf_counter_ns()
    pid = os.posix_spawn("/bin/true", ["true"], environment(directory))
    os.waitpid(pid, 0)
    return (time.perf_counter_ns() - before) / 1000


def row(what, bare, shim, unit, added, budget):
    print(f"{what:<34} {bare:9.1f} {shim:9.1f} {unit:<4} {added:>10}   budget {budget}")


def start(directory):
    pairs = [(start_us(None), start_us(directory)) for _ in range(400)]
    bare, shim = (statistics.median(one) for one in zip(*pairs))
    row("start and end of /bin/true", bare, shim, "us", f"+{shim - bare:.0f} us", "+300 us")


def fork(directory, mib):
    def once(where):
        done = subprocess.run([os.path.join(BUILD, "tests/bench/forks"), str(mib)],
                              env=environment(where), capture_output=True, text=True, check=True)
        return float(done.stdout)
    pairs = [(once(None), once(directory)) for _ in range(7)]
    bare, shim = (min(one) for one in zip(*pairs))
    row(f"fork of a parent of {mib} MiB", bare, shim, "us", f"{100 * (shim / bare - 1):+.2f} %",
        "+1 %" if mib >= 4096 else "(of 4 GiB)")


def private_kib(pid):
    with open(f"/proc/{pid}/smaps_rollup") as rollup:
        return sum(int(line.split()[1]) for line in rollup
                   if line.startswith(("Private_Dirty", "Private_Clean", "Shared_Dirty")))


def touched(directory, forked):
    """Private memory and segment pages of a process that only waits, with less without."""
    def once(where):
        command = [os.path.join(BUILD, "tests/bench/pairs"), "20000", "wait" + forked]
        with subprocess.Popen(command, env=environment(where), stdout=subprocess.PIPE) as process:
            pid = int(process.stdout.readline())
            kib = private_kib(pid)
            process.kill()
            os.kill(pid, 9)
        return kib
    bare, shim = once(None), once(directory)
    what = "memory of a " + ("forked child" if forked else "process")
    row(what, bare, shim, "KiB", f"+{shim - bare} KiB", "+1024 KiB")


with tempfile.TemporaryDirectory(dir="/dev/shm") as scratch:
    print(f"{'':<34} {'bare':>9} {'shim':>9}")
    start(scratch)
    for mib in [int(word) for word in sys.argv[1:]] or [64, 1024]:
        fork(scratch, mib)
    touched(scratch, "")
    touched(scratch, "-forked")
