"""The hook with a recording shim, under libraries: each is tried where it is installed; those of
requirements-frameworks.txt lie in a folder of their own, behind all others."""
import importlib
import importlib.machinery
import os
import pathlib
import sys
import types
import warnings

import recorder
import tap

os.environ["KERAS_BACKEND"] = "torch"
sys.path.append(os.environ["VENV"] + "/frameworks")
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


def told_without_length():
    """Of loaders whose samplers are the framework's own: their lengths are not known."""
    return [(stage, epoch, batches) for stage, epoch, _, batches in told()]


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


class Anything:
    """Can be made of, called with and asked for anything."""

    def __init__(self, *args, **kwargs):
        pass

    def __call__(self, *args, **kwargs):
        return Anything()

    def __getattr__(self, name):
        return Anything()


class StandIn(types.ModuleType):
    """A library that a framework imports but does not need in these trainings."""

    __path__, __version__ = [], "0"

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (Anything,), {})


def stand_in(package, *modules):
    """For a library with these modules, where it is not installed."""
    try:
        return importlib.import_module(package)
    except ImportError:
        for name in (package, *(f"{package}.{module}" for module in modules)):
            module = sys.modules[name] = StandIn(name)
            module.__spec__ = importlib.machinery.ModuleSpec(name, None)
            outer, _, inner = name.rpartition(".")
            if outer:
                setattr(sys.modules[outer], inner, module)


class Pairs(Rows):
    def __getitem__(self, index):
        return torch.ones(4), torch.ones(1)


def loader(rows, kind=Pairs):
    return DataLoader(kind(rows), batch_size=4, num_workers=1)


@tap.claim
def keras_builds_a_pool_ahead_of_each_epoch():
    keras = needed("keras")
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse", run_eagerly=True)
    shim.calls.clear()
    model.fit(loader(16), validation_data=loader(8), epochs=2, verbose=0)
    model.evaluate(loader(8), verbose=0)
    model.predict(loader(12), verbose=0)
    frameworks = {spec["framework"] for spec in shim.begun().values()}
    assert frameworks == {f"keras {keras.__version__}"}, frameworks
    # it also looks at a first batch, and makes an iterator at each epoch's end that nobody asks
    used = [row for row in told() if row[3] > 1]
    assert used == [("train", 0, 4, 4), ("validate", 0, 2, 2), ("train", 1, 4, 4), ("validate", 1, 2, 2),
                    ("validate", -1, 2, 2), ("predict", -1, 3, 3)], told()
    assert {row[:2] for row in told()} == {row[:2] for row in used} | {("train", -1)}, told()


def mmengine_runner(**train):
    needed("mmengine")
    stand_in("cv2")
    stand_in("matplotlib", "pyplot", "figure", "backends", "backends.backend_agg", "collections", "patches")
    runner = importlib.import_module("mmengine.runner")
    evaluator, model = importlib.import_module("mmengine.evaluator"), importlib.import_module("mmengine.model")

    class Net(model.BaseModel):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(4, 1)

        def forward(self, x, labels, mode):
            out = self.layer(x)
            return {"loss": out.mean()} if mode == "loss" else (out,)

    class Metric(evaluator.BaseMetric):
        def process(self, batch, outputs):
            self.results.append(1)

        def compute_metrics(self, results):
            return {"count": len(results)}

    def data(rows):
        return dict(dataset=Rows(rows), batch_size=4, num_workers=1, collate_fn=dict(type="default_collate"),
                    sampler=dict(type="DefaultSampler", shuffle=False))

    shim.calls.clear()
    return runner.Runner(
        Net(), os.environ["TEST_TMP"], data(16), data(8), data(12), train_cfg=train, val_cfg={}, test_cfg={},
        optim_wrapper=dict(optimizer=dict(type="SGD", lr=0.1)), val_evaluator=[Metric()],
        test_evaluator=[Metric()], default_hooks=dict(checkpoint=None), log_level="ERROR",
        experiment_name=f"test{len(train)}")


@tap.claim
def mmengine_validates_after_its_epochs():
    runner = mmengine_runner(by_epoch=True, max_epochs=2)
    runner.train()
    runner.test()
    assert told_without_length() == [("train", 0, 4), ("validate", 0, 2), ("train", 1, 4), ("validate", 1, 2),
                                     ("test", -1, 3)], told()


@tap.claim
def mmengine_counts_iterations_through_its_epochs():
    mmengine_runner(by_epoch=False, max_iters=6, val_interval=3).train()
    assert told_without_length() == [("train", -1, 4), ("validate", -1, 2), ("train", 1, 2),
                                     ("validate", -1, 2)], told()


@tap.claim
def fastai_validates_and_predicts():
    learner, core = needed("fastai.learner"), importlib.import_module("fastai.data.core")
    load = importlib.import_module("fastai.data.load")
    loaders = core.DataLoaders(load.DataLoader(Pairs(16), bs=4, num_workers=1, shuffle=True),
                               load.DataLoader(Pairs(8), bs=4, num_workers=1))
    learn = learner.Learner(loaders, torch.nn.Linear(4, 1), loss_func=torch.nn.MSELoss())
    shim.calls.clear()
    with learn.no_logging():
        learn.fit(2, 0.1)
        learn.validate()
        learn.get_preds(ds_idx=1)
    assert told_without_length() == [("train", 0, 4), ("validate", 0, 2), ("train", 1, 4), ("validate", 1, 2),
                                     ("validate", -1, 2), ("predict", -1, 2)], told()


@tap.claim
def ultralytics_keeps_its_iterators():
    ultralytics, cv2, numpy = needed("ultralytics"), needed("cv2"), needed("numpy")
    root = pathlib.Path(os.environ["TEST_TMP"], "yolo")
    for part, count in (("train", 8), ("val", 4)):
        for kind in ("images", "labels"):
            (root / kind / part).mkdir(parents=True)
        for i in range(count):
            cv2.imwrite(f"{root}/images/{part}/{i}.png", numpy.zeros((64, 64, 3), dtype=numpy.uint8))
            (root / "labels" / part / f"{i}.txt").write_text("0 0.5 0.5 0.3 0.3\n")
    data = root / "data.yaml"
    data.write_text(f"path: {root}\ntrain: images/train\nval: images/val\nnames: [thing]\n")
    shim.calls.clear()
    model = ultralytics.YOLO("yolo11n.yaml")
    model.train(data=str(data), epochs=3, imgsz=64, batch=4, workers=0, device="cpu", plots=False, amp=False,
                project=str(root), close_mosaic=1, verbose=False)
    model.val(data=str(data), imgsz=64, workers=0, plots=False, verbose=False)
    # the train iterator is made anew for the last epoch, that of the validation serves four times
    assert [row[:2] for row in told()] == [("train", -1), ("validate", -1), ("train", -1), ("validate", -1)], told()


tap.run()
