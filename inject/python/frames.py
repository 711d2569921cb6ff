"""frames.py: reads the variables of running frames and leaves no trace in them.

`frame.f_locals` of a function would, up to Python 3.12, hang a dictionary on the frame that keeps
every value in it alive until the function returns. So values are read in place (shim.values), and
attributes only from instance dictionaries: no property, __getattr__ or __eq__ of the user runs.
"""
import sys

OPTIMIZED = 0x1  # co_flags: variables live in slots, not in a dictionary
SHOWN = 200  # frames looked at, from the innermost


def callers():
    """The frames above the caller, innermost first."""
    frame = sys._getframe(2)
    for _ in range(SHOWN):
        if frame is None:
            return
        yield frame
        frame = frame.f_back


def begins_process(frame):
    """Whether multiprocessing entered this process here: in a forked one the frames above are copies
    of its parent's, and nothing of them runs in it."""
    return (frame.f_code.co_name == "_bootstrap"
            and frame.f_globals.get("__name__") == "multiprocessing.process")


def slots(code):
    """Names of the variables of a function in the order of their slots."""
    if sys.version_info < (3, 11):
        return code.co_varnames + code.co_cellvars + code.co_freevars
    cells = tuple(name for name in code.co_cellvars if name not in code.co_varnames)
    return code.co_varnames + cells + code.co_freevars


def variables(frame):
    """(name, value) of every variable that is set; for module level those of the module."""
    code = frame.f_code
    if not code.co_flags & OPTIMIZED:
        space = frame.f_locals
        return list(space.items()) if type(space) is dict else []
    names = slots(code)
    return [pair for pair in zip(names, shim.values(frame, names)) if pair[1] is not None]


def owner(frame, space):
    """The object whose method runs in a frame with these variables, None for plain functions."""
    return space.get("self") if frame.f_code.co_varnames[:1] == ("self",) else None


def fields(thing):
    """The instance dictionary of an object, {} if it has none."""
    try:
        found = object.__getattribute__(thing, "__dict__")
    except (AttributeError, TypeError):
        return {}
    return found if type(found) is dict else {}
