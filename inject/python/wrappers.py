"""wrappers.py: what stands in the place of a function that has our calls around it.

Called, it is C and has no frame (shim.around); bound, it is a method as the function would be
(shim.method); looked at, it is the function: signatures, documentation, source, pickles.
"""


class Wrapper:
    """What is the same for all: each function has a class of its own below it, since calls go to the class."""

    def __getattr__(self, name):
        return getattr(self.__wrapped__, name)

    def __repr__(self):
        return repr(self.__wrapped__)

    def __reduce_ex__(self, protocol):
        return self.__wrapped__.__qualname__


def around(function, before, after):
    """What to put in the place of a function: see python_around.h for what it calls."""
    own = type("Wrapper", (Wrapper,), {
        "__call__": staticmethod(shim.around(function, before, after)),
        "__wrapped__": staticmethod(function),
        "__class__": type(function),
        "__doc__": getattr(function, "__doc__", None),
        "__module__": getattr(function, "__module__", None),
    })
    return shim.method(own())
