"""loopmem.lightning.ReleaseIdleWorkers: what it takes back and leaves; no figure of the training changes."""
import importlib.metadata
import logging
import multiprocessing
import os
import sys
import warnings

import tap

SOURCE = f"{os.environ['SRC']}/python"
sys.path.insert(0, SOURCE)

import lightning
import pytorch_lightning
import torch
from lightning.pytorch.utilities import CombinedLoader
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


def numbers(count, kind=DataLoader, **more):
    return kind(TensorDataset(torch.randn(count, 1)), batch_size=2, num_workers=1, **more)


class Model:
    """Mixed with a LightningModule: notes each loss."""

    def __init__(self, losses, fails):
        super().__init__()
        self.layer, self.losses, self.fails = torch.nn.Linear(1, 1), losses, fails

    def loss(self, batch):
        loss = sum(self.layer(part[0]).mean() for part in batch if part is not None)
        self.losses.append(float(loss).hex())
        return loss

    def training_step(self, batch, _):
        return self.loss([batch] if torch.is_tensor(batch[0]) else batch)

    def step_of_iterator(self, dataloader_iter):
        batch, _, _ = next(dataloader_iter)
        return self.loss([batch])

    def validation_step(self, batch, _, dataloader_idx=0):
        if self.fails and not self.trainer.sanity_checking:
            raise ValueError("in validation")
        self.loss([batch])

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


def fit(callbacks, package=lightning, kind=DataLoader, train=None, step=Model.training_step, fails=False,
        persistent=False, others=(), **options):
    """(workers of the train pool at each validation batch, those of validation at each train batch, losses)."""
    said.clear()
    losses = []
    package.seed_everything(3, verbose=False)
    model = type("Module", (Model, package.LightningModule), {"training_step": step})(losses, fails)
    seen = recorder_of(package)
    trainer = package.Trainer(**{**dict(logger=False, enable_checkpointing=False, enable_progress_bar=False,
                      enable_model_summary=False, accelerator="cpu", max_epochs=2),
        **options, "callbacks": [*callbacks, *others, seen]})
    more = dict(kind=kind, persistent_workers=persistent)
    trainer.fit(
        model, numbers(8, shuffle=True, **more) if train is None else train(),
        [numbers(4, **more), numbers(6, **more)])
    return seen.train, seen.validation, losses


def without_and_with(**options):
    bare, released = fit([], **options), fit([ReleaseIdleWorkers()], **options)
    assert released[2] == bare[2] and len(bare[2]) >= 7, options
    return bare[:2], released[:2]


@tap.claim
def lightning_is_the_version_that_was_meant():
    wanted = os.environ.get("OLDER_LIGHTNING") or importlib.metadata.version("lightning")
    assert lightning.__version__ == wanted, (lightning.__version__, wanted)


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
    assert said == ["loopmem: validation within an epoch: the train workers are needed after it and stay"], said


class Stop(lightning.Callback):
    """Stops the training after the second batch; min_epochs may keep it going."""

    def on_train_batch_end(self, trainer, module, outputs, batch, index):
        trainer.should_stop = trainer.should_stop or index == 1


@tap.claim
def a_training_that_is_stopped_is_released_before_its_validation():
    for options in (dict(others=[Stop()]), dict(max_steps=2, val_check_interval=2)):
        bare, released = without_and_with(**options)
        assert len(bare[0]) == 5 and set(bare[0]) == {1}, (options, bare)
        assert set(released[0]) == {0} and said == [], (options, released, said)


@tap.claim
def a_stop_that_comes_too_early_releases_nothing_that_is_needed():
    bare, released = without_and_with(others=[Stop()], min_epochs=2, max_epochs=3)
    assert len(bare[0]) == len(released[0]) == 2 * 5 and set(released[0]) == {0}, released


@tap.claim
def several_train_loaders_at_once_are_released_together():
    # the shorter one of max_size ends by itself
    for mode, alive in (("max_size_cycle", 2), ("min_size", 2), ("max_size", 1)):
        bare, released = without_and_with(
            train=lambda: CombinedLoader([numbers(6), numbers(10)], mode), max_epochs=1)
        assert set(bare[0]) == {alive}, (mode, bare[0])
        assert set(released[0]) == {0} and said == [], (mode, released, said)


@tap.claim
def a_step_that_takes_the_iterator_itself_is_released_too():
    bare, released = without_and_with(step=Model.step_of_iterator)
    assert set(bare[0]) == {1} and set(released[0]) == {0} and said == [], (bare, released, said)


@tap.claim
def an_exception_in_validation_is_the_same_without_and_with():
    seen = []
    for callbacks in ([], [ReleaseIdleWorkers()]):
        try:
            fit(callbacks, fails=True)
        except ValueError as error:
            seen.append((repr(error), len(multiprocessing.active_children())))
    assert [error for error, _ in seen] == [repr(ValueError("in validation"))] * 2, seen
    assert seen[1][1] <= seen[0][1], seen


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
    trainer._is_training_done = True
    for _ in range(2):
        callback.on_train_batch_end(trainer, None, None, None, 0)
    assert len(said) == 1 and "not released" in said[0]


tap.run()
