"""--what-if on a torch loader: what it says of 1 to 4 workers, from a run with 2, is what runs with 1 to 4 then need."""
# alone: another torch that comes and goes shares the pages of its libraries, and peaks of two runs differ by them
import json
import os
import subprocess
import sys

import shimmed
import reported
import tap

MIB = 1 << 20
PROGRAM = """
import sys, time, warnings
import torch
from torch.utils.data import DataLoader, Dataset
warnings.filterwarnings("ignore")
torch.set_num_threads(1)
class Cached(Dataset):
    cache = None
    def __len__(self): return 48
    def __getitem__(self, index):
        if self.cache is None: self.cache = [bytes(992) for _ in range(40 << 10)]  # 40 MiB of 1 KiB each
        time.sleep(0.1)
        return torch.zeros(1 << 18)  # 1 MiB
train_loader = DataLoader(Cached(), batch_size=2, num_workers=int(sys.argv[1]))
for batch in train_loader: time.sleep(0.01)
"""


told = []  # (said, real, error) of stalls


def train(workers):
    report, _ = reported.run(f"torch{workers}", sys.executable, shimmed.script(PROGRAM, "cached.py"), str(workers))
    return report["totals"]["peak_pss_bytes"], report["pools"][0]["stall_s"]


def ask(workers):
    session = f"{os.environ['TEST_TMP']}/torch2.loopmem"
    return json.loads(subprocess.check_output([reported.LOOPMEM, "report", "-f", "json", "--what-if",
                                               f"workers={workers}", session]))["what_if"]


@tap.claim
def peaks_of_1_to_4_workers_are_told_from_a_run_with_2():
    train(2)
    for workers in (1, 3, 4):
        said = ask(workers)
        peak, stall = train(workers)
        print(f"# {workers} workers: peak {said['peak_pss_bytes'] / MIB:.0f} said, {peak / MIB:.0f} MiB real; "
              f"stall {said['stall_s']:.1f} said, {stall:.1f} s real")
        assert abs(said["peak_pss_bytes"] - peak) <= said["peak_error_ratio"] * peak, (said, peak)
        # by the clock, on a machine that others use
        assert stall / 5 < said["stall_s"] < stall * 5, (said, stall)
        told.append((said["stall_s"], stall, said["stall_error_ratio"]))


@tap.claim
def stalls_lie_within_their_error():
    for said, stall, ratio in told:
        # its workers start and fill their caches at the speed of the machine at that moment
        if abs(said - stall) > ratio * stall + 0.3:
            if os.getloadavg()[0] > os.cpu_count():
                raise tap.Skip(f"the machine is too busy to sleep as long as asked: {said:.1f} said, {stall:.1f} s real")
            raise AssertionError(told)


tap.run()
