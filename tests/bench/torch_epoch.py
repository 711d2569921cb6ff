"""What loopmem costs a torch training in time: medians of pairs of runs, the two of a pair in turns of 50 ms (turns.py).

    torch_epoch.py [PAIRS]                 Environment: LOOPMEM_BUILD, VENV

Each run times its own loop, without the interpreter's start and the imports (torch's optimizers take a second of them
when the first is made): wall clock, and CPU of the program and its workers. Budget of the wall clock of an epoch: 1.03.
Epochs of less than a second, each with new workers, are shown beside it: what loopmem does at a fork and an end is then a
part of the whole.

A collection of Python's second generation in a new worker copies 600 pages, some 6 ms. Whether one falls there depends
on how many objects the trainer made before, so by chance every fork of a program is met by it, or none: each run draws
anew how many there are.
"""
import functools
import os
import pathlib
import statistics
import sys
import tempfile

from turns import Program, in_turns

TESTS = pathlib.Path(__file__).resolve().parent.parent
LOOPMEM = os.path.join(os.environ["LOOPMEM_BUILD"], "loopmem")
BUDGET = 1.03

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

    def bare(self, folder, module):
        return Program(self.python, folder, module)

    def profiled(self, folder, module, *options):
        session = os.path.join(self.scratch, "-".join(["run", *options]) + ".loopmem")
        pathlib.Path(session).unlink(missing_ok=True)
        return Program(self.python, folder, module, [LOOPMEM, "run", "-q", *options, "-o", session, "--"])

    def paired(self, what, count, without, with_it):
        """Runs both in turns, each of them first in half of the pairs, and prints the ratios."""
        pairs = []
        for number in range(count):
            programs = without(), with_it()
            pairs.append(in_turns(*programs) if number % 2 == 0 else in_turns(*programs[::-1])[::-1])
            print(f"  pair {number + 1} of {count}: wall {ratio(pairs[-1], 'wall'):.3f}  cpu "
                  f"{ratio(pairs[-1], 'cpu'):.3f}", file=sys.stderr, flush=True)
        print(f"{what}, {count} pairs")
        for key in ("wall", "cpu"):
            row(key, pairs)
        sys.stdout.flush()


def ratio(pair, key):
    return pair[1][key] / pair[0][key]


def row(key, pairs):
    ratios = [ratio(pair, key) for pair in pairs]
    middle = statistics.median(ratios)
    error = statistics.stdev(ratios) / len(ratios) ** 0.5 if len(ratios) > 1 else 0
    one, two = (statistics.median(figures[key] for figures in side) for side in zip(*pairs))
    verdict = f"{'within' if middle <= BUDGET else 'OVER'} {BUDGET}" if key == "wall" else ""
    spread = f"({min(ratios):.3f} to {max(ratios):.3f}, standard error {error:.3f})"
    print(f"  {key:<5} {one:7.2f} s {two:7.2f} s   ratio {middle:.3f}  {spread}  {verdict}")


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 6
    python = os.path.join(os.environ["VENV"], "bin", "python")
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(python, scratch)
        for name, (epochs, batches) in LENGTHS.items():
            bench.paired(f"torch, {epochs} epochs of {batches} batches, 2 workers: bare, loopmem run", count,
                         functools.partial(bench.bare, scratch, name), functools.partial(bench.profiled, scratch, name))
        bench.paired("Lightning, tests/python/retention.py: loopmem run, with --release-idle-workers", count,
                     lambda: bench.profiled(TESTS / "python", "retention"),
                     lambda: bench.profiled(TESTS / "python", "retention", "--release-idle-workers"))


main()
