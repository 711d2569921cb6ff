"""The hook with a recording shim, under Lightning: pools of every stage, limits and ends."""
import logging
import warnings

import recorder
import tap

shim = recorder.start()

import lightning
import pytorch_lightning
import torch
from torch.utils.data import DataLoader, IterableDataset, TensorDataset

warnings.filterwarnings("ignore")
for package in ("lightning.pytorch", "pytorch_lightning"):
    logging.getLogger(package).setLevel(logging.ERROR)

QUIET = dict(logger=False, enable_checkpointing=False, enable_progress_bar=False,
             enable_model_summary=False, accelerator="cpu", num_sanity_val_steps=0)


def model_of(package):
    class Model(package.LightningModule):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(1, 1)

        def training_step(self, batch, _):
            return self.layer(batch[0]).mean()

        def validation_step(self, batch, _, dataloader_idx=0):
            self.layer(batch[0])

        def test_step(self, batch, _):
            self.layer(batch[0])

        def predict_step(self, batch, _):
            return self.layer(batch[0])

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 0.1)

    return Model()


class Stream(IterableDataset):
    def __init__(self, count):
        self.count = count

    def __iter__(self):
        return iter([torch.zeros(1)] for _ in range(self.count))


def loader(batches, **options):
    return DataLoader(TensorDataset(torch.randn(2 * batches, 1)), batch_size=2,
                      **{"num_workers": 1, **options})


def trainer(package=lightning, **options):
    shim.calls.clear()
    return package.Trainer(**{**QUIET, "max_epochs": 2, **options})


def told():
    """(stage, epoch, limit, batches taken) of each pool, in order of birth."""
    assert shim.drops == [], shim.drops
    return [(spec["stage"], spec["epoch"], spec["expected"],
             sum(call[0] == "next_end" and call[1:] == (pool, 1) for call in shim.calls))
            for pool, spec in shim.begun().items()]


def loops():
    """Whose loops the pools are said to be, with the version."""
    return {spec["framework"] for spec in shim.begun().values()}


def pools(stage, epoch):
    return list(shim.begun(stage=stage, epoch=epoch))


@tap.claim
def a_fit_is_told_epoch_by_epoch_in_both_packages():
    for package in (lightning, pytorch_lightning):
        trainer(package, num_sanity_val_steps=2).fit(model_of(package), loader(4), loader(3))
        assert told() == [("sanity", -1, 2, 2), ("train", 0, 4, 4), ("validate", 0, 3, 3),
                          ("train", 1, 4, 4), ("validate", 1, 3, 3)], (package, told())
        assert all(shim.of(pool)[-1] == "pool_end" for pool in shim.begun())
        assert loops() == {f"lightning {package.__version__}"}, loops()


@tap.claim
def the_retention_is_told_as_it_is():
    trainer(num_sanity_val_steps=2).fit(model_of(lightning), loader(4), loader(3))
    (sanity,), (train,), (val,) = pools("sanity", -1), pools("train", 0), pools("validate", 0)
    (later,) = pools("train", 1)
    # exhausted and alive: the sanity pool through train, train through validation
    assert shim.at("pool_exhausted", sanity) < shim.at("pool_begin", train)
    assert shim.at("pool_end", sanity) > shim.at("pool_begin", val)
    assert shim.at("pool_exhausted", train) < shim.at("pool_begin", val)
    assert shim.at("pool_end", train) > shim.at("pool_exhausted", val)
    # built before the old one is dropped
    assert shim.at("pool_begin", later) < shim.at("pool_end", train)


@tap.claim
def standalone_stages_have_no_epoch():
    model, one = model_of(lightning), trainer()
    one.validate(model, loader(2), verbose=False)
    one.test(model, loader(3), verbose=False)
    one.predict(model, loader(4))
    assert told() == [("validate", -1, 2, 2), ("test", -1, 3, 3), ("predict", -1, 4, 4)]


@tap.claim
def several_validation_loaders_are_several_pools():
    trainer(max_epochs=1).fit(model_of(lightning), loader(4), [loader(3), loader(5)])
    assert told() == [("train", 0, 4, 4), ("validate", 0, 3, 3), ("validate", 0, 5, 5)]
    labels = [spec["label"] for spec in shim.begun().values()]
    assert labels == ["train_dataloader", "val_dataloader[0]", "val_dataloader[1]"]


@tap.claim
def limits_of_the_loop_exhaust_a_pool():
    trainer(max_epochs=1, limit_train_batches=2, limit_val_batches=1).fit(
        model_of(lightning), loader(6), loader(5))
    assert told() == [("train", 0, 2, 2), ("validate", 0, 1, 1)]
    (train,), (val,) = pools("train", 0), pools("validate", 0)
    assert shim.at("pool_exhausted", train) < shim.at("pool_begin", val)
    assert ("pool_exhausted", val) in shim.calls


@tap.claim
def validation_within_an_epoch_leaves_the_train_pool_open():
    trainer(max_epochs=1, val_check_interval=2).fit(model_of(lightning), loader(4), loader(2))
    assert told() == [("train", 0, 4, 4), ("validate", 0, 2, 2), ("validate", 0, 2, 2)]
    (train,), (first, second) = pools("train", 0), pools("validate", 0)
    assert shim.at("pool_begin", first) < shim.at("pool_exhausted", train)
    assert shim.at("pool_exhausted", train) < shim.at("pool_begin", second)


@tap.claim
def a_stop_exhausts_the_train_pool_when_validation_begins():
    class Stop(lightning.Callback):
        def on_train_batch_end(self, trainer, module, outputs, batch, index):
            trainer.should_stop = index == 1

    trainer(callbacks=[Stop()]).fit(model_of(lightning), loader(6), loader(2))
    assert told() == [("train", 0, 6, 2), ("validate", 0, 2, 2)]
    (train,), (val,) = pools("train", 0), pools("validate", 0)
    assert shim.at("pool_exhausted", train) < shim.at("pool_begin", val)


@tap.claim
def persistent_workers_are_one_pool_used_for_each_stage():
    trainer(num_sanity_val_steps=1).fit(model_of(lightning), loader(4, persistent_workers=True),
                                        loader(3, persistent_workers=True))
    (val, spec), (train, _) = shim.begun().items()
    assert spec["stage"] == "sanity"
    uses = [call[1:] for call in shim.calls if call[0] == "pool_reuse"]
    assert uses == [(val, shim.VALIDATE, 0), (train, shim.TRAIN, 1), (val, shim.VALIDATE, 1)]
    limits = [call[1:] for call in shim.calls if call[0] == "pool_expect"]
    assert limits == [(val, 3), (train, 4), (val, 3)]
    assert shim.of(val).count("pool_exhausted") == 3 and shim.of(train).count("pool_exhausted") == 2


@tap.claim
def unsized_loaders_end_themselves():
    trainer(max_epochs=1).fit(model_of(lightning), DataLoader(Stream(4), num_workers=1),
                              DataLoader(Stream(2), num_workers=1))
    assert told() == [("train", 0, -1, 4), ("validate", 0, -1, 2)]
    (train,), (val,) = pools("train", 0), pools("validate", 0)
    assert shim.at("pool_end", train) < shim.at("pool_begin", val)


@tap.claim
def loaders_without_workers_are_pools_too():
    trainer(max_epochs=1).fit(model_of(lightning), loader(3, num_workers=0),
                              loader(2, num_workers=0))
    assert told() == [("train", 0, 3, 3), ("validate", 0, 2, 2)]
    assert all(("pool_exhausted", pool) in shim.calls for pool in shim.begun())


@tap.claim
def loaders_combined_to_the_longest_are_cycled():
    trainer(max_epochs=1).fit(model_of_pair(), {"a": loader(4), "b": loader(2)})
    train = [row for row in told() if row[0] == "train"]
    # `b` is started anew after two batches, for the two that the loop still takes
    assert sorted(train) == [("train", 0, 2, 2), ("train", 0, 4, 2), ("train", 0, 4, 4)], train


class Within(torch.utils.data.Dataset):
    """Each item iterates a loader of its own in the worker, and is what the hook there said of it."""

    def __len__(self):
        return 4

    def __getitem__(self, index):
        for _ in DataLoader(range(6), batch_size=1):
            pass
        spec = shim.begun()[max(shim.begun())]
        return torch.tensor([recorder.STAGES.index(spec["stage"].upper()), spec["epoch"],
                             spec["expected"]])


@tap.claim
def a_loader_within_a_worker_is_not_the_loops():
    told_within = []
    model = model_of(lightning)
    model.training_step = lambda batch, batch_idx: told_within.extend(batch.tolist())
    model.automatic_optimization = False
    trainer(max_epochs=1, limit_train_batches=2).fit(model, DataLoader(Within(), num_workers=1))
    # neither the stage nor the limit of the loop that the worker was forked in
    assert [(stage, expected) for stage, _, expected in told_within] == [(0, 6)] * 2, told_within


@tap.claim
def loaders_combined_to_the_shortest_or_the_longest_are_pools_each():
    combined = lightning.pytorch.utilities.CombinedLoader
    for mode, taken in (("min_size", [2, 2]), ("max_size", [2, 4])):
        trainer(max_epochs=1).fit(model_of_pair(), combined({"a": loader(4), "b": loader(2)}, mode))
        assert sorted(row[3] for row in told()) == taken, (mode, told())
        assert {row[:2] for row in told()} == {("train", 0)}, (mode, told())
        labels = sorted(spec["label"] for spec in shim.begun().values())
        assert labels == ["train_dataloader[0]", "train_dataloader[1]"], labels
        assert all(("pool_exhausted", pool) in shim.calls for pool in shim.begun()), mode


@tap.claim
def max_steps_ends_the_train_pool_where_the_loop_does():
    trainer(max_epochs=-1, max_steps=5, val_check_interval=4).fit(
        model_of(lightning), loader(4), loader(2))
    assert told() == [("train", 0, 4, 4), ("validate", 0, 2, 2), ("train", 1, 4, 1)], told()
    (last,) = pools("train", 1)
    assert shim.of(last)[-1] == "pool_end"


def model_of_pair():
    model = model_of(lightning)
    step = model.training_step

    def training_step(batch, batch_idx):
        return sum(step(part, 0) for part in batch.values() if part is not None)

    model.training_step = training_step
    return model


@tap.claim
def a_lightning_that_looks_different_leaves_pools_without_a_name():
    lightning_py = shim.load("lightning")
    read, lightning_py.Told.read = lightning_py.Told.read, lambda *_: 1 / 0
    try:
        trainer(max_epochs=1).fit(model_of(lightning), loader(2))
    finally:
        lightning_py.Told.read = read
    assert shim.drops and all("ZeroDivision" in drop for drop in shim.drops)
    shim.drops.clear()
    ((stage, _, _, batches),) = told()
    assert (stage, batches) == ("other", 2)
    assert loops() == {f"lightning {lightning.__version__}"}, loops()


@tap.claim
def a_loop_of_ones_own_over_combined_loaders_is_no_lightning():
    shim.calls.clear()
    for _ in lightning.pytorch.utilities.CombinedLoader(loader(2), "min_size"):
        pass
    assert loops() == {f"torch {torch.__version__}"}, loops()


@tap.claim
def reloaded_loaders_keep_their_epoch():
    model = model_of(lightning)
    model.train_dataloader = lambda: loader(2)
    trainer(reload_dataloaders_every_n_epochs=1).fit(model)
    # Lightning starts the reloaded loader twice and throws the first iterator away
    assert [(row[0], row[1]) for row in told()] == [("train", 0), ("train", 1), ("train", 1)]


tap.run()
