"""faults.py: tells the faults of our code from exceptions that only passed through it."""
import sys


def raised_by_user(error):
    """Whether an exception that came out of our code is the user's: a signal handler that raised
    while our code happened to run. It must go where the user expects it."""
    if not isinstance(error, Exception):
        return True
    signals = sys.modules.get("_signal")
    if signals is None:
        return False
    handlers = [signals.getsignal(number) for number in range(1, signals.NSIG)]
    codes = [getattr(getattr(h, "__func__", h), "__code__", h) for h in handlers if callable(h)]
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if any(code is known for known in codes):
            return True
        trace = trace.tb_next
    return False


def swallow(error):
    """Counts a fault of ours; called where it was caught. The user's exceptions go on."""
    if raised_by_user(error):
        raise error
    shim.dropped()
