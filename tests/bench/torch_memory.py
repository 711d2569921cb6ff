"""What loopmem adds to the memory of a torch trainer and its workers: means of runs bare and profiled.

    torch_memory.py [RUNS]                 Environment: LOOPMEM_BUILD, VENV

Each run stops within its second epoch and is looked at from outside. Two cases: workers without caches, and workers that
keep 60 MiB of Python objects each. Dirty pages are what is added for good: all of the trainer, of a worker those that it
does not share with it, and of both those of the shim's files. Clean pages are of mapped files, of which there is one copy in
the machine. Budget of the dirty ones: 1 MiB a process.
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile

LOOPMEM = os.path.join(os.environ["LOOPMEM_BUILD"], "loopmem")
PYTHON = os.path.join(os.environ["VENV"], "bin", "python")
HEADER = re.compile(r"[0-9a-f]+-[0-9a-f]+ \S+ \S+ \S+ \S+\s*(.*)")
PLAIN, CACHES = "0", "18000"  # objects of 3 KiB that a worker's dataset keeps

PROGRAM = """
import multiprocessing, os, sys
import torch
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    kept = []
    def __len__(self):
        return 4000
    def __getitem__(self, index):
        if len(self.kept) < int(sys.argv[1]):
            self.kept.extend([bytes(200) * (1 + (index + i) % 30), str(i)] for i in range(10))
        return torch.full((64,), float(index))

torch.set_num_threads(1)
net = torch.nn.Linear(64, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
for epoch in range(2):
    for step, rows in enumerate(DataLoader(Rows(), batch_size=16, num_workers=2)):
        optimizer.zero_grad()
        net(rows).square().mean().backward()
        optimizer.step()
        if epoch and step == 240:
            print(os.getpid(), *[child.pid for child in multiprocessing.active_children()], flush=True)
            sys.stdin.readline()
            os._exit(0)
"""


def kib_of(pid, shared):
    """KiB of a process: dirty pages, with or without those that it shares, and clean pages."""
    dirty, clean, shims = 0, 0, False
    with open(f"/proc/{pid}/smaps") as smaps:
        for line in smaps:
            header = HEADER.match(line)
            if header:
                shims = "/loopmem-run-" in header[1]  # the collector maps them, too
                continue
            key, value = line.split()[:2]
            if key == "Private_Dirty:" or (key == "Shared_Dirty:" and (shared or shims)):
                dirty += int(value)
            elif key in ("Private_Clean:", "Shared_Clean:"):
                clean += int(value)
    return dirty, clean


def look(objects, *loopmem):
    """(dirty, clean) of the trainer, and their means over its workers."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("LOOPMEM_", "LD_", "PYTHON"))}
    with subprocess.Popen([*loopmem, PYTHON, "-c", PROGRAM, objects], env=env, text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as job:
        trainer, *workers = map(int, job.stdout.readline().split())
        trainer, workers = kib_of(trainer, True), [kib_of(pid, False) for pid in workers]
        job.stdin.write("\n")
    return trainer, tuple(map(statistics.mean, zip(*workers)))


def profiled(objects):
    with tempfile.TemporaryDirectory() as scratch:
        return look(objects, LOOPMEM, "run", "-q", "-o", os.path.join(scratch, "run.loopmem"), "--")


def case(what, objects, runs):
    bare, with_it = zip(*[(look(objects), profiled(objects)) for _ in range(runs)])
    print(what)
    for who, name in enumerate(("trainer", "worker")):
        for page, kind in enumerate(("dirty", "clean")):
            one, two = (statistics.mean(run[who][page] for run in side) for side in (bare, with_it))
            budget = "budget +1024 KiB" if kind == "dirty" else ""
            print(f"  {name:<8} {kind}  {one:9.0f} {two:9.0f} KiB  {two - one:+8.0f} KiB   {budget}")
    sys.stdout.flush()


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    case("workers without caches: bare, loopmem run", PLAIN, runs)
    case("workers that keep 60 MiB each", CACHES, runs)


main()
