"""stages.py: where a loader is being started: stage, epoch, name, line.

The stack is walked once, from the innermost frame outwards. First that applies: a label the user
set, Lightning's loops, other frameworks' functions, the names bound to the loader, its dataset.
"""
import _weakref
import sys

faults = load("faults")
frames = load("frames")
names = load("names")
frameworks = load("frameworks")
users = load("users")
length = load("length")

LABEL = "_loopmem_label"  # a person's name for a loader, set on it by loopmem.label()
EPOCHS = ("epoch", "current_epoch", "cur_epoch", "epoch_idx", "epoch_index", "epoch_num",
          "epoch_number", "i_epoch", "ep")
ONCE = (shim.TEST, shim.PREDICT, shim.SANITY)  # stages that plain loops have outside their epochs
WRAPPERS = 8  # objects around a loader that are followed by name

passes = {}  # id of a loader: (weak reference to it, how often it was started); see plain_epoch


class Place:
    """What was found. `limit` is how many batches the loop says it takes, `expected` how many are
    thought to come; `framework`: whose loop it is, and its version;
    `train_over`: this is started when `trainer`'s train epoch is at its end;
    `named`: the label is a person's, not one that was found."""

    stage = shim.OTHER
    epoch = limit = expected = trainer = None
    label = origin = framework = ""
    train_over = named = False


class Untold:
    """What Lightning's loops tell (lightning.Told) in a program that has not imported it."""

    stage = epoch = limit = label = trainer = package = None
    train_over = False

    def see(self, thing):
        pass


class Walk:
    def __init__(self, loader):
        self.wanted = [loader]  # the loader, then what wraps it
        lightning = any(name in sys.modules for name in ("lightning", "pytorch_lightning"))
        self.lightning = load("lightning").Told(loader) if lightning else Untold()
        self.label = names.Label()
        self.named = False  # an inner frame settled the name
        self.stage = self.framework_epoch = self.epoch = None
        self.origin = self.nearest = None
        self.asking = self.loop = None  # the package whose frame asks; the one whose loop told

    def visit(self, frame):
        module = frame.f_globals.get("__name__")
        module = module if type(module) is str else ""
        root = module.partition(".")[0]
        if root == "torch" or frame.f_code.co_filename.startswith("<loopmem>"):
            return
        pairs = frames.variables(frame)
        space = dict(pairs)
        owner = frames.owner(frame, space)
        try:
            self.lightning.see(owner)
        except Exception as error:  # a version that looks different: names may still tell
            faults.swallow(error)
        stage, epoch, loop = frameworks.told(module, frame.f_code.co_name, space, owner)
        self.loop = self.loop or self.lightning.package or loop
        self.stage = stage if self.stage is None else self.stage
        self.framework_epoch = epoch if self.framework_epoch is None else self.framework_epoch
        self.nearest = self.nearest or users.line(frame)
        of_user = users.is_users(frame, root)
        if self.asking is None:
            self.asking = frameworks.asking(module, of_user, frame.f_code.co_filename)
        if of_user:
            self.visit_user(frame, pairs, space, owner)
        self.wrap(owner)

    def visit_user(self, frame, pairs, space, owner):
        self.origin = self.origin or users.line(frame)
        if not self.named:
            self.named = self.label.offer(names.bound(pairs, owner, self.wanted))
        for source in (space, frames.fields(owner)):
            for name in EPOCHS:
                if self.epoch is None:
                    self.epoch = frameworks.number(source.get(name))

    def wrap(self, owner):
        """An object that holds the loader is looked for by name further out."""
        if owner is None or len(self.wanted) > WRAPPERS:
            return
        held = frames.fields(owner).values()
        if any(value is thing for value in list(held) for thing in self.wanted):
            self.wanted.append(owner)


def place(loader):
    """Where the caller's frame is starting this loader."""
    walk = Walk(loader)
    for frame in frames.callers():
        if frames.begins_process(frame):
            break
        walk.visit(frame)
    found = Place()
    told = walk.lightning
    found.origin = walk.origin or walk.nearest or ""
    found.framework = frameworks.named(walk.loop or walk.asking)
    found.trainer, found.train_over = told.trainer, told.train_over
    if told.stage is not None:
        found.stage, found.epoch, found.label = told.stage, told.epoch, told.label or ""
        found.limit = found.expected = told.limit
    else:
        found.stage = first(walk.stage, walk.label.stage, shim.OTHER)
        found.label = walk.label.text or ""
        found.epoch = walk.framework_epoch if walk.stage is not None else plain_epoch(walk, found)
        found.expected = length.batches(loader)
    by_user(loader, found)
    return found


def first(*values):
    return next(value for value in values if value is not None)


def plain_epoch(walk, found):
    """The epoch in a loop of the user's: its variable, else how often it was here before."""
    if found.stage in ONCE:
        return None
    before = count_pass(walk.wanted[0])
    return before if walk.epoch is None else walk.epoch


def count_pass(loader):
    """How often a loader was started before this time."""
    key = id(loader)
    known, before = passes.get(key, (None, 0))
    if known is None or known() is not loader:
        known, before = _weakref.ref(loader, lambda _: passes.pop(key, None)), 0
    passes[key] = known, before + 1
    return before


def by_user(loader, found):
    """A name that a person gave the loader replaces the one found, and the stage if it tells one."""
    label = frames.fields(loader).get(LABEL)
    if type(label) is str and label:
        found.label, found.named = label, True
        found.stage = first(names.stage(label), found.stage)
