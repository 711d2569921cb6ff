"""Worker processes by fork, spawn and forkserver, for every kind of loader, with the real shim."""
import shimmed
import tap

# Module-level classes: spawned workers import this file.
PROGRAM = """
import sys, torch
from torch.utils.data import DataLoader, Dataset, IterableDataset
class Numbers(Dataset):
    def __init__(self): self.items = list(range(6))
    def __len__(self): return len(self.items)
    def __getitem__(self, index): return self.items[index]
class Stream(IterableDataset):
    def __iter__(self): return iter(range(3))
def loaders(method):
    for data in (Numbers(), Stream()):
        for persistent in (False, True):
            yield DataLoader(data, num_workers=1, persistent_workers=persistent,
                             multiprocessing_context=method)
if __name__ == "__main__":
    for train_loader in loaders(sys.argv[1]):
        for epoch in range(1 + train_loader.persistent_workers):
            for batch in train_loader: pass
    del train_loader
"""
METHODS = {"fork": 1, "spawn": 2, "forkserver": 3}


def check(method):
    run = shimmed.under([shimmed.sys.executable, shimmed.script(PROGRAM), method])
    assert (run.status, run.stdout, run.stderr) == (0, "", ""), run.stderr
    owner = run.owner()
    assert all(count == 0 for segment in run.segments for count in segment.drops.values())
    keys = ("start", "flags", "batches", "use", "uses", "state")
    rows = [tuple(pool[key] for key in keys) for pool in owner.pools.values()]
    start = METHODS[method]
    assert rows == [(start, 0, 6, 6, 0, "ended"), (start, 1, 12, 6, 1, "ended"),
                    (start, 0, 3, 3, 0, "ended"), (start, 1, 6, 3, 1, "ended")], rows
    for pool in owner.pools:
        kinds = owner.of(pool)
        assert kinds[:5] == ["begin", "worker", "deliver", "first", "exhausted"], kinds
        assert kinds[-1] == "end"
    # every worker that was told is a process with a segment, of the right parent
    by_pid = {segment.pid: segment for segment in run.segments}
    workers = [pid for pool in owner.workers.values() for pid in pool.values()]
    assert len(set(workers)) == 4 and set(workers) <= set(by_pid), (workers, list(by_pid))
    for pid in workers:
        forked, child_of_owner = by_pid[pid].forked, by_pid[pid].parent_pid == owner.pid
        assert (forked, child_of_owner) == {
            "fork": (1, True), "spawn": (0, True), "forkserver": (1, False)}[method], pid


@tap.claim
def fork():
    check("fork")


@tap.claim
def spawn():
    check("spawn")


@tap.claim
def forkserver():
    check("forkserver")


tap.run()
