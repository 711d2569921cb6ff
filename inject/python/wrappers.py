"""wrappers.py: what stands in the place of a function that has our calls around it.

Called, it is C and has no frame (shim.around); bound, it is a method as the function would be
(shim.method); looked at, it is the function: signatures, documentation, source, pickles.
"""


def around(function, before, after):
    """What to put in the place of a function: see python_around.h for what it calls."""

    class Wrapper:
        __call__ = staticmethod(shim.around(function, before, after))
        __wrapped__ = staticmethod(function)
        __class__ = type(function)
        __doc__ = getattr(function, "__doc__", None)
        __module__ = getattr(function, "__module__", None)

        def __getattr__(self, name):
            return getattr(function, name)

        def __repr__(self):
            return repr(function)

        def __reduce_ex__(self, protocol):
            return function.__qualname__

    return shim.method(Wrapper())
