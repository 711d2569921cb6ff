"""phases.py: the two calls by which the `loopmem` package of a program names its phases.

hook.py leaves them in `sys._loopmem`, where the package looks at the start of each phase: it does not
matter which of the two is there first.
"""


def begin(name, epoch):
    stage = load("names").stage(name)
    shim.phase_begin(shim.OTHER if stage is None else stage,
                     shim.UNKNOWN if epoch is None else epoch,
                     name.encode("utf-8", "backslashreplace").replace(b"\0", b"?"))


def end():
    shim.phase_end()
