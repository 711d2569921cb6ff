"""Small objects of three kinds, 30 MB a line, and a line whose objects are freed again. Prints what each line holds, as JSON: what
sys.getsizeof says of the list and, in the interpreter's steps of 16 bytes, of what is in it. `objects.py tracemalloc`: after tracemalloc came and went."""
import json
import os
import sys

WANTED = 30_000_000


def size(things):
    each = -(-sys.getsizeof(things[0]) // 16) * 16 if things else 0
    return sys.getsizeof(things) + len(things) * each


def line():
    return sys._getframe(1).f_lineno


warm_up = [object() for _ in range(200_000)]  # the wrappers are in by then
for _ in range(2000):
    pass
if "tracemalloc" in sys.argv:
    import tracemalloc
    tracemalloc.start()
    warm_up.append(str(warm_up))
    tracemalloc.stop()
del warm_up
held = {}
floats = [i + 0.5 for i in range(WANTED // 32)]; held[line()] = size(floats)
names = ["name %09d" % i for i in range(WANTED // 64)]; held[line()] = size(names)
sets = [{0} for _ in range(WANTED // 224)]; held[line()] = size(sets)
gone = [str(i) * 4 for i in range(WANTED // 80)]; gone.clear(); held[line()] = size(gone)
sys.stdout.write(json.dumps(held))
sys.stdout.flush()
os._exit(0)
