"""names.py: what the name of a variable says about the loader that is bound to it.

A stage is read from whole words only, and only if no word says another one: `train_loader`,
`self.val_dl`, `trainloader`, `loaders['test']` are clear, `train_eval_loader` is not, `validator`
says nothing.
"""
import re

frames = load("frames")

WORDS = {
    shim.TRAIN: "train training trn pretrain finetune fit",
    shim.SANITY: "sanity",
    shim.VALIDATE: "val valid validate validation eval evaluate evaluation dev",
    shim.TEST: "test testing tst",
    shim.PREDICT: "predict prediction predictions pred infer inference",
}
STAGES = {word: stage for stage, words in WORDS.items() for word in words.split()}

# Said of any loader: taken off the end of a word (`trainloader`), alone they name no loader.
ENDINGS = ("dataloaders", "dataloader", "loaders", "loader", "dataset", "datasets", "data", "set",
           "iterator", "iterable", "iter", "dl", "ds")
NOTHING = frozenset(ENDINGS) | frozenset("it self obj x batches source args kwargs".split())

CONTAINER = 64  # containers longer than this are not looked into
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def words(name):
    for word in WORD.findall(name):
        word = word.lower()
        for ending in ENDINGS:
            if word.endswith(ending) and word != ending:
                word = word[: -len(ending)]
                break
        yield word


def stage(name):
    """The stage that a name tells, None if it tells none or two."""
    found = {STAGES[word] for word in words(name) if word in STAGES}
    return found.pop() if len(found) == 1 else None


def telling(name):
    """Whether a person chose this name for this loader rather than for any loader."""
    return any(word not in NOTHING for word in words(name))


def within(name, value, wanted):
    """Names by which a variable leads to one of the wanted objects: itself or one step inside."""
    if any(value is thing for thing in wanted):
        yield name
    elif type(value) is dict and len(value) <= CONTAINER:
        for key, inner in list(value.items()):
            if type(key) is str and any(inner is thing for thing in wanted):
                yield f"{name}[{key!r}]"
    elif type(value) in (list, tuple) and len(value) <= CONTAINER:
        for index, inner in enumerate(list(value)):
            if any(inner is thing for thing in wanted):
                yield f"{name}[{index}]"


def bound(pairs, owner, wanted):
    """Names by which a frame's variables and the fields of its `self` lead to a wanted object."""
    found = []
    for name, value in pairs + list(frames.fields(owner).items()):
        found += within(name, value, wanted)
    return found


class Label:
    """The best name found so far, from the innermost frame outwards: the first that tells a stage,
    else the outermost that tells anything, since parameters are named more generally."""

    def __init__(self):
        self.text = None
        self.stage = None

    def offer(self, found):
        """Takes the names of one more frame; returns whether the stage is settled."""
        stages = {stage(name) for name in found} - {None}
        if len(stages) > 1:  # one loader under two names: `val_loader = train_loader`
            self.text = found[0]
            return True
        for name in found:
            if stages and stage(name) is not None:
                self.text, self.stage = name, stages.pop()
                return True
            if telling(name):
                self.text = name
                break
        return False
