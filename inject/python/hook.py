"""hook.py: waits for the modules that follow.py follows, and for phases that the program names.

Runs inside the user's program, started by python_boot.c, which gives every file here two names:
`shim` (the C functions of python_calls.c) and `load` (gives another file here as a module).
No module of ours is in sys.modules and nothing but `sys` and built-in modules is imported before
torch or multiprocessing is. Every program of Python pays for compiling this file, so it is short, and no other
one is compiled before there is something to follow.
"""
import posix
import sys

# Modules that are followed: follow.FOLLOWED says how.
WANTED = ("torch.utils.data.dataloader", "multiprocessing.process", "concurrent.futures.process",
          "loky.process_executor", "joblib.externals.loky.process_executor")


class Finder:
    """First in sys.meta_path until all that it wants is imported: lets the others find that, and has
    it followed when its code has run. Finds nothing itself."""

    wanted = set(WANTED)

    def find_spec(self, name, path=None, target=None):
        if name in self.wanted:
            return attempt("follow", "found", self, name, path, target)


def attempt(file, function, *arguments):
    """Calls a function of another file. What it raises is no matter of the program, which called this."""
    try:
        return getattr(load(file), function)(*arguments)
    except Exception as error:
        load("faults").swallow(error)


finder = Finder()


def install():
    """Follows what there is to follow now or when it is imported. False: ask again later."""
    sys._loopmem = (lambda name, epoch: attempt("phases", "begin", name, epoch),
                    lambda: attempt("phases", "end"))
    shim.state(shim.INSTALLED, b"")
    if not any(other is finder for other in sys.meta_path):
        sys.meta_path.insert(0, finder)
    present = [name for name in finder.wanted if sys.modules.get(name) is not None]
    return not present or load("follow").follow_present(finder, present)


posix.register_at_fork(before=shim.forking, after_in_parent=shim.forked)
