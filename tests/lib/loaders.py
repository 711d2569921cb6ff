"""A program with pools of workers made like torch's data loaders (a queue and an event a pool, a queue a worker), without
torch: `loaders.py METHOD`, fork, spawn or forkserver. It trains, validates and trains again; each of the three ends when a
line is read from stdin. Prints what it made as JSON lines, which is the truth for tests: {"pool": [worker pids]}, and
{"delivered": name} when the first item of one of the three was taken."""
import json
import multiprocessing
import os
import queue
import select
import sys
import time


def work(index, result, done, mib):
    held = bytearray(os.urandom(1024)) * (1024 * mib)
    while True:
        try:
            item = index.get(timeout=5.0)
        except queue.Empty:
            if done.is_set():
                return
            continue
        if item is None:
            return
        time.sleep(0.02)
        result.put((item, len(held)))


class Loader:
    def __init__(self, context, workers, mib):
        self.result, self.done = context.Queue(), context.Event()
        self.indices, self.workers = [], []
        for _ in range(workers):
            index = context.Queue()
            index.cancel_join_thread()
            worker = context.Process(target=work, args=(index, self.result, self.done, mib), daemon=True)
            worker.start()
            self.indices.append(index)
            self.workers.append(worker)
        say(pool=[worker.pid for worker in self.workers])

    def deliver(self, name):
        """One item ahead for each worker; nothing is left in the queues at the end."""
        taken = 0
        for index in self.indices:
            index.put(0)
        while not told_to_go_on():
            self.result.get()
            self.indices[taken % len(self.indices)].put(taken)
            if not taken:
                say(delivered=name)
            taken += 1
        for _ in self.indices:
            self.result.get()

    def stop(self):
        self.done.set()
        for index, worker in zip(self.indices, self.workers):
            index.put(None)
            worker.join()


def told_to_go_on():
    """By a line, or by its end: who tells is gone."""
    return bool(select.select([0], [], [], 0)[0]) and os.read(0, 1) is not None


def say(**what):
    print(json.dumps(what), flush=True)


if __name__ == "__main__":
    mine = multiprocessing.get_context(sys.argv[1])
    train = Loader(mine, 3, 20)
    train.deliver("train")
    validate = Loader(mine, 2, 10)
    validate.deliver("validate")
    validate.stop()
    train.deliver("train again")
    train.stop()
