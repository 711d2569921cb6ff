"""Lightning trainings that end, crash or are cut short in their own way, through the real report."""
import sys

import shimmed
import reported
import tap

PROGRAM = """
import ctypes, logging, os, sys, time, warnings
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset
warnings.filterwarnings("ignore")
MODE = sys.argv[1]
class Numbers(Dataset):
    def __init__(self, count, dies=None): self.items, self.dies = list(range(count)), dies
    def __len__(self): return len(self.items)
    def __getitem__(self, index):
        if index == self.dies: ctypes.string_at(0)
        return torch.tensor([float(self.items[index])])
def loader(count, **options): return DataLoader(Numbers(count, **options), batch_size=2, num_workers=1)
import lightning as L
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
class Model(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(1, 1)
    def training_step(self, batch, index):
        if MODE == "stop" and index == 1: self.trainer.should_stop = True
        return self.layer(batch).mean()
    def validation_step(self, batch, index):
        if MODE == "raise": raise ValueError("in validation")
        time.sleep(0.1)
    def train_dataloader(self): return loader(16, dies=5 if MODE == "crash" else None)
    def val_dataloader(self): return loader(4)
    def configure_optimizers(self): return torch.optim.SGD(self.parameters(), 0.1)
options = {"reload": dict(reload_dataloaders_every_n_epochs=1), "limit": dict(limit_train_batches=3)}
L.Trainer(max_epochs=2, logger=False, enable_checkpointing=False, accelerator="cpu",
    enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0,
    **options.get(MODE, {})).fit(Model())
"""


def profile(mode, status=0):
    report, rows = reported.run(mode, sys.executable, shimmed.script(PROGRAM, "mishap.py"), mode,
                       status=status)
    pools = [(p["stage"], p["epoch"], p["batches"]) for p in report["pools"]]
    assert dict(rows("SELECT role, count(*) FROM process GROUP BY role")).get("child", 0) == 0
    return pools, report, rows


@tap.claim
def a_worker_that_crashes_is_found_with_its_signal():
    pools, report, rows = profile("crash", status=1)
    assert [pool[:2] for pool in pools] == [("train", 0)], pools
    assert rows("SELECT exit_signal FROM process WHERE role = 'worker'") == [(11,)]
    died = report["findings"][0]
    assert (died["id"], died["severity"], died["evidence"]["ended_by"]) == ("process-died", "error", "SIGSEGV"), report["findings"]
    assert "worker 0 of train #1 e0" in died["text"] and died["text"].endswith("failed with exit 1."), died
    assert "worker_init_fn" in died["advice"], died


@tap.claim
def an_exception_in_validation_leaves_both_pools_told():
    pools, report, _ = profile("raise", status=1)
    assert "process-died" not in {f["id"] for f in report["findings"]}, report["findings"]
    assert pools == [("train", 0, 8), ("validate", 0, 1)], pools


@tap.claim
def an_early_stop_holds_its_train_pool_idle():
    pools, report, _ = profile("stop")
    assert pools == [("train", 0, 2), ("validate", 0, 2)], pools
    assert report["pools"][0]["exhausted_s"] is not None


@tap.claim
def limited_batches_exhaust_the_pool_that_has_more():
    pools, report, _ = profile("limit")
    assert pools == [("train", 0, 3), ("validate", 0, 2), ("train", 1, 3), ("validate", 1, 2)], pools
    assert report["totals"]["idle_retained_bytes_max"] > 0


@tap.claim
def reloaded_loaders_are_pools_of_their_own():
    pools, _, _ = profile("reload")
    assert pools == [("train", 0, 8), ("validate", 0, 2), ("train", 1, 0), ("train", 1, 8),
                     ("validate", 1, 2)], pools


tap.run()
