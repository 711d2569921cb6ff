"""torch_faults.py FAULT: a training with a real torch loader and one fault; FAULT-not: the same work without it. Prints the bytes that it knows
of itself.

  held     the loop counts its batches and keeps the iterator while another loader works
  parked   it leaves its loader early, and keeps the iterator
  spawned  workers are spawned, with a list of strings in the dataset
  kept     each worker keeps every item that it decoded
  losses   the loop keeps its losses with their graphs
  clean    nothing: two loaders, three epochs, a model that learns
"""
import sys
import tempfile
import time

import numpy
import torch
from torch.utils.data import DataLoader, Dataset

MIB = 1 << 20
WORKERS, PREFETCH, BATCHES = 2, 2, 8


class Cached(Dataset):
    """Each worker keeps `mib`; items are of `item_bytes`."""

    def __init__(self, items, mib, item_bytes=4096):
        self.items, self.mib, self.item_bytes, self.cache = items, mib, item_bytes, None

    def __len__(self):
        return self.items

    def __getitem__(self, index):
        if self.cache is None:
            self.cache = numpy.ones(self.mib * MIB, numpy.uint8)
        time.sleep(0.02)
        return torch.full((self.item_bytes // 4,), float(index))


class Listed(Dataset):
    def __init__(self):
        self.strings = [f"{i:0951d}" for i in range(60 << 10)]  # 1000 bytes each with its header

    def __len__(self):
        return 16

    def __getitem__(self, index):
        time.sleep(0.3)
        return float(len(self.strings[index]))


class Mapped(Listed):
    """The same characters in a file, of which only the name is pickled."""

    def __init__(self):
        with tempfile.NamedTemporaryFile(delete=False) as f:
            f.write(b"0" * (60 << 20))
        self.name = f.name

    def __getitem__(self, index):
        time.sleep(0.3)
        return float(numpy.memmap(self.name, mode="r")[index])


class Keeping(Dataset):
    """It works for 8 s with two workers."""
    ITEM_BYTES, ITEMS = 400 << 10, 240

    def __init__(self, faulty):
        self.kept, self.faulty = [], faulty

    def __len__(self):
        return self.ITEMS

    def decode(self, index):
        return numpy.full(self.ITEM_BYTES // 8, float(index))

    def __getitem__(self, index):
        time.sleep(0.065)
        image = self.decode(index)
        if self.faulty:
            self.kept.append(image)
        return image[:4]


def loader(dataset, **more):
    return DataLoader(dataset, batch_size=4, num_workers=WORKERS, prefetch_factor=PREFETCH, **more)


def evaluate():
    val_loader = loader(Cached(128, 1))
    for _ in val_loader:
        time.sleep(0.1)


def private_bytes(workers):
    """What goes away when they end."""
    total = 0
    for worker in workers:
        with open(f"/proc/{worker.pid}/smaps_rollup") as f:
            total += sum(int(line.split()[1]) for line in f if line.startswith("Private_")) << 10
    return total


def take(train_loader, batches, faulty):
    """The fault is in whose hands the iterator is when this returns."""
    iterator = iter(train_loader)
    for _ in range(batches):
        next(iterator)
    return iterator if faulty else None


def held(faulty):
    train_loader = loader(Cached(4 * BATCHES, 64))
    iterator = take(train_loader, BATCHES, faulty)
    evaluate()
    return private_bytes(iterator._workers) if faulty else 0


def parked(faulty):
    train_loader = loader(Cached(4 * 64, 0, MIB))
    iterator = take(train_loader, BATCHES, faulty)
    evaluate()
    # those that were asked for and did not arrive: one may have come before its turn
    return iterator._tasks_outstanding * 4 * MIB if iterator else 0


def spawned(faulty):
    dataset = Listed() if faulty else Mapped()
    train_loader = loader(dataset, multiprocessing_context="spawn")
    for _ in train_loader:
        pass
    return sum(map(sys.getsizeof, dataset.strings)) if faulty else 0


def kept(faulty):
    for _ in loader(Keeping(faulty)):
        pass
    return Keeping.ITEM_BYTES * Keeping.ITEMS if faulty else 0


def losses(faulty):
    """8 s; each loss holds what its graph needs: 64 rows of 1024 numbers and of 2048."""
    net = torch.nn.Sequential(torch.nn.Linear(1024, 2048), torch.nn.Sigmoid(), torch.nn.Linear(2048, 1))
    seen, steps = [], 96
    for batch in loader(Cached(4 * steps, 0)):
        loss = net(batch.repeat(16, 1)).square().mean()
        seen.append(loss if faulty else loss.item())
        time.sleep(0.07)
    return steps * 64 * (1024 + 2048) * 4 if faulty else 0


def clean(_):
    model = torch.nn.Linear(1024, 1)
    optimizer = torch.optim.AdamW(model.parameters())
    train_loader, val_loader = loader(Cached(48, 32), shuffle=True), loader(Cached(24, 16))
    for _ in range(3):
        for batch in train_loader:
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(model(batch), batch[:, :1]).backward()
            optimizer.step()
        with torch.no_grad():
            sum(float(model(batch).sum()) for batch in val_loader)
    return 0


if __name__ == "__main__":
    torch.set_num_threads(1)
    name = sys.argv[1]
    fault = globals()[name.removesuffix("-not")]
    print(fault(not name.endswith("-not")))
