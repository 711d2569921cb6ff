"""frameworks.py: what frames of training frameworks tell about a loader that is being started.

Loops nest: the innermost rule that knows the stage wins, its epoch may come from further out.
Frameworks that are not listed are user code to us: there the names tell (names.py).
"""
import sys

frames = load("frames")
names = load("names")
users = load("users")

# module, function in it, stage, its variable with the epoch
FUNCTIONS = (
    ("transformers.trainer", "_inner_training_loop", shim.TRAIN, "epoch"),
    ("transformers.trainer", "train", shim.TRAIN, None),
    ("transformers.trainer", "evaluate", shim.VALIDATE, None),
    ("transformers.trainer", "predict", shim.PREDICT, None),
    ("fastai.learner", "_do_epoch_train", shim.TRAIN, None),
    ("fastai.learner", "_do_epoch", shim.VALIDATE, None),
    ("fastai.learner", "validate", shim.VALIDATE, None),
    ("fastai.learner", "get_preds", shim.PREDICT, None),
    ("fastai.learner", "_do_fit", None, "epoch"),
    ("keras.src.backend.torch.trainer", "fit", shim.TRAIN, "epoch"),
    ("keras.src.backend.torch.trainer", "evaluate", shim.VALIDATE, None),
    ("keras.src.backend.torch.trainer", "predict", shim.PREDICT, None),
    ("ultralytics.engine.trainer", "_do_train", shim.TRAIN, None),
    ("composer.trainer.trainer", "_train_loop", shim.TRAIN, None),
    ("composer.trainer.trainer", "_spin_dataloaders_to_cur_epoch", shim.OTHER, None),  # all of them
    ("composer.trainer.trainer", "_eval_loop", shim.VALIDATE, None),
    ("composer.trainer.trainer", "predict", shim.PREDICT, None),
)

# module of the class, class of `self`, stage, its field with the epoch, method in which that is one ahead
CLASSES = (
    ("mmengine.runner.loops", "EpochBasedTrainLoop", shim.TRAIN, "_epoch", "run"),
    ("mmengine.runner.loops", "IterBasedTrainLoop", shim.TRAIN, None, None),
    ("mmengine.runner.loops", "_InfiniteDataloaderIterator", shim.TRAIN, "_epoch", None),
    ("mmengine.runner.loops", "ValLoop", shim.VALIDATE, None, None),
    ("mmengine.runner.loops", "TestLoop", shim.TEST, None, None),
    ("ultralytics.engine.validator", "BaseValidator", shim.VALIDATE, None, None),
)

# package, function in it, its variable whose value is the name of the stage
MODES = (
    ("ultralytics", "get_dataloader", "mode"),
)

# Packages whose frames, when they ask for batches, are a loop of theirs; of the other packages of
# users.LIBRARIES a frame only passes on what an outer one asks for.
LOOPS = ("lightning.pytorch.loops", "pytorch_lightning.loops", "transformers.trainer",
         "mmengine", "ultralytics", "fastai", "keras", "composer")
OTHERS = ("transformers",)  # packages that ask in other ways, too: whose switches are not known
NAMES = {"pytorch_lightning": "lightning"}  # frameworks with two packages


def inside(module, packages):
    return any(module == name or module.startswith(name + ".") for name in packages)


def asking(module, of_user, file):
    """The package whose loop asks for batches, if a frame of this module is the innermost that is
    not between: "torch" for a loop of the user's own; "" for one of an installed package of which
    nothing is known. None: the frame passes on."""
    root = module.partition(".")[0]
    if inside(module, LOOPS):
        return root
    if of_user and not users.is_installed(file):
        return "torch"
    return "" if of_user or root in OTHERS else None


def named(package):
    """"lightning 2.6.1" for the package whose loop it is, "" for none."""
    if not package:
        return ""
    version = getattr(sys.modules.get(package), "__version__", None)
    name = NAMES.get(package, package)
    return f"{name} {str.__str__(version)}" if isinstance(version, str) else name


def matching(table, module, name):
    return [row[2:] + (row[0].partition(".")[0],) for row in table
            if row[1] == name and inside(module, row[:1])]


def number(value, less=0):
    return value - less if type(value) is int and less <= value < 1 << 31 else None


def told(module, function, space, owner):
    """(stage, epoch, package whose rule it was) that one frame tells, any may be None. `space`: its
    variables."""
    stage = epoch = package = None
    rules = [rule[:2] + (space, 0) + rule[2:] for rule in matching(FUNCTIONS, module, function)]
    for cls in type(owner).__mro__ if owner is not None else ():
        rules += [rule[:2] + (frames.fields(owner), function == rule[2]) + rule[3:]
                  for rule in matching(CLASSES, cls.__module__, cls.__name__)]
    for rule_stage, rule_epoch, source, ahead, package in rules:
        stage = rule_stage if stage is None else stage
        epoch = number(source.get(rule_epoch), ahead) if epoch is None else epoch
    for mode, package in matching(MODES, module, function):
        value = space.get(mode)
        stage = names.stage(value) if type(value) is str else stage
    return stage, epoch, package
