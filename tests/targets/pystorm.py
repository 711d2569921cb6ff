"""Seconds of everything that stacks of Python meet at once: threads, generators, imports of extensions, forks, signal handlers,
code that is compiled and dropped. Prints the number of children; a child that crashes ends it with 1."""
import gc
import os
import signal
import sys
import threading
import time

END = time.monotonic() + float(sys.argv[1])
EXTENSIONS = ("_json", "_csv", "_struct", "_random", "_heapq", "_bisect", "array", "math")


def recurse(depth):
    return bytearray(600) if depth == 0 else [recurse(depth - 1)]


def generate(n):
    for i in range(n):
        yield bytearray(1000 + i)


def allocate():
    while time.monotonic() < END:
        recurse(120)
        sorted((bytearray(700) for _ in range(20)), key=len)
        list(generate(20))
        names = {}
        exec("def made(n):\n" + "    n += 1\n" * 30 + "    return bytearray(n)", names)  # its code goes again
        names["made"](900)


def load():
    while time.monotonic() < END:
        for name in EXTENSIONS:
            sys.modules.pop(name, None)
            __import__(name)
        gc.collect()


def on_timer(*_):
    recurse(10)


def child():
    pid = os.fork()
    if pid == 0:
        recurse(200)
        list(generate(200))
        os._exit(0)
    return os.waitpid(pid, 0)[1] == 0


signal.signal(signal.SIGALRM, on_timer)
signal.setitimer(signal.ITIMER_REAL, 0.005, 0.005)
threads = [threading.Thread(target=work) for work in (allocate, allocate, load)]
for thread in threads:
    thread.start()
children = 0
while time.monotonic() < END:
    if not child():
        sys.exit(1)
    children += 1
for thread in threads:
    thread.join()
signal.setitimer(signal.ITIMER_REAL, 0)  # no handler is left when the interpreter goes
print(children)
