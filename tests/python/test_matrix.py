"""Start methods, kinds of loaders and loops, through `loopmem run` and its report: whose pools, whose
workers, and that no process is left without a role."""
import concurrent.futures
import sys

import shimmed
import reported
import tap

# Module-level classes: spawned workers import this file.
PROGRAM = """
import logging, os, sys, time, warnings
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset
warnings.filterwarnings("ignore")
METHOD, LOOP = sys.argv[1:]
class Numbers(Dataset):
    def __init__(self, count): self.items = list(range(count))
    def __len__(self): return len(self.items)
    def __getitem__(self, index): return torch.tensor([float(self.items[index])])
class Stream(IterableDataset):
    def __init__(self, count): self.count = count
    def __iter__(self):
        # worker 0 has nothing and ends early
        return iter(torch.zeros(1) for _ in range(self.count * torch.utils.data.get_worker_info().id))
def loader(kind, count, workers, persistent):
    return DataLoader(kind(count), batch_size=2, num_workers=workers, persistent_workers=persistent,
                      multiprocessing_context=METHOD)
def pairs():
    for kind in (Numbers, Stream):
        for persistent in (False, True):
            yield loader(kind, 8, 2, persistent), loader(Numbers, 4, 1, persistent)
def plain():
    for train_loader, val_loader in pairs():
        for epoch in range(2):
            for batch in train_loader: pass
            for batch in val_loader: pass
        del train_loader, val_loader
def lightning():
    import lightning as L
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    class Model(L.LightningModule):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(1, 1)
        def training_step(self, batch, index): return self.layer(batch).mean()
        def validation_step(self, batch, index): self.layer(batch)
        def configure_optimizers(self): return torch.optim.SGD(self.parameters(), 0.1)
    for train, val in pairs():
        L.Trainer(max_epochs=2, logger=False, enable_checkpointing=False, accelerator="cpu",
            enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0).fit(Model(), train, val)
        del train, val
if __name__ == "__main__":
    # a fork server that has torch once: else each of its workers imports it anew
    torch.multiprocessing.set_forkserver_preload(["torch.utils.data"])
    (plain if LOOP == "plain" else lightning)()
"""
HELPERS = {"fork": set(), "spawn": {"resource-tracker"},
           "forkserver": {"resource-tracker", "forkserver"}}


def expected():
    """(stage, epoch, persistent, workers) of the pools of one program, in order of birth."""
    for _ in ("map", "iterable"):
        for epoch in (0, 1):
            yield from (("train", epoch, False, 2), ("validate", epoch, False, 1))
        # of a persistent pool the epoch of its last use
        yield from (("train", 1, True, 2), ("validate", 1, True, 1))


def check_workers(rows, method):
    """Each pool's workers have its worker ids, are other processes than any other pool's, and nothing
    else that the program started is left without a role."""
    ids = {}
    for pool, process, worker_id in rows("SELECT pool, process, worker_id FROM pool_worker"):
        ids.setdefault(pool, []).append((worker_id, process))
    workers = dict(rows("SELECT id, workers FROM pool"))
    assert {pool: sorted(w for w, _ in found) for pool, found in ids.items()} == {
        pool: list(range(count)) for pool, count in workers.items()}, ids
    claimed = [process for found in ids.values() for _, process in found]
    assert len(set(claimed)) == len(claimed)
    roles = rows("SELECT role, count(*) FROM process GROUP BY role")
    others = {role for role, _ in roles} - {"root", "owner", "worker"}
    assert others == HELPERS[method], (roles, rows("SELECT role, cmdline FROM process"))
    assert dict(roles)["worker"] == len(claimed), roles


def check(method, loop):
    report, rows = reported.run(f"{method}-{loop}", sys.executable,
                       shimmed.script(PROGRAM, f"{method}_{loop}.py"), method, loop)
    pools = [(p["stage"], p["epoch"], p["persistent"], p["declared_workers"]) for p in report["pools"]]
    assert pools == list(expected()), pools
    assert {p["start_method"] for p in report["pools"]} == {method}
    assert all(p["end_s"] is not None for p in report["pools"])
    batches = [p["batches"] for p in report["pools"]]
    assert batches == [4, 2, 4, 2, 8, 4] * 2, batches
    check_workers(rows, method)


@tap.claim
def every_way_gives_true_pools():
    ways = [(method, loop) for method in HELPERS for loop in ("plain", "lightning")]
    with concurrent.futures.ThreadPoolExecutor(2) as two:
        for way, done in [(way, two.submit(check, *way)) for way in ways]:
            try:
                done.result()
            except AssertionError as error:
                raise AssertionError(way) from error


tap.run()
