"""hook.py: waits for the modules that follow.py follows, and for phases that the program names.

Runs inside the user's program, started by python_boot.c, which gives every file here two names:
`shim` (the C functions of python_calls.c) and `load` (gives another file here as a module).
No module of ours is in sys.modules and nothing but `sys` and built-in modules is imported before
torch or multiprocessing is; nor are other files compiled than this one and faults.py, since every program
of Python pays for those.
"""
import posix
import sys

faults = load("faults")

# Modules, and by which function of follow.py each is followed.
WANTED = {
    "torch.utils.data.dataloader": "loaders",
    "multiprocessing.process": "starts",
    "concurrent.futures.process": "executor",
    "loky.process_executor": "executor",
    "joblib.externals.loky.process_executor": "executor",
}


class Finder:
    """First in sys.meta_path until all that it wants is imported: lets the others find that, and has
    it followed when its code has run. Finds nothing itself."""

    def __init__(self):
        self.wanted = set(WANTED)

    def find_spec(self, name, path=None, target=None):
        if name not in self.wanted:
            return None
        try:
            return load("follow").found(self, name, path, target)
        except Exception as error:
            faults.swallow(error)
            return None

    def follow(self, name, module):
        self.wanted.discard(name)
        if not self.wanted:
            sys.meta_path[:] = [other for other in sys.meta_path if other is not self]
        getattr(load("follow"), WANTED[name])(module)

    def follow_present(self, name):
        """Follows what is imported already. False: it is being imported at this moment."""
        module = sys.modules.get(name)
        if getattr(getattr(module, "__spec__", None), "_initializing", False):
            return False
        if module is not None:
            self.follow(name, module)
        return True


def phase(call, *arguments):
    """Raises nothing: it is called by the program."""
    try:
        getattr(load("phases"), call)(*arguments)
    except Exception as error:
        faults.swallow(error)


finder = Finder()


def install():
    """Follows what there is to follow now or when it is imported. False: ask again later."""
    sys._loopmem = lambda name, epoch: phase("begin", name, epoch), lambda: phase("end")
    shim.state(shim.INSTALLED, b"")
    if not any(other is finder for other in sys.meta_path):
        sys.meta_path.insert(0, finder)
    return all([finder.follow_present(name) for name in list(finder.wanted)])


posix.register_at_fork(before=shim.forking, after_in_parent=shim.forked)
