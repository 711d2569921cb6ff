"""shared_list.py strings|numpy|collected|frozen: a dataset that reads an index made before the fork, in two workers, without changing it. Prints
how many bytes of it are written nevertheless: those of the strings, whose references are counted; those of the tuples in which the garbage
collector, called in the workers, counts for itself; none of an array, and none of tuples that were frozen before the fork."""
import gc
import sys
import time

import numpy
from torch.utils.data import DataLoader, Dataset

COUNT, PARTS = 1_500_000, 64


class Index(Dataset):
    def __init__(self, kind):
        self.kind = kind
        if kind == "strings":
            self.entries = [f"{i:080d}" for i in range(COUNT)]
        elif kind == "numpy":
            self.entries = numpy.arange(10 * COUNT)
        else:
            self.entries = [(self,) * 5 for i in range(COUNT)]

    def __len__(self):
        return PARTS

    def __getitem__(self, part):
        if self.kind in ("collected", "frozen"):
            return gc.collect() * 0 if part in (0, 4) else part
        # each part has something of every page
        entries = self.entries[part::PARTS]
        return int(entries[0]) + len(entries)


def written(index):
    """The interpreter gives memory in steps of 16 bytes."""
    if index.kind in ("numpy", "frozen"):
        return 0
    return sum(-(-sys.getsizeof(entry) // 16) * 16 for entry in index.entries)


if __name__ == "__main__":
    index = Index(sys.argv[1])
    print(written(index), flush=True)
    if index.kind == "frozen":
        gc.freeze()
    for step, _ in enumerate(DataLoader(index, batch_size=4, num_workers=2)):
        time.sleep(6 if step == 14 else 0.1)  # both workers have read all of theirs; a busy machine measures large ones every 3 s
