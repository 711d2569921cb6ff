"""The Python hook with a recording shim, in loops that no framework runs."""
import gc
import multiprocessing
import weakref

import recorder
import tap

shim = recorder.start()

import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset

WORKERS = 2


class Numbers(Dataset):
    """Counts how often its length is asked; item `bad` raises."""

    def __init__(self, count, bad=None):
        self.items, self.bad, self.asked = list(range(count)), bad, 0

    def __len__(self):
        self.asked += 1
        return len(self.items)

    def __getitem__(self, index):
        if index == self.bad:
            raise ValueError(f"bad item {index}")
        return torch.tensor(self.items[index])


class Plain(Dataset):
    def __init__(self, count):
        self.items = list(range(count))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index]


class Stream(IterableDataset):
    def __iter__(self):
        worker = torch.utils.data.get_worker_info()
        yield from range(3 if worker is None or worker.id == 0 else 1)


def fresh():
    shim.calls.clear()
    shim.drops.clear()
    shim.failing = ()


def begun(**wanted):
    return list(shim.begun(**wanted).items())


def only(**wanted):
    (found,) = begun(**wanted)
    return found


def loop(train_loader):
    for _ in train_loader:
        pass


@tap.claim
def torch_is_followed_from_its_import_on():
    import sys
    assert [code for code, _ in shim.states] == [shim.INSTALLED, shim.HOOKED]
    assert shim.states[1][1].startswith("torch ")
    (waiting,) = [f.wanted for f in sys.meta_path if "loopmem" in type(f).__module__]
    assert waiting and not any(name.startswith(("torch", "multiprocessing")) for name in waiting)


@tap.claim
def a_pool_lives_from_before_its_first_worker_to_after_its_last():
    fresh()
    children = []
    begin = shim.pool_begin
    shim.pool_begin = lambda *spec: (children.append(multiprocessing.active_children()),
                                     begin(*spec))
    try:
        loop(DataLoader(Plain(8), batch_size=2, num_workers=WORKERS))
    finally:
        del shim.pool_begin
    pool, spec = only()
    assert children == [[]]
    assert shim.of(pool) == ["pool_begin", "pool_worker*2", "next*4", "pool_exhausted",
                             "pool_closing", "end of next", "pool_end"]
    assert multiprocessing.active_children() == []
    assert {key: spec[key] for key in ("start", "flags", "workers", "batch_size", "prefetch")} == {
        "start": shim.FORK, "flags": 0, "workers": 2, "batch_size": 2, "prefetch": 2}
    assert (spec["dataset"], spec["expected"]) == ("Plain", 4)


@tap.claim
def workers_are_told_with_their_pid_and_number():
    fresh()
    iterator = iter(DataLoader(Plain(8), num_workers=WORKERS))
    pids = [child.pid for child in sorted(multiprocessing.active_children(), key=lambda c: c.name)]
    told = {call[3]: call[2] for call in shim.calls if call[0] == "pool_worker"}
    assert sorted(told) == [0, 1] and sorted(told.values()) == sorted(pids)
    del iterator


@tap.claim
def the_last_batch_exhausts_a_pool_that_is_not_asked_again():
    for options in ({"num_workers": WORKERS}, {"num_workers": WORKERS, "prefetch_factor": 1},
                    {"num_workers": 3, "in_order": False}, {"num_workers": 0}):
        fresh()
        iterator = iter(DataLoader(Plain(7), batch_size=2, **options))
        pool, _ = only()
        for count in range(1, 5):
            next(iterator)
            assert ("pool_exhausted", pool) in shim.calls if count == 4 else (
                "pool_exhausted", pool) not in shim.calls, (options, count)
        assert "pool_end" not in shim.of(pool)
        del iterator
        assert shim.of(pool)[-1] == "pool_end"


@tap.claim
def a_stream_is_exhausted_when_it_is_asked_for_more():
    for workers, batches in ((WORKERS, 4), (0, 3)):
        fresh()
        loop(DataLoader(Stream(), num_workers=workers))
        pool, spec = only()
        assert spec["expected"] == shim.UNKNOWN
        names = [name for name in shim.of(pool) if name != "pool_worker*2"]
        assert names[:2] == ["pool_begin", f"next*{batches}"] and names[-1] == "pool_end", names
        rest = [name for name in names[2:-1] if name != "pool_closing"]
        assert sorted(rest) == ["end of next", "pool_exhausted"], names


@tap.claim
def a_persistent_pool_is_used_again():
    for data in (Plain(6), Stream()):
        fresh()
        train_loader = DataLoader(data, num_workers=WORKERS, persistent_workers=True)
        for epoch in range(3):
            loop(train_loader)
        pool, spec = only()
        assert spec["flags"] == shim.PERSISTENT
        names = shim.of(pool)
        assert names.count("pool_reuse") == 2 and names.count("pool_exhausted") == 3
        assert "pool_end" not in names
        reuses = [call[2:] for call in shim.calls if call[0] == "pool_reuse"]
        assert reuses == [(shim.TRAIN, 1), (shim.TRAIN, 2)], reuses
        del train_loader
        assert shim.of(pool)[-1] == "pool_end"


@tap.claim
def a_pool_that_is_dropped_half_way_ends():
    fresh()
    for train_loader in (DataLoader(Plain(8), num_workers=WORKERS), DataLoader(Plain(8))):
        for _ in train_loader:
            break
    for pool, spec in begun():
        names = [name for name in shim.of(pool) if name != "pool_worker*2"]
        closing = ["pool_closing"] if spec["workers"] else []
        assert names == ["pool_begin", "next", *closing, "pool_end"]


@tap.claim
def pools_of_two_loaders_are_told_apart():
    fresh()
    train_loader, val_loader = DataLoader(Plain(4), num_workers=1), DataLoader(Plain(4))
    for _ in zip(train_loader, val_loader):
        pass
    (first, train), (second, val) = begun()
    assert (train["stage"], val["stage"]) == ("train", "validate")
    assert "next*4" in shim.of(first) and "next*4" in shim.of(second)


@tap.claim
def the_exception_of_a_dataset_reaches_the_user_and_ends_nothing():
    for workers in (0, WORKERS):
        fresh()
        iterator = iter(DataLoader(Numbers(6, bad=2), num_workers=workers))
        pool, _ = only()
        seen = []
        for _ in range(6):
            try:
                seen.append(int(next(iterator)))
            except ValueError as error:
                assert "bad item 2" in str(error)
        assert seen == [0, 1, 3, 4, 5]
        names = shim.of(pool)
        assert [n for n in names if "worker" not in n][:4] == [
            "pool_begin", "next*2", "next_failed", "next*3"], names
        del iterator


@tap.claim
def no_user_code_runs_for_us():
    fresh()
    followed = Numbers(4)

    def count_without():
        shim.failing = ("pool_begin",)
        list(DataLoader(followed))
        shim.failing = ()

    count_without()
    asked = followed.asked
    list(DataLoader(followed))
    assert followed.asked == 2 * asked, (asked, followed.asked)


@tap.claim
def lengths_are_read_from_torchs_samplers_and_simple_datasets():
    length = shim.load("length")

    class Field(Dataset):
        def __init__(self):
            self.count = 5

        def __len__(self):
            return self.count

    class Half(Dataset):
        def __init__(self):
            self.items = [1, 2, 3, 4]

        def __len__(self):
            return len(self.items) // 2

    class Wild(torch.utils.data.Sampler):
        def __init__(self):
            pass

        def __iter__(self):
            return iter([0])

        def __len__(self):
            raise AssertionError("asked")

    batch, subset = torch.utils.data.BatchSampler, torch.utils.data.SubsetRandomSampler
    tensors = TensorDataset(torch.zeros(9))
    for loader, wanted in (
            (DataLoader(Plain(7), batch_size=2), 4),
            (DataLoader(Plain(7), batch_size=2, drop_last=True, shuffle=True), 3),
            (DataLoader(Plain(7), batch_size=None), 7),
            (DataLoader(range(7), batch_size=3), 3),
            (DataLoader(tensors, batch_size=3), 3),
            (DataLoader(torch.utils.data.Subset(tensors, [1, 2])), 2),
            (DataLoader(torch.utils.data.ConcatDataset([tensors, tensors])), 18),
            (DataLoader(Plain(9), sampler=subset([1, 2, 3])), 3),
            (DataLoader(Field(), batch_size=2), 3),
            (DataLoader(Half()), None),
            (DataLoader(Stream()), None),
            (DataLoader(Plain(9), sampler=Wild()), None),
            (DataLoader(Plain(9), batch_sampler=batch(Wild(), 2, False)), None)):
        assert length.batches(loader) == wanted, (loader.dataset, wanted, length.batches(loader))


@tap.claim
def values_of_the_users_frames_are_not_kept():
    fresh()

    def work(train_loader):
        big = torch.zeros(1)
        alive = weakref.ref(big)
        for _ in train_loader:
            pass
        del big
        return alive()

    assert work(DataLoader(Plain(2))) is None
    assert not any(isinstance(thing, torch.Tensor) for pool in shim.load("pools").live.values()
                   for thing in gc.get_referents(pool))


@tap.claim
def a_fault_in_any_call_changes_nothing_for_the_user():
    wanted = [0, 1, 2, 3]
    for call in ("pool_begin", "pool_worker", "next_begin", "next_end", "pool_exhausted",
                 "pool_reuse", "pool_expect", "pool_closing", "pool_end"):
        fresh()
        shim.failing = (call,)
        train_loader = DataLoader(Plain(4), batch_size=None, num_workers=1, persistent_workers=True)
        assert [int(x) for x in train_loader] == wanted, call
        assert [int(x) for x in train_loader] == wanted, call
        del train_loader
        gc.collect()  # what the recording shim reads frames with makes cycles
        assert shim.drops, call
        assert multiprocessing.active_children() == [], call
    fresh()


@tap.claim
def a_stage_that_cannot_be_found_leaves_a_pool_without_a_name():
    fresh()
    stages = shim.load("stages")
    place, stages.place = stages.place, lambda loader: 1 / 0
    try:
        loop(DataLoader(Plain(2)))
    finally:
        stages.place = place
    pool, spec = only()
    assert (spec["stage"], spec["label"], spec["epoch"]) == ("other", "", shim.UNKNOWN)
    assert "next*2" in shim.of(pool) and len(shim.drops) == 1


@tap.claim
def loaders_made_within_a_dataset_have_pools_of_their_own():
    class Nested(Plain):
        def __getitem__(self, index):
            return sum(int(x) for x in DataLoader(Plain(3)))

    fresh()
    loop(DataLoader(Nested(2)))
    (outer, _), (inner, _), (last, _) = begun()
    assert shim.at("pool_end", inner) < shim.at("pool_begin", last) < shim.at("pool_end", outer)
    assert "next*2" in shim.of(outer) and "next*3" in shim.of(inner)


@tap.claim
def a_fork_leaves_the_pools_to_the_parent():
    import os
    fresh()
    iterator = iter(DataLoader(Plain(4)))
    next(iterator)
    read, write = os.pipe()
    if not os.fork():
        shim.calls.clear()
        next(iterator)
        os.write(write, repr(shim.calls).encode())
        os._exit(0)
    os.wait()
    assert os.read(read, 1000) == b"[]"
    next(iterator)


tap.run()
