"""Names that a training program gives loopmem: its phases and its loaders.

Where the program is not profiled these calls do nothing, so they may stay in production code. The
package is pure Python, imports nothing but the standard library, and knows nothing of torch.
"""
from __future__ import annotations

import contextlib
import sys
from typing import Iterator, Optional, TypeVar

__all__ = ["label", "phase"]

Loader = TypeVar("Loader")


@contextlib.contextmanager
def phase(name: str, epoch: Optional[int] = None) -> Iterator[None]:
    """The time within is a phase of this name: `with loopmem.phase("warmup"):`, or a decorator of a
    function. Phases nest. A name that says a stage ("validate", "final test") makes it one."""
    calls = getattr(sys, "_loopmem", None)  # left there by loopmem's library
    if calls is None:
        yield
        return
    begin, end = calls
    begin(name, epoch)
    try:
        yield
    finally:
        end()


def label(loader: Loader, name: str) -> Loader:
    """Gives the pools of a data loader a name: they are shown as `"hard negatives" #4 e1`. Returns the
    loader. To be called before it is iterated over, on the very object that will be."""
    with contextlib.suppress(AttributeError, TypeError):  # an object that takes no attributes
        loader._loopmem_label = name  # type: ignore[attr-defined]
    return loader
