"""--release-idle-workers: pools end with their last batch, and no result changes by it."""
import json
import multiprocessing
import os
import pathlib
import re
import subprocess
import sys

import shimmed
import recorder
import tap
from screen import Screen

shim = recorder.start()
shim.RELEASE = True

import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset

RELEASED = ("release_note", shim.RELEASED)


class Numbers(Dataset):
    def __init__(self, count):
        self.items = list(range(count))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return torch.full((1000,), float(index))


class Stream(IterableDataset):
    def __iter__(self):
        return iter(range(3))


class StatefulLoader(DataLoader):
    def state_dict(self):
        return {}

    def load_state_dict(self, state):
        pass


def fresh():
    shim.calls.clear()
    shim.drops.clear()


def notes():
    return [(call[0], *call[2:]) for call in shim.calls if call[0] == "release_note"]


def children():
    return len(multiprocessing.active_children())


@tap.claim
def a_pool_ends_with_its_last_batch_and_the_batch_lives():
    fresh()
    iterator = iter(DataLoader(Numbers(4), batch_size=2, num_workers=2))
    first, last = next(iterator), next(iterator)
    assert children() == 0 and notes() == [RELEASED]
    assert shim.of(1 if len(shim.begun()) == 0 else max(shim.begun()))[-4:] == [
        "pool_exhausted", "release_note", "pool_closing", "pool_end"]
    assert (first[1][0], last[1][999]) == (1, 3)
    for _ in range(2):
        assert next(iterator, "end") == "end"
    assert shim.drops == []


@tap.claim
def every_batch_is_handed_out():
    for options in ({"batch_size": 3}, {"batch_size": None}, {"in_order": False, "num_workers": 3},
                    {"prefetch_factor": 7}, {"shuffle": True, "drop_last": True, "batch_size": 4}):
        fresh()
        loader = DataLoader(Numbers(10), **{"num_workers": 2, **options})
        size = options.get("batch_size", 1)
        got = [batch for batch in loader for _ in ["x"]]
        count = sum(1 if size is None else len(batch) for batch in got)
        assert count == (8 if options.get("drop_last") else 10), (options, count)
        assert notes() == [RELEASED] and children() == 0 and shim.drops == [], options


@tap.claim
def a_stream_ends_as_torch_ends_it():
    fresh()
    assert len(list(DataLoader(Stream(), num_workers=2))) == 6
    assert notes() == [] and children() == 0


@tap.claim
def a_wrong_idea_of_the_length_ends_nothing():
    fresh()
    length = shim.load("length")
    batches, length.batches = length.batches, lambda loader: 2
    try:
        assert len(list(DataLoader(Numbers(6), num_workers=2))) == 6
    finally:
        length.batches = batches
    assert notes() == [RELEASED] and shim.drops == []


@tap.claim
def nothing_is_released_half_way():
    fresh()
    iterator = iter(DataLoader(Numbers(9), num_workers=2, prefetch_factor=2))
    for _ in range(8):
        next(iterator)
        assert children() == 2 and notes() == []
    next(iterator)
    assert children() == 0


@tap.claim
def persistent_and_stateful_pools_stay_and_say_so_once():
    for kind, persistent, why in ((DataLoader, True, shim.KEPT_PERSISTENT),
                                  (StatefulLoader, True, shim.KEPT_PERSISTENT),
                                  (StatefulLoader, False, shim.KEPT_STATEFUL)):
        fresh()
        loader = kind(Numbers(2), num_workers=1, persistent_workers=persistent)
        iterator = iter(loader)
        next(iterator)
        next(iterator)
        assert children() == 1 and notes() == [("release_note", why)]
        if persistent:
            list(loader)
            list(loader)
            assert notes() == [("release_note", why)]
        del iterator, loader
        assert children() == 0 and shim.drops == [], shim.drops


@tap.claim
def loaders_without_workers_are_left_alone():
    fresh()
    assert len(list(DataLoader(Numbers(3)))) == 3
    assert notes() == []


TRAINING = """
import hashlib, logging, os, random, sys, warnings
import torch, lightning as L
from torch.utils.data import DataLoader, Dataset
warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
logging.getLogger("lightning.fabric").setLevel(logging.ERROR)
L.seed_everything(7, workers=True)

class Noise(Dataset):
    def __init__(self, count): self.items = list(range(count))
    def __len__(self): return len(self.items)
    def __getitem__(self, index):
        return torch.rand(16) + random.random(), torch.tensor([float(index % 3)])

class Model(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(16, 8), torch.nn.Dropout(0.3),
                                       torch.nn.Linear(8, 1))
    def loss(self, batch):
        if isinstance(batch, dict): return sum(self.loss(part) for part in batch.values())
        return torch.nn.functional.mse_loss(self.net(batch[0]), batch[1])
    def training_step(self, batch, index):
        loss = self.loss(batch)
        print("train", float(loss).hex())
        return loss
    def validation_step(self, batch, index, dataloader_idx=0):
        loss = self.loss(batch)
        print("validate", dataloader_idx, float(loss).hex())
        self.log("loss", loss)
    def test_step(self, batch, index): print("test", float(self.loss(batch)).hex())
    def configure_optimizers(self): return torch.optim.AdamW(self.parameters(), 0.01)

def loader(count, workers, **options):
    return DataLoader(Noise(count), batch_size=4, num_workers=workers, **options)

class Stop(L.Callback):
    def on_train_batch_end(self, trainer, module, outputs, batch, index):
        trainer.should_stop = trainer.current_epoch == 1 and index == 2

def fit(train=None, **options):
    model = Model()
    trainer = L.Trainer(**{**dict(max_epochs=3, logger=False, accelerator="cpu",
        enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=2,
        enable_checkpointing=False), **options})
    trainer.fit(model, train or loader(24, 2, shuffle=True), [loader(12, 1), loader(16, 2)])
    trainer.test(model, loader(8, 1), verbose=False)
    state = b"".join(value.numpy().tobytes() for value in model.state_dict().values())
    print("weights", hashlib.sha256(state).hexdigest(), torch.rand(1), random.random())

fit()
fit(limit_train_batches=3, limit_val_batches=2)
fit(val_check_interval=2, max_epochs=1)
fit(callbacks=[Stop()])
fit(reload_dataloaders_every_n_epochs=1, max_epochs=2)
fit(max_epochs=-1, max_steps=9)
fit({"a": loader(16, 1), "b": loader(8, 2)}, max_epochs=2) # b is cycled
"""


def training(**env):
    run = shimmed.run(TRAINING, **env)
    assert run.status == 0, run.stderr
    assert run.owner().python_state == shimmed.HOOKED
    assert all(segment.drops[shimmed.DROP_HOOK] == 0 for segment in run.segments)
    return run


@tap.claim
def losses_and_weights_are_the_same_to_the_bit():
    kept, released = training(), training(LOOPMEM_RELEASE="1")
    assert kept.stdout.count("train") > 50 and kept.stdout.count("weights") == 7
    assert released.stdout == kept.stdout
    assert released.stderr == kept.stderr
    check_events(kept.owner(), released.owner())


def check_events(kept, released):
    forks = [[event.kind for event in owner.events].count("fork") for owner in (kept, released)]
    assert forks[0] == forks[1] > 50, forks
    assert not any(event.kind == "release" for event in kept.events)
    notes = [event for event in released.events if event.kind == "release"]
    kept = [event.value for event in notes if event.value]
    assert len(notes) > 20 and kept == [shim.KEPT_NEEDED], notes  # the train pool of val_check_interval
    # no pool begins while another is held idle, but for a train pool within its epoch
    idle = set()
    for event in released.events:
        if event.kind == "exhausted":
            idle.add(event.pool)
        elif event.kind == "end":
            idle.discard(event.pool)
        elif event.kind == "begin":
            assert not idle, (event, idle)


@tap.claim
def the_switch_is_the_environment():
    one = "from torch.utils.data import DataLoader\nlist(DataLoader(range(4), num_workers=1))"
    for value, wanted in (("1", 1), ("0", 0), ("", 0)):
        run = shimmed.run(one, LOOPMEM_RELEASE=value)
        kinds = [event.kind for event in run.owner().events]
        assert kinds.count("release") == wanted, (value, kinds)


@tap.claim
def the_summary_says_which_pools_were_left_alone_and_why():
    program = shimmed.script("""
from torch.utils.data import DataLoader
train_loader = DataLoader(range(4), num_workers=1, persistent_workers=True)
for epoch in range(2):
    for batch in train_loader: pass
""")
    session = f"{os.environ['TEST_TMP']}/kept.loopmem"
    done = loopmem("run", "--release-idle-workers", "-o", session, sys.executable, program)
    assert "loopmem: not released: train (persistent_workers=True)\n" in done.stderr, done.stderr
    (pool,) = json.loads(loopmem("report", "-f", "json", session).stdout)["pools"]
    assert pool["kept"] == "persistent", pool
    text = loopmem("report", session).stdout
    assert re.search(r"^  train #1 .* persistent$", text, re.M), text
    assert "KEPT by --release-idle-workers: persistent = persistent_workers=True" in text, text
    for form in ("markdown", "html"):
        page = loopmem("report", "-f", form, session).stdout
        assert "not released: persistent_workers=True" in page, page
    with Screen(f"{shimmed.BUILD}/loopmem top --screen=pools {session}", 120, 40) as screen:
        screen.wait_for(r"train #1")
        screen.keys("Home", "Enter")
        screen.wait_for(r"persistent, torch [\d.]+(.*\n)+.*Not released: persistent_workers=True")


def loopmem(*words):
    return subprocess.run([f"{shimmed.BUILD}/loopmem", *words], check=True, text=True, timeout=120,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=shimmed.environment())


@tap.claim
def a_training_that_raises_behaves_as_without():
    text = TRAINING.split("\nfit()")[0] + """
class Breaks(Model):
    def validation_step(self, batch, index, dataloader_idx=0):
        if self.trainer.current_epoch == 1: raise ValueError("in validation")
Model = Breaks
fit()
"""
    kept, released = shimmed.run(text), shimmed.run(text, LOOPMEM_RELEASE="1")
    assert kept.status == released.status == 1
    assert released.stdout == kept.stdout
    assert released.stderr.splitlines()[-1] == kept.stderr.splitlines()[-1]
    assert "ValueError: in validation" in kept.stderr


tap.run()
