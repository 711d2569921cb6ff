"""shared_list.py strings|numpy: a dataset that reads an index made before the fork, in two workers, without changing it. Prints how many bytes
of it are written when it is read: those of the strings, whose references are counted; none of an array."""
import sys
import time

import numpy
from torch.utils.data import DataLoader, Dataset

COUNT, PARTS = 1_500_000, 64


class Index(Dataset):
    def __init__(self, kind):
        if kind == "strings":
            self.entries = [f"{i:080d}" for i in range(COUNT)]
        else:
            self.entries = numpy.arange(10 * COUNT)

    def __len__(self):
        return PARTS

    def __getitem__(self, part):
        # each part has something of every page
        entries = self.entries[part::PARTS]
        return int(entries[0]) + len(entries)


if __name__ == "__main__":
    index = Index(sys.argv[1])
    # the interpreter gives memory in steps of 16 bytes
    print(sum(-(-sys.getsizeof(entry) // 16) * 16 for entry in index.entries) if sys.argv[1] == "strings" else 0, flush=True)
    for step, _ in enumerate(DataLoader(index, batch_size=4, num_workers=2)):
        time.sleep(3 if step == 14 else 0.1)  # both workers have read all of theirs and are measured
