"""A program with pools of workers made like torch's data loaders (a queue and an event a pool, a queue a worker), without
torch: `loaders.py METHOD TRAIN_S VALIDATE_S [WORKERS]`. Prints what it made as JSON lines, which is the truth for tests:
{"pool": [worker pids], "private": ...}."""
import json
import multiprocessing
import os
import queue
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

    def deliver(self, seconds):
        """One item ahead for each worker; nothing is left in the queues at the end."""
        end, taken = time.monotonic() + seconds, 0
        for index in self.indices:
            index.put(0)
        while time.monotonic() < end:
            self.result.get()
            self.indices[taken % len(self.indices)].put(taken)
            taken += 1
        for _ in self.indices:
            self.result.get()

    def stop(self):
        self.done.set()
        for index, worker in zip(self.indices, self.workers):
            index.put(None)
            worker.join()


def say(**what):
    print(json.dumps(what), flush=True)


if __name__ == "__main__":
    method, train_s, validate_s = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
    mine = multiprocessing.get_context(method)
    train = Loader(mine, int(sys.argv[4]) if len(sys.argv) > 4 else 3, 20)
    train.deliver(train_s)
    validate = Loader(mine, 2, 10)
    validate.deliver(validate_s)
    say(validated=True)
    validate.stop()
    train.deliver(3)
    train.stop()
