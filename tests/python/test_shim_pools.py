"""The whole way with the real shim: a program's loaders in the segment of its process."""
import functools

import shimmed
import tap

HEAD = """
import torch, warnings, logging
from torch.utils.data import DataLoader, Dataset, IterableDataset
warnings.filterwarnings("ignore")
class Numbers(Dataset):
    def __init__(self, count): self.items = list(range(count))
    def __len__(self): return len(self.items)
    def __getitem__(self, index): return torch.tensor([float(self.items[index])])
class Stream(IterableDataset):
    def __iter__(self): return iter(range(4))
"""
LIGHTNING = HEAD + """
import lightning as L
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
class Model(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(1, 1)
    def training_step(self, batch, index): return self.layer(batch).mean()
    def validation_step(self, batch, index, dataloader_idx=0): self.layer(batch)
    def configure_optimizers(self): return torch.optim.SGD(self.parameters(), 0.1)
def trainer(**options):
    return L.Trainer(**{**dict(logger=False, enable_checkpointing=False, accelerator="cpu",
        enable_progress_bar=False, enable_model_summary=False), **options})
"""
PLAIN = HEAD + """
def main():
    train_loader = DataLoader(Numbers(12), batch_size=2, num_workers=2, PERSISTENT)
    val_loader = DataLoader(VAL, batch_size=2, num_workers=1, PERSISTENT)
    for epoch in range(2):
        for batch in train_loader: pass
        for batch in val_loader: pass
main()
"""


@functools.lru_cache(None)
def plain():
    return shimmed.run(PLAIN.replace("PERSISTENT", "").replace("VAL", "Numbers(6)"))


def clean(run):
    assert (run.status, run.stdout, run.stderr) == (0, "", ""), (run.status, run.stderr)
    owner = run.owner()
    assert owner.python_state == shimmed.HOOKED, owner.python_reason
    assert owner.python_reason.startswith("torch ")
    assert all(count == 0 for segment in run.segments for count in segment.drops.values()), [
        segment.drops for segment in run.segments]
    return owner


def rows(owner, *keys):
    return [tuple(pool[key] for key in keys) for pool in owner.pools.values()]


@tap.claim
def a_plain_loop_has_one_pool_an_epoch():
    run = plain()
    owner = clean(run)
    assert rows(owner, "stage", "epoch", "workers", "batches", "expected", "label", "dataset",
                "state") == [
        ("train", 0, 2, 6, 6, "train_loader", "Numbers", "ended"),
        ("validate", 0, 1, 3, 3, "val_loader", "Numbers", "ended"),
        ("train", 1, 2, 6, 6, "train_loader", "Numbers", "ended"),
        ("validate", 1, 1, 3, 3, "val_loader", "Numbers", "ended")], owner.pools
    assert all(pool["origin"].startswith("program.py:") for pool in owner.pools.values())


@tap.claim
def workers_are_the_processes_that_were_forked():
    run = plain()
    owner = clean(run)
    forked = [event.value for event in owner.events if event.kind == "fork"]
    told = [pid for pool in sorted(owner.workers) for _, pid in sorted(owner.workers[pool].items())]
    assert told == forked and len(told) == 6
    assert {s.pid for s in run.segments if s is not owner} == set(forked)
    assert all(s.forked and s.parent_pid == owner.pid for s in run.segments if s is not owner)


@tap.claim
def births_come_before_forks_and_ends_after_the_last_batch():
    owner = clean(plain())
    for pool, row in owner.pools.items():
        begin = owner.at("begin", pool)
        forks = [i for i, e in enumerate(owner.events) if e.kind == "fork" and i > begin]
        assert forks[0] == begin + 1
        assert owner.of(pool) == ["begin"] + ["worker"] * row["workers"] + [
            "deliver", "first", "exhausted", "closing", "end"]


@tap.claim
def persistent_workers_are_re_used():
    owner = clean(shimmed.run(PLAIN.replace("PERSISTENT", "persistent_workers=True")
                               .replace("VAL", "Stream()")))
    assert rows(owner, "stage", "epoch", "uses", "batches", "use", "flags") == [
        ("train", 1, 1, 12, 6, 1), ("validate", 1, 1, 4, 2, 1)], owner.pools
    for pool in owner.pools:
        kinds = [kind for kind in owner.of(pool) if kind != "worker"]
        assert kinds[:10] == ["begin", "deliver", "first", "exhausted", "reuse", "deliver", "first",
                              "exhausted", "closing", "end"], kinds


@tap.claim
def lightnings_retention_is_seen():
    run = shimmed.run(LIGHTNING + """
trainer(max_epochs=2).fit(Model(), DataLoader(Numbers(12), batch_size=2, num_workers=2),
    [DataLoader(Numbers(6), batch_size=2, num_workers=1), DataLoader(Numbers(8), batch_size=2)])
""")
    owner = clean(run)
    assert rows(owner, "stage", "epoch", "batches", "label") == [
        ("sanity", -1, 2, "val_dataloader[0]"), ("sanity", -1, 2, "val_dataloader[1]"),
        ("train", 0, 6, "train_dataloader"), ("validate", 0, 3, "val_dataloader[0]"),
        ("validate", 0, 4, "val_dataloader[1]"), ("train", 1, 6, "train_dataloader"),
        ("validate", 1, 3, "val_dataloader[0]"), ("validate", 1, 4, "val_dataloader[1]")]
    assert all(pool["state"] == "ended" for pool in owner.pools.values())
    assert owner.at("exhausted", 3) < owner.at("begin", 4) < owner.at("exhausted", 5) < owner.at(
        "begin", 6) < owner.at("end", 3)


@tap.claim
def mid_epoch_validation_parks_the_train_pool():
    owner = clean(shimmed.run(LIGHTNING + """
trainer(max_epochs=1, val_check_interval=3, num_sanity_val_steps=0).fit(Model(),
    DataLoader(Numbers(12), batch_size=2, num_workers=2),
    DataLoader(Numbers(4), batch_size=2, num_workers=1))
"""))
    assert rows(owner, "stage", "batches") == [("train", 6), ("validate", 2), ("validate", 2)]
    kinds = [kind for kind in owner.of(1) if kind != "worker"]
    assert kinds[:3] == ["begin", "deliver", "first"]
    assert kinds[-3:] == ["exhausted", "closing", "end"]
    assert "park" in kinds and kinds.count("exhausted") == 1


@tap.claim
def an_interrupted_program_leaves_its_pools_open():
    run = shimmed.run(HEAD + """
import os
train_loader = DataLoader(Numbers(12), batch_size=2, num_workers=2)
for index, batch in enumerate(train_loader):
    if index == 2: os._exit(7)
""")
    assert run.status == 7
    ((_, pool),) = run.owner().pools.items()
    assert (pool["state"], pool["batches"], pool["stage"]) == ("delivering", 3, "train")


@tap.claim
def values_of_frames_die_when_the_user_lets_them():
    run = shimmed.run(HEAD + """
import weakref, gc
def work():
    train_loader = DataLoader(Numbers(4))
    gone = []
    for epoch in range(2):
        big = torch.zeros(10)
        for batch in train_loader: pass
        gone.append(weakref.ref(big))
        big = None
        assert gone[-1]() is None
    kept = weakref.ref(train_loader)
    del train_loader
    assert kept() is None
gc.disable()
work()
""")
    clean(run)


tap.run()
