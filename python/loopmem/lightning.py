"""A Lightning callback that takes back what idle data workers hold: `ReleaseIdleWorkers`.

Lightning keeps the train iterator, and with it the worker processes, while it validates, and the
validation iterator while it trains, since a loop of known length never makes the `next()` at which
torch ends them. The callback drops those iterators as soon as their last batch was used; the next
epoch makes new ones, as it does without it, so no result and no number of forks changes.

The iterators lie in fields of Lightning that are not public (as of 2.4 and 2.6). What they have
to look like is checked each time; where it is not so nothing is touched and the logger `loopmem` says so once.
"""
from __future__ import annotations

import importlib
import logging
import sys
from typing import Any, List, Optional, Set, Type

__all__ = ["ReleaseIdleWorkers"]

PACKAGES = ("lightning.pytorch", "pytorch_lightning")
log = logging.getLogger("loopmem")


def _callback_classes() -> List[Type[Any]]:
    """Callback of each package that the program uses: a Trainer asks for its own package's."""
    loaded = [sys.modules[name].Callback for name in PACKAGES if name in sys.modules]
    for name in () if loaded else PACKAGES:
        try:
            return [importlib.import_module(name).Callback]
        except ImportError:
            continue
    if not loaded:
        raise ImportError("loopmem.lightning needs the package lightning or pytorch_lightning")
    return loaded


def _path(thing: Any, *names: str) -> Any:
    """An attribute of an attribute; None where one is missing."""
    for name in names:
        thing = getattr(thing, name, None)
    return thing


def _fits(trainer: Any) -> bool:
    return bool(_path(trainer, "state", "fn") == "fit")


def _has_workers(combined: Any) -> bool:
    return any(getattr(loader, "num_workers", 0) for loader in _path(combined, "flattened") or ())


class ReleaseIdleWorkers(*_callback_classes()):  # type: ignore[misc]
    """Ends the train workers after the last batch of an epoch, before validation starts its own, and
    each validation loader's after its last: `Trainer(callbacks=[ReleaseIdleWorkers()])`.

    Left alone: the train workers during validation within an epoch, loaders with persistent_workers,
    and loaders with a state_dict (torchdata's StatefulDataLoader). Each is told once, to the logger
    `loopmem`."""

    def __init__(self) -> None:
        super().__init__()
        self._said: Set[str] = set()

    def on_train_batch_end(self, trainer: Any, *_: Any, **__: Any) -> None:
        # the epoch's end, or max_steps: no later callback can change that
        if _path(trainer, "fit_loop", "epoch_loop", "_is_training_done"):
            self._release_train(trainer)

    def on_validation_start(self, trainer: Any, *_: Any) -> None:
        epoch_loop = _path(trainer, "fit_loop", "epoch_loop")
        if not _fits(trainer) or trainer.sanity_checking or epoch_loop is None:
            return
        if _path(epoch_loop, "_is_training_done"):
            return
        if trainer.should_stop and _path(trainer, "fit_loop", "_can_stop_early"):
            self._release_train(trainer)  # should_stop is known for good only now
        elif _has_workers(_path(trainer, "fit_loop", "_combined_loader")):
            self._say("validation within an epoch: the train workers are needed after it and stay")

    def on_validation_batch_end(self, trainer: Any, *_: Any, **__: Any) -> None:
        mode = _path(trainer, "fit_loop", "epoch_loop", "val_loop", "_combined_loader", "_iterator")
        limits, index = _path(mode, "limits"), _path(mode, "_iterator_idx")
        # one of several loaders: Lightning would make the next one's workers before it drops these
        if limits and index in range(len(limits)) and limits[index] <= mode._idx:
            self.on_validation_end(trainer)

    def on_validation_end(self, trainer: Any, *_: Any) -> None:
        loop = _path(trainer, "fit_loop", "epoch_loop", "val_loop")
        if loop is not None and _fits(trainer):
            self._release(_path(loop, "_combined_loader"), "validation")

    def _release_train(self, trainer: Any) -> None:
        self._release(_path(trainer, "fit_loop", "_combined_loader"), "train")

    def _release(self, combined: Any, stage: str) -> None:
        """Drops the iterators. The object that holds them stays: Lightning asks it for its length."""
        loaders: Optional[List[Any]] = _path(combined, "flattened")
        mode = _path(combined, "_iterator")
        if type(loaders) is not list or type(_path(mode, "iterators")) is not list:
            self._say(f"this Lightning keeps its {stage} iterators elsewhere: they are not released")
        elif any(hasattr(loader, "state_dict") for loader in loaders):
            self._say(f"the {stage} loader has a state_dict, which would be lost: its workers stay")
        else:
            if any(getattr(loader, "persistent_workers", False) for loader in loaders):
                self._say(f"the {stage} loader has persistent_workers=True: its workers stay")
            mode.iterators = []

    def _say(self, why: str) -> None:
        if why not in self._said:
            self._said.add(why)
            log.warning("loopmem: %s", why)
