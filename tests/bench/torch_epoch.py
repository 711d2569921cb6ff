"""What loopmem costs a torch training in time: medians of paired runs, turn about.

    torch_epoch.py [PAIRS]                 Environment: LOOPMEM_BUILD, VENV

Each run times its own loop, without the interpreter's start and the imports (torch's optimizers take a second of them
when the first is made): wall clock, and CPU of the program and its workers, which a machine with other work disturbs
less. Budget of the wall clock of an epoch: 1.03. Epochs of less than a second, each with new workers, are shown beside it:
what loopmem does at a fork and an end is then a part of the whole.

A collection of Python's second generation in a new worker copies 600 pages, some 6 ms. Whether one falls there depends
on how many objects the trainer made before, so by chance every fork of a program is met by it, or none: each run draws
anew how many there are.
"""
import contextlib
import functools
import json
import os
import pathlib
import sqlite3
import statistics
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parent.parent
LOOPMEM = os.path.join(os.environ["LOOPMEM_BUILD"], "loopmem")
BUDGET = 1.03

TIMED = """
import json, os, sys, time
sys.path.insert(0, {folder!r})
import {module} as program
begun, used = time.perf_counter(), sum(os.times()[:4])
program.main()
with open(os.environ["BENCH_RESULT"], "w") as out:
    json.dump(dict(wall=time.perf_counter() - begun, cpu=sum(os.times()[:4]) - used), out)
"""

EPOCHS = """
import random
import torch
from torch.utils.data import DataLoader, Dataset

class Images(Dataset):
    def __len__(self):
        return 32 * {batches}
    def __getitem__(self, index):
        image = torch.full((3, 48, 48), float(index % 7))
        return image.add_(torch.arange(48.0)).flip(2).contiguous(), index % 10

chance = [[] for _ in range(random.randrange(7000))]
torch.set_num_threads(1)
net = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 5, stride=2), torch.nn.ReLU(), torch.nn.Flatten(),
                          torch.nn.Linear(8 * 22 * 22, 10))
optimizer = torch.optim.AdamW(net.parameters())

def main():
    for epoch in range({epochs}):
        for images, wanted in DataLoader(Images(), batch_size=32, num_workers=2, shuffle=True):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(net(images), wanted).backward()
            optimizer.step()
"""


# Epochs, and batches of each: some 3.5 and 0.7 s.
LENGTHS = {"long_epochs": (2, 1000), "short_epochs": (3, 200)}


class Bench:
    def __init__(self, python, scratch):
        self.python, self.scratch = python, scratch
        for name, (epochs, batches) in LENGTHS.items():
            text = EPOCHS.replace("{epochs}", str(epochs)).replace("{batches}", str(batches))
            pathlib.Path(scratch, f"{name}.py").write_text(text)

    def run(self, folder, module, *loopmem):
        """Figures of one run of a module's main(), under the command given before it."""
        result = os.path.join(self.scratch, "result.json")
        text = TIMED.format(folder=str(folder), module=module)
        env = {k: v for k, v in os.environ.items() if not k.startswith(("LOOPMEM_", "PYTHON"))}
        subprocess.run([*loopmem, self.python, "-c", text], check=True, stdout=subprocess.DEVNULL,
                       env={**env, "BENCH_RESULT": result, "PYTHONDONTWRITEBYTECODE": "1"})
        with open(result) as file:
            return json.load(file)

    def profiled(self, folder, module, *options):
        session = os.path.join(self.scratch, "run.loopmem")
        with contextlib.suppress(FileNotFoundError):
            os.unlink(session)
        figures = self.run(folder, module, LOOPMEM, "run", "-q", *options, "-o", session, "--")
        with contextlib.closing(sqlite3.connect(session)) as db:
            (figures["forks"],) = db.execute("SELECT count(*) FROM event WHERE kind = 'fork'").fetchone()
        return figures

    def paired(self, what, count, without, with_it):
        """Runs both in turns, each of them first in half of the pairs, and prints the ratios."""
        pairs = []
        for number in range(count):
            first, second = (without, with_it) if number % 2 == 0 else (with_it, without)
            one, two = first(), second()
            pairs.append((one, two) if first is without else (two, one))
            print(f"  pair {number + 1} of {count}: wall {ratio(pairs[-1], 'wall'):.3f}  cpu "
                  f"{ratio(pairs[-1], 'cpu'):.3f}", file=sys.stderr, flush=True)
        print(f"{what}, {count} pairs")
        for key in ("wall", "cpu"):
            row(key, pairs)
        if "forks" in pairs[0][0]:
            print("  forks ", *(sorted({figures["forks"] for figures in side}) for side in zip(*pairs)))
        sys.stdout.flush()


def ratio(pair, key):
    return pair[1][key] / pair[0][key]


def row(key, pairs):
    ratios = sorted(ratio(pair, key) for pair in pairs)
    middle = statistics.median(ratios)
    one, two = (statistics.median(figures[key] for figures in side) for side in zip(*pairs))
    verdict = f"{'within' if middle <= BUDGET else 'OVER'} {BUDGET}" if key == "wall" else ""
    spread = f"({ratios[0]:.3f} to {ratios[-1]:.3f})"
    print(f"  {key:<5} {one:7.2f} s {two:7.2f} s   ratio {middle:.3f}  {spread}  {verdict}")


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 6
    python = os.path.join(os.environ["VENV"], "bin", "python")
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(python, scratch)
        for name, (epochs, batches) in LENGTHS.items():
            bench.paired(f"torch, {epochs} epochs of {batches} batches, 2 workers: bare, loopmem run", count,
                         functools.partial(bench.run, scratch, name), functools.partial(bench.profiled, scratch, name))
        bench.paired("Lightning, tests/python/retention.py: loopmem run, with --release-idle-workers", count,
                     lambda: bench.profiled(TESTS / "python", "retention"),
                     lambda: bench.profiled(TESTS / "python", "retention", "--release-idle-workers"))


main()
