"""The hook with a recording shim, under libraries: each is tried where it is installed."""
import importlib
import os
import warnings

import recorder
import tap

shim = recorder.start()

import torch
from torch.utils.data import DataLoader, Dataset

warnings.filterwarnings("ignore")


def needed(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        raise tap.Skip(f"{name} is not installed")


class Rows(Dataset):
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return {"x": torch.ones(4), "labels": torch.tensor(1.0)}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def forward(self, x, labels=None):
        logits = self.layer(x).squeeze(-1)
        return {"loss": ((logits - labels) ** 2).mean(), "logits": logits}


def told():
    assert shim.drops == [], shim.drops
    return [(spec["stage"], spec["epoch"], spec["expected"],
             sum(call[0] == "next_end" and call[1:] == (pool, 1) for call in shim.calls))
            for pool, spec in shim.begun().items()]


def loops():
    """Whose loops the pools are said to be, with the version."""
    return {spec["framework"] for spec in shim.begun().values()}


def version(name):
    return f"{name} {needed(name).__version__}"


def hugging_face(**options):
    transformers = needed("transformers")
    needed("accelerate")
    arguments = transformers.TrainingArguments(
        output_dir=os.environ["TEST_TMP"], num_train_epochs=2, per_device_train_batch_size=4,
        per_device_eval_batch_size=4, dataloader_num_workers=1, report_to=[], use_cpu=True,
        save_strategy="no", logging_strategy="no", disable_tqdm=True, **options)
    shim.calls.clear()
    return transformers.Trainer(Model(), arguments, train_dataset=Rows(16), eval_dataset=Rows(8))


@tap.claim
def hugging_face_evaluates_after_each_epoch():
    trainer = hugging_face(eval_strategy="epoch")
    trainer.train()
    trainer.evaluate()
    trainer.predict(Rows(12))
    assert told() == [("train", 0, 4, 4), ("validate", 0, 2, 2), ("train", 1, 4, 4),
                      ("validate", 1, 2, 2), ("validate", -1, 2, 2), ("predict", -1, 3, 3)], told()
    assert loops() == {version("transformers")}, loops()


@tap.claim
def hugging_face_evaluates_within_an_epoch():
    hugging_face(eval_strategy="steps", eval_steps=2).train()
    assert told() == [("train", 0, 4, 4), ("validate", 0, 2, 2), ("validate", 0, 2, 2),
                      ("train", 1, 4, 4), ("validate", 1, 2, 2), ("validate", 1, 2, 2)], told()


@tap.claim
def accelerate_is_seen_through():
    accelerator = needed("accelerate").Accelerator(cpu=True)
    shim.calls.clear()

    def main():
        train_dl, eval_dl = accelerator.prepare(
            DataLoader(Rows(8), batch_size=2, num_workers=1), DataLoader(Rows(4), batch_size=2))
        for epoch in range(2):
            for _ in train_dl:
                pass
            for _ in eval_dl:
                pass

    main()
    assert told() == [("train", 0, 4, 4), ("validate", 0, 2, 2), ("train", 1, 4, 4),
                      ("validate", 1, 2, 2)], told()
    assert loops() == {version("torch")}, loops()


@tap.claim
def stateful_loaders_are_adopted():
    kind = needed("torchdata.stateful_dataloader").StatefulDataLoader
    for options in ({"num_workers": 2}, {"num_workers": 0}):
        shim.calls.clear()
        train_loader = kind(Rows(8), batch_size=2, **options)
        for _ in train_loader:
            train_loader.state_dict()
        assert told() == [("train", 0, 4, 4)], told()
        ((pool, spec),) = shim.begun().items()
        assert spec["flags"] == shim.STATEFUL
        assert shim.of(pool).count("pool_worker*2") == (options["num_workers"] == 2)


@tap.claim
def progress_bars_are_seen_through():
    tqdm = needed("tqdm").tqdm
    shim.calls.clear()

    def main():
        val_loader = DataLoader(Rows(4), batch_size=2, num_workers=1)
        for _ in tqdm(val_loader, disable=True):
            pass
        for _ in tqdm(enumerate(val_loader), disable=None, file=open(os.devnull, "w")):
            pass

    main()
    assert told() == [("validate", 0, 2, 2), ("validate", 1, 2, 2)], told()
    assert loops() == {version("torch")}, loops()


@tap.claim
def fabric_is_seen_through():
    fabric = needed("lightning").Fabric(accelerator="cpu", devices=1)
    shim.calls.clear()

    def main():
        train_loader = fabric.setup_dataloaders(DataLoader(Rows(4), batch_size=2, num_workers=1))
        for epoch in range(2):
            for _ in train_loader:
                pass

    main()
    assert told() == [("train", 0, 2, 2), ("train", 1, 2, 2)], told()
    assert loops() == {version("torch")}, loops()


@tap.claim
def a_loop_that_is_not_known_is_nobodys():
    shim.calls.clear()
    loader = DataLoader(Rows(4), batch_size=2, num_workers=1)
    for file, module, wanted in (
            ("/usr/lib/python3/dist-packages/loops/fit.py", "loops.fit", ""),
            ("/home/me/venv/lib/site-packages/transformers/pipelines/base.py",
             "transformers.pipelines.base", ""),
            ("/home/me/venv/lib/site-packages/keras/src/of_tomorrow.py", "keras.src.of_tomorrow",
             "keras"),
            ("/home/me/loops/fit.py", "loops.fit", version("torch"))):
        code = compile("for batch in loader: pass", file, "exec")
        exec(code, {"__name__": module, "loader": loader})
        assert loops() == {wanted}, (module, loops())
        shim.calls.clear()


tap.run()
