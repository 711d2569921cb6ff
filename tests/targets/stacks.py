"""Allocates in every way that makes stacks differ; prints the stacks as traceback has them, one a line of JSON."""
import functools
import json
import os
import sys
import threading
import traceback

KEPT = []
STACKS = []
SIZE = 50_000


def take():
    KEPT.append(bytearray(SIZE)); STACKS.append(here())  # on one line: both stacks have its number


def here():
    stack = traceback.extract_stack()[:-1]
    return [[frame.filename, frame.lineno, frame.name] for frame in reversed(stack)]


def recurse(depth):
    return take() if depth == 0 else recurse(depth - 1)


def generate(n):
    for _ in range(n):
        yield take()


def delegate(n):
    yield from generate(n)


def decorated(function):
    @functools.wraps(function)
    def around(*args):
        return function(*args)
    return around


@decorated
def wrapped():
    take()


class Thing:
    def __init__(self):
        take()

    @property
    def value(self):
        return take()

    def __lt__(self, other):
        take()
        return id(self) < id(other)


def comparing():
    sorted([Thing(), Thing(), Thing()])


def in_thread():
    for _ in range(80):
        take()
        recurse(5)


def everything():
    recurse(500)
    for depth in range(0, 60, 3):
        recurse(depth)
    for _ in range(20):
        list(generate(3))
        list(delegate(3))
        wrapped()
        Thing().value
        comparing()
        [take() for _ in range(3)]
        list(map(lambda _: take(), range(3)))
        exec("take()")
    threads = [threading.Thread(target=in_thread) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


warm_up = [object() for _ in range(200_000)]  # the self-check has come by then
for _ in range(2000):
    pass
everything()
json.dump(STACKS, sys.stdout)
sys.stdout.flush()
os._exit(0)
