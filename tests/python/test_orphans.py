"""A trainer that is killed leaves the workers of its fork server behind: the running collector and the
report name them with pid, bytes and age."""
import contextlib
import os
import signal
import subprocess
import sys
import time

import shimmed
import reported
import tap

SESSION = f"{os.environ['TEST_TMP']}/orphans.loopmem"
# The trainer is a child of the command, so that the run goes on without it.
PROGRAM = """
import os, subprocess, sys, time
import torch
from torch.utils.data import DataLoader, Dataset
class Numbers(Dataset):
    def __len__(self): return 100000
    def __getitem__(self, index):
        self.cache = bytes(20 << 20)
        return torch.tensor([float(index)])
def train():
    train_loader = iter(DataLoader(Numbers(), num_workers=2, multiprocessing_context="forkserver"))
    next(train_loader)
    time.sleep(600)
if __name__ == "__main__":
    if sys.argv[1:]:
        train()
    else:
        subprocess.run([sys.executable, __file__, "trainer"])
        time.sleep(600)
"""


def wait_for(question, patience_s=90):
    end = time.monotonic() + patience_s
    while time.monotonic() < end:
        found = question()
        if found:
            return found
        time.sleep(0.3)
    raise AssertionError(f"not in {patience_s} s: {question.__name__}")


def workers():
    return reported.rows(SESSION, "SELECT p.pid FROM process p JOIN pool_worker w ON w.process = p.id")


def delivered():
    return len(workers()) == 2 and reported.rows(SESSION, "SELECT 1 FROM pool WHERE batches > 0")


def orphans_named():
    report = reported.read(SESSION)
    return [f for f in report["findings"] if f["id"] == "orphan-workers"
            and f["evidence"]["workers"] == 2 and f["evidence"]["private_bytes"] >= 20 << 20
            and f["evidence"]["seconds"] > 1]


@tap.claim
def workers_of_a_killed_trainer_are_named_while_the_run_goes_on():
    run = subprocess.Popen([reported.LOOPMEM, "run", "-q", "-o", SESSION, sys.executable,
                            shimmed.script(PROGRAM, "orphans.py")], cwd=os.environ["TEST_TMP"],
                           env=shimmed.environment(), stderr=subprocess.DEVNULL)
    try:
        wait_for(delivered)
        ((owner,),) = reported.rows(SESSION, "SELECT p.pid FROM process p JOIN pool o ON o.owner = p.id")
        pids = [pid for pid, in workers()]
        os.kill(owner, signal.SIGKILL)
        (finding,) = wait_for(orphans_named)
        assert all(str(pid) in finding["advice"] for pid in pids), finding
        (pool,) = reported.read(SESSION)["pools"]
        assert all(w["orphan"] and w["end_s"] is None for w in pool["workers"]), pool
        top = subprocess.run([reported.LOOPMEM, "top", "--dump", "--screen=processes", "--height=40",
                              "--at=end", SESSION], check=True, stdout=subprocess.PIPE, text=True)
        named = [line for line in top.stdout.splitlines() if "orphan " in line]
        assert sorted(int(line.split()[0]) for line in named) == sorted(pids), top.stdout
    finally:
        run.send_signal(signal.SIGTERM)
        everybody = reported.rows(SESSION, "SELECT pid FROM process WHERE ended_ns IS NULL")
        for pid, in everybody:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        run.wait(60)


tap.run()
