"""loopmem.lightning.ReleaseIdleWorkers: what it takes back and leaves; no figure of the training changes."""
import contextlib
import json
import logging
import os
import sqlite3
import subprocess
import sys
import warnings

import profiled
import tap

SOURCE = f"{os.environ['SRC']}/python"
sys.path.insert(0, SOURCE)

import lightning
import pytorch_lightning
import torch
from torch.utils.data import DataLoader, IterableDataset, TensorDataset

from loopmem.lightning import ReleaseIdleWorkers

warnings.filterwarnings("ignore")
for package in ("lightning.pytorch", "pytorch_lightning"):
    logging.getLogger(package).setLevel(logging.ERROR)
logging.getLogger("lightning.fabric").setLevel(logging.ERROR)

said = []
logger = logging.getLogger("loopmem")
logger.propagate = False
logger.addHandler(logging.Handler())
logger.handlers[0].emit = lambda record: said.append(record.getMessage())


class Stateful(DataLoader):
    def state_dict(self):
        return {}

    def load_state_dict(self, state):
        pass


class Stream(IterableDataset):
    def __iter__(self):
        return iter([torch.zeros(1)] for _ in range(3))


def workers(*loops):
    """Live worker processes of loops' loaders."""
    found = 0
    for loop in loops:
        mode = getattr(loop._combined_loader, "_iterator", None)
        held = [getattr(dl, "_iterator", None) for dl in loop._combined_loader.flattened]
        for iterator in {id(i): i for i in [*getattr(mode, "iterators", ()), *held]}.values():
            found += sum(worker.is_alive() for worker in getattr(iterator, "_workers", ()))
    return found


def recorder_of(package):
    class Recorder(package.Callback):
        """Counts the train workers alive while a validation runs, the others while a batch trains."""

        def __init__(self):
            super().__init__()
            self.train, self.validation = [], []

        def on_validation_batch_start(self, trainer, *_):
            if not trainer.sanity_checking:
                self.train.append(workers(trainer.fit_loop))

        def on_train_batch_start(self, trainer, *_):
            self.validation.append(workers(trainer.fit_loop.epoch_loop.val_loop))

    return Recorder()


def fit(callbacks, package=lightning, kind=DataLoader, train=None, persistent=False, **options):
    """(workers of the train pool at each validation batch, those of validation at each train batch, losses)."""
    said.clear()
    losses = []

    class Model(package.LightningModule):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(1, 1)

        def training_step(self, batch, _):
            loss = self.layer(batch[0]).mean()
            losses.append(float(loss).hex())
            return loss

        def validation_step(self, batch, _, dataloader_idx=0):
            losses.append(float(self.layer(batch[0]).mean()).hex())

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 0.1)

    def loader(count, **more):
        return kind(TensorDataset(torch.randn(count, 1)), batch_size=2, num_workers=1,
                    persistent_workers=persistent, **more)

    package.seed_everything(3, verbose=False)
    seen = recorder_of(package)
    package.Trainer(**{**dict(logger=False, enable_checkpointing=False, enable_progress_bar=False,
                              enable_model_summary=False, accelerator="cpu", max_epochs=2),
                       **options, "callbacks": [*callbacks, seen]}).fit(
        Model(), loader(8, shuffle=True) if train is None else train(), [loader(4), loader(6)])
    return seen.train, seen.validation, losses


def without_and_with(**options):
    bare, released = fit([], **options), fit([ReleaseIdleWorkers()], **options)
    assert released[2] == bare[2] and len(bare[2]) >= 7, options
    return bare[:2], released[:2]


@tap.claim
def idle_pools_are_gone_and_the_losses_the_same():
    for package in (lightning, pytorch_lightning):
        bare, released = without_and_with(package=package)
        assert set(bare[0]) == set(bare[1]) == {1}
        assert set(released[0]) == set(released[1]) == {0}, released
        assert said == []


@tap.claim
def limits_and_reloads_and_streams_end_as_they_do_without():
    for options in (dict(limit_train_batches=2, limit_val_batches=1), dict(num_sanity_val_steps=0),
                    dict(reload_dataloaders_every_n_epochs=1), dict(check_val_every_n_epoch=2),
                    dict(train=lambda: DataLoader(Stream(), num_workers=1)), dict(max_steps=3)):
        _, released = without_and_with(**options)
        assert set(released[0]) <= {0} and set(released[1]) <= {0}, (options, released)
        assert said == [], said


@tap.claim
def validation_within_an_epoch_keeps_the_train_pool():
    bare, released = without_and_with(val_check_interval=2)
    assert len(released[0]) == 20 and set(bare[0]) == {1}
    assert released[0] == ([1] * 5 + [0] * 5) * 2, released[0]


@tap.claim
def persistent_pools_stay_and_it_is_said_once():
    bare, released = without_and_with(persistent=True)
    assert released == bare and set(bare[0]) == {1}
    assert said == [f"loopmem: the {stage} loader has persistent_workers=True: its workers stay"
                    for stage in ("validation", "train")], said


@tap.claim
def stateful_pools_stay_and_it_is_said_once():
    bare, released = without_and_with(kind=Stateful)
    assert released == bare and set(bare[0]) == {1}
    assert len(said) == 2 and all("state_dict" in line for line in said), said


@tap.claim
def a_lightning_that_looks_different_is_left_alone():
    class Loops:
        pass

    trainer = Loops()
    callback = ReleaseIdleWorkers()
    said.clear()
    callback.on_train_batch_end(trainer, None, None, None, 0)
    callback.on_validation_end(trainer, None)
    assert said == []
    trainer.fit_loop = trainer.epoch_loop = trainer.batch_progress = trainer
    trainer.is_last_batch = True
    for _ in range(2):
        callback.on_train_batch_end(trainer, None, None, None, 0)
    assert len(said) == 1 and "not released" in said[0]


@tap.claim
def a_run_without_the_option_sees_nothing_held_idle():
    text = open(f"{os.environ['SRC']}/tests/python/retention.py").read()
    runs = {}
    for name, arguments in (("kept", []), ("released", ["--callback"])):
        session = f"{os.environ['TEST_TMP']}/{name}.loopmem"
        program = [sys.executable, profiled.script(text, "retention.py"), *arguments]
        done = subprocess.run(
            [f"{profiled.BUILD}/loopmem", "run", "-q", "-o", session, *program], check=True, text=True,
            env=profiled.environment(PYTHONPATH=SOURCE), stdout=subprocess.PIPE, timeout=200)
        report = json.loads(subprocess.run(
            [f"{profiled.BUILD}/loopmem", "report", "-f", "json", session], check=True,
            stdout=subprocess.PIPE).stdout)
        with contextlib.closing(sqlite3.connect(session)) as db:
            (report["forks"],) = db.execute("SELECT count(*) FROM event WHERE kind = 'fork'").fetchone()
        runs[name] = done.stdout, report
    (kept_out, kept), (out, released) = runs["kept"], runs["released"]
    assert out == kept_out and "weights" in out
    mib = 1 << 20
    assert kept["totals"]["idle_retained_bytes_max"] > 100 * mib, kept["totals"]
    assert released["totals"]["idle_retained_bytes_max"] <= mib, released["totals"]
    assert kept["forks"] == released["forks"] == 2 * (3 * 3 + 2), (kept["forks"], released["forks"])
    peaks = [report["totals"]["peak_pss_bytes"] for report in (kept, released)]
    print("# peak", [peak >> 20 for peak in peaks], "MiB")
    assert peaks[1] < 0.9 * peaks[0], peaks


tap.run()
