"""lightning.py: what Lightning's loops on the stack tell about a loader that is being started.

Stage, epoch and name come from the loop; how many batches it will take from the combining iterator
that stands between the loop and the loader, where Lightning has put all its limits (sanity steps,
limit_*_batches, the loader's length). Only plain fields and Lightning's own properties are read.
"""
frames = load("frames")

PACKAGES = ("lightning.pytorch.", "pytorch_lightning.")
FIT = ("_FitLoop", "FitLoop", "_TrainingEpochLoop", "TrainingEpochLoop")
EVALUATE = ("_EvaluationLoop", "EvaluationLoop")
PREDICT = ("_PredictionLoop", "PredictionLoop")
STAGES = {"train": shim.TRAIN, "validate": shim.VALIDATE, "test": shim.TEST,
          "predict": shim.PREDICT, "sanity_check": shim.SANITY}

# How a combining iterator uses its `limits`, one per loader, for the loader it starts now.
LIMITS = {
    "_Sequential": lambda it: it.limits[it._iterator_idx],
    "_MaxSizeCycle": lambda it: max(it.limits) - it._idx,
    "_MaxSize": lambda it: max(it.limits),
    "_MinSize": lambda it: min(it.limits),
}


def known(thing):
    """Which of Lightning's classes an object is; None if it is not one of them."""
    for cls in type(thing).__mro__ if thing is not None else ():
        if cls.__module__.startswith(PACKAGES):
            return cls
    return None


def kind(thing):
    """The name of that class."""
    return getattr(known(thing), "__name__", None)


class Told:
    """What was learnt from the loops between the loader and the program, innermost first."""

    def __init__(self, loader):
        self.loader = loader
        self.combined = None  # the iterator that combines loaders
        self.stage = self.epoch = self.limit = self.label = None
        self.trainer = None  # the one whose loop it is
        self.package = None  # that loop's
        self.train_over = False  # this loader starts while that trainer's train epoch is at its end

    def see(self, thing):
        """Looks at the owner of one more frame."""
        name = kind(thing)
        if name in LIMITS:
            self.combined = thing
        elif name in FIT + EVALUATE + PREDICT:
            self.package = self.package or known(thing).__module__.partition(".")[0]
            if self.stage is None:
                self.read(name, thing)
            if name in ("_TrainingEpochLoop", "TrainingEpochLoop") and self.stage != shim.TRAIN:
                self.train_over = over(thing)

    def read(self, name, loop):
        trainer = self.trainer = loop.trainer
        if name in FIT:
            self.stage = shim.TRAIN
            loop = trainer.fit_loop
        elif name in PREDICT:
            self.stage = shim.PREDICT
        elif trainer.sanity_checking:
            self.stage = shim.SANITY
        else:
            stage = getattr(loop, "_stage", None) or trainer.state.stage
            self.stage = STAGES.get(str(getattr(stage, "value", stage)))
        if self.stage in (shim.TRAIN, shim.VALIDATE) and trainer.state.fn == "fit":
            self.epoch = trainer.current_epoch
        self.label = self.named(loop)
        if not loop.restarting:  # a resumed epoch takes fewer
            self.limit = self.taken()

    def named(self, loop):
        """`val_dataloader`, and which one of several."""
        source = getattr(getattr(loop, "_data_source", None), "name", None)
        loaders = getattr(self.combined, "iterables", ())
        if source and len(loaders) > 1:
            for index, loader in enumerate(loaders):
                if loader is self.loader:
                    return f"{source}[{index}]"
        return source or None

    def taken(self):
        """How many batches the loop will take from the loader; None if it has no limit."""
        if self.combined is None or not getattr(self.combined, "limits", None):
            return None
        count = LIMITS[kind(self.combined)](self.combined)
        return None if count == float("inf") else int(count)


def over(epoch_loop):
    """Whether the train epoch asks for no further batch: it was told to stop, or is complete."""
    trainer = epoch_loop.trainer
    return bool(epoch_loop._is_training_done
                or trainer.should_stop and trainer.fit_loop._can_stop_early)
