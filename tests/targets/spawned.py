"""spawned.py MIB [not]: a loader that spawns two workers, told to the profiler by the C API as torch's are. Its dataset is a list of strings of
about MIB, pickled into each worker; with "not" it is made in a file that workers map. Prints how many bytes the list takes in a worker."""
import ctypes
import mmap
import multiprocessing
import os
import sys
import tempfile
import time

TRAIN, SPAWN, UNKNOWN = 1, 2, -1


class Spec(ctypes.Structure):
    _fields_ = [("stage", ctypes.c_int), ("start", ctypes.c_int), ("flags", ctypes.c_uint32),
                ("epoch", ctypes.c_int32), ("workers", ctypes.c_int32), ("batch_size", ctypes.c_int32),
                ("prefetch", ctypes.c_int32), ("expected_batches", ctypes.c_int64),
                ("label", ctypes.c_char_p), ("dataset", ctypes.c_char_p), ("origin", ctypes.c_char_p)]


class Listed:
    """Everything in Python objects: 1000 characters each."""

    def __init__(self, mib):
        self.items = [f"{i:0951d}" for i in range(mib * 1024)]  # 1000 bytes with its header

    def bytes(self):
        return sum(map(sys.getsizeof, self.items))

    def read(self):
        return len(self.items[-1])


class Mapped:
    """The same in a file; only its name is pickled."""

    def __init__(self, mib):
        self.file = tempfile.NamedTemporaryFile(delete=False)
        self.file.write(b"0" * (mib << 20))
        self.file.close()
        self.name, self.file = self.file.name, None

    def bytes(self):
        return 0

    def read(self):
        with open(self.name, "rb") as f:
            return sum(mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)[::4096])


def work(dataset, tasks, results):
    results.put(True)  # it is there
    while tasks.get() is not None:
        results.put(dataset.read())


def main():
    dataset = (Mapped if sys.argv[2:] else Listed)(int(sys.argv[1]))
    context = multiprocessing.get_context("spawn")
    api = ctypes.CDLL(None)
    tasks, results = context.Queue(), context.Queue()
    pool = api.loopmem_pool_begin(ctypes.byref(Spec(
        TRAIN, SPAWN, 0, 0, 2, 1, 2, UNKNOWN, None, type(dataset).__name__.encode(), None)))
    workers = [context.Process(target=work, args=(dataset, tasks, results)) for _ in range(2)]
    for number, worker in enumerate(workers):
        worker.start()
        api.loopmem_pool_worker(pool, worker.pid, number)
    for _ in workers:
        results.get()
    for _ in range(20):
        tasks.put(1)
        api.loopmem_next_begin(pool)
        results.get()
        api.loopmem_next_end(pool, 1)
        time.sleep(0.05)
    api.loopmem_pool_closing(pool)
    for _ in workers:
        tasks.put(None)
    for worker in workers:
        worker.join()
    api.loopmem_pool_end(pool)
    print(dataset.bytes())
    if sys.argv[2:]:
        os.unlink(dataset.name)


if __name__ == "__main__":
    main()
