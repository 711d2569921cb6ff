"""Processes that a program starts without a loader, on every CPython of this machine, through
`loopmem run` and its report: grouped by the line that made them, none left without a group. No torch."""
import concurrent.futures

import shimmed
import pythons
import reported
import tap

# Module-level functions: spawned workers import this file.
PROGRAM = """
import concurrent.futures, multiprocessing, os, sys, time
def work(n):
    time.sleep(0.1)
    return n
def forks():
    gate, end = os.pipe()
    for _ in range(2):
        if os.fork() == 0:                                                  # fork
            os.close(end)
            os.read(gate, 1)
            os._exit(0)
    return end
def pools(method):
    context = multiprocessing.get_context(method)
    pool = context.Pool(2, maxtasksperchild=2)                              # Pool
    assert pool.map(work, range(8), chunksize=1) == list(range(8))
    pool.close()
    pool.join()
    executor = concurrent.futures.ProcessPoolExecutor(2, mp_context=context)  # ProcessPoolExecutor
    assert sorted(executor.map(work, range(4))) == list(range(4))
    executor.shutdown()
    several = [context.Process(target=work, args=(n,)) for n in range(3)]
    for process in several:
        process.start()                                                     # Process
    for process in several:
        process.join()
if __name__ == "__main__":
    # The hook comes with the program's first allocations, of which this one has hardly any. What is
    # started before it has a group, but without the line.
    for _ in range(10000):
        if hasattr(sys, "_loopmem"):
            break
        bytearray(1 << 16)
    began, end = time.time(), forks()
    for method in ("fork", "spawn", "forkserver"):
        pools(method)
    with multiprocessing.Manager() as manager:                              # Manager
        assert list(manager.list([1])) == [1]
    time.sleep(max(0, began + 5 - time.time()))  # the collector has looked at the forked ones
    os.close(end)
    os.wait(), os.wait()
"""
METHODS = ("fork", "spawn", "forkserver")


def line(kind):
    """The label of what the program makes in the line with that mark."""
    lines = [n for n, text in enumerate(PROGRAM.splitlines(), 1) if text.endswith(f"# {kind}")]
    return f"{kind} {{}}:{lines[0]}"


def check(number, python):
    name = f"v{number[0]}{number[1]}.py"
    report, rows = reported.run(f"python{number[0]}.{number[1]}", python,
                                shimmed.script(PROGRAM, name))
    pools = {(p["label"], p["start_method"]): p for p in report["pools"]}
    wanted = {(line(kind).format(name), method) for method in METHODS
              for kind in ("Pool", "ProcessPoolExecutor", "Process")}
    wanted |= {(line("fork").format(name), "fork")}
    manager = [key for key in pools if key[0] == line("Manager").format(name)]
    assert set(pools) - set(manager) == wanted and len(manager) == 1, (sorted(pools), wanted)
    assert len(report["pools"]) == len(pools)
    for (label, method), pool in pools.items():
        kind = label.partition(" ")[0]
        assert (pool["stage"], pool["grouped"], pool["batches"]) == ("other", True, None), pool
        assert label.endswith(pool["origin"]) and pool["name"].startswith(label), pool
        assert pool["end_s"] is not None and not pool["idle_retained_bytes_max"], pool
        births = {"Pool": range(4, 8), "Process": (3,), "fork": (2,), "Manager": (1,)}.get(kind, (1, 2))
        assert len(pool["workers"]) in births, (label, method, pool["workers"])
        assert pool["declared_workers"] in ((2,) if "Pool" in kind else (1, 2, 3)), pool
    check_processes(rows)


# The first thing that a program does, before the hook is in at the latest on 3.8.
FIRST_THING = """
import os, time
gate, end = os.pipe()
if os.fork() == 0:
    os.close(end)
    os.read(gate, 1)
    os._exit(0)
time.sleep(3)
os.close(end)
os.wait()
"""


@tap.claim
def a_fork_that_comes_before_the_hook_has_its_line():
    number, python = min(pythons.supported().items())
    report, _ = reported.run("first", python, "-S", shimmed.script(FIRST_THING, "first.py"))
    assert [(p["label"], len(p["workers"])) for p in report["pools"]] == [("fork first.py:4", 1)], (
        number, report["pools"])


def check_processes(rows):
    """Each process works for one group, and what serves none has a role of its own."""
    links = rows("SELECT process FROM pool_worker")
    assert len(links) == len(set(links))
    roles = dict(rows("SELECT role, count(*) FROM process GROUP BY role"))
    assert roles.pop("worker") == len(links), roles
    assert set(roles) <= {"root", "owner", "forkserver", "resource-tracker"}, (
        roles, rows("SELECT role, cmdline FROM process"))


@tap.claim
def every_process_is_grouped_by_the_line_that_started_it():
    found = pythons.supported()
    assert found
    print("# on", *(".".join(map(str, number)) for number in found))
    with concurrent.futures.ThreadPoolExecutor(3) as three:
        for number, done in [(n, three.submit(check, n, python)) for n, python in found.items()]:
            try:
                done.result()
            except AssertionError as error:
                raise AssertionError(number) from error


tap.run()
