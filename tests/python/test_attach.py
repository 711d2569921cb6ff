"""loopmem attach to a Lightning fit that was started bare, by fork, spawn and forkserver, with a pool inside a train worker and
a thread that opens pipes all the time. The program tells which pools it made, and a `loopmem run` of it what they hold; what
attach finds from outside is held against both, and against the kernel."""
# alone: four trainings at once, and idle is told by processor time
import json
import os
import subprocess
import sys
import time

import shimmed
import reported
import tap

METHODS = "fork", "spawn", "forkserver"
PATIENCE_S = 150  # many times what a quiet machine needs

FIT = """
import json, multiprocessing, os, select, sys, threading, time
import torch
from torch.utils.data import DataLoader, Dataset, dataloader

METHOD, SAID = sys.argv[1:]

def say(**what):
    with open(SAID, "a") as f:
        f.write(json.dumps(what) + "\\n")

class Told(dataloader._MultiProcessingDataLoaderIter):
    def __init__(self, loader):
        super().__init__(loader)
        say(owner=os.getpid(), pool=[worker.pid for worker in self._workers])
dataloader._MultiProcessingDataLoaderIter = Told

class Data(Dataset):
    def __init__(self, count, mib, nested=False):
        self.count, self.mib, self.nested, self.held = count, mib, nested, None
    def __len__(self):
        return self.count
    def prepare(self):
        self.held = bytearray(os.urandom(1024)) * (1024 * self.mib)
        if self.nested and torch.utils.data.get_worker_info().id == 0:
            multiprocessing.process.current_process()._config["daemon"] = False
            self.inner = iter(DataLoader(Data(4, 1), num_workers=1, multiprocessing_context="fork"))
    def __getitem__(self, index):
        if self.held is None:
            self.prepare()
        time.sleep(0.02)
        return torch.full((100,), float(index))

class UntilTold:
    "Batches of one item until a line is read from stdin, or its end."
    def __iter__(self):
        while not select.select([0], [], [], 0)[0]:
            yield [0]
        os.read(0, 1)

def open_pipes():
    while True:
        read, write = os.pipe()
        time.sleep(0.003)
        os.close(write)
        time.sleep(0.003)
        os.close(read)

def main():
    import lightning
    class Model(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(100, 1)
        def training_step(self, batch, _):
            return self.layer(batch).mean() * 1e-6
        def validation_step(self, batch, index):
            if not index:
                say(validation=True)
        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 1e-6)
    threading.Thread(target=open_pipes, daemon=True).start()
    lightning.Trainer(max_epochs=1, num_sanity_val_steps=0, logger=False, enable_checkpointing=False,
                      enable_progress_bar=False, enable_model_summary=False, accelerator="cpu").fit(
        Model(), DataLoader(Data(60, 60, nested=True), batch_size=4, num_workers=3, multiprocessing_context=METHOD),
        DataLoader(Data(1, 60), batch_sampler=UntilTold(), num_workers=2, multiprocessing_context=METHOD))

if __name__ == "__main__":
    main()
"""


class Fit:
    """A fit, bare or under `loopmem run`, that validates until it is told to go on."""

    def __init__(self, name, method, *profiler):
        self.method = method
        self.said, self.file, self.errors = (f"{os.environ['TEST_TMP']}/{name}.{kind}" for kind in ("said", "loopmem", "err"))
        options = ("run", "-q", "-o", self.file, "--") if profiler else ()
        self.program = subprocess.Popen([*profiler, *options, sys.executable, SCRIPT, method, self.said],
                                        env=shimmed.environment(), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                        stderr=open(self.errors, "w"))

    def until(self, condition, what):
        end = time.monotonic() + PATIENCE_S
        while not condition():
            with open(self.errors) as errors:
                assert self.program.poll() is None, errors.read()
            assert time.monotonic() < end, f"not within {PATIENCE_S} s: {self.file}: {what}"
            time.sleep(0.05)

    def lines(self):
        if not os.path.exists(self.said):
            return []
        with open(self.said) as f:
            return [json.loads(line) for line in f if line.endswith("\n")]

    def truth(self):
        return sorted((line["owner"], sorted(line["pool"])) for line in self.lines() if "pool" in line)

    def validates(self):
        return {"validation": True} in self.lines()

    def watch(self):
        self.until(self.truth, "a pool is made")
        self.attach = subprocess.Popen([reported.LOOPMEM, "attach", "-q", "-o", self.file, str(self.program.pid)],
                                       stderr=subprocess.PIPE, text=True)

    def knows_idle(self):
        """Has attach said that a pool is at its end?"""
        return self.attach.poll() is not None or any(
            kind == "pool-exhausted" for kind, in reported.rows(self.file, "SELECT kind FROM event"))

    def told(self, workers):
        """Private bytes of the pool with so many workers as they were walked last."""
        return sum(private for private, _ in reported.rows(self.file, f"""
            SELECT private_clean_bytes + private_dirty_bytes, max(t_ns) FROM rollup JOIN pool_worker USING(process)
            WHERE pool = (SELECT pool FROM pool_worker GROUP BY pool HAVING count(*) = {workers}) GROUP BY process"""))

    def held(self, workers):
        """The same as the kernel has it now."""
        ((_, pids),) = [pool for pool in self.truth() if len(pool[1]) == workers]
        return sum(int(line.split()[1]) * 1024 for pid in pids for line in open(f"/proc/{pid}/smaps_rollup")
                   if line.startswith("Private_"))

    def is_known(self):
        """Is what was walked within 2.5 % of what is held? Remembers it then."""
        self.known = {workers: (self.told(workers), self.held(workers)) for workers in (3, 2)}
        return all(abs(told - held) < 0.025 * held for told, held in self.known.values())

    def report(self):
        assert self.program.wait(timeout=PATIENCE_S) == 0, open(self.errors).read()
        if hasattr(self, "attach"):
            assert self.attach.wait(timeout=PATIENCE_S) == 0, self.attach.stderr.read()
        return reported.read(self.file)


def by_workers(report, count):
    (pool,) = [pool for pool in report["pools"] if len(pool["workers"]) == count]
    return pool


SCRIPT = shimmed.script(FIT, "fit.py")

# All at once: most of it is waiting until a pool was idle for long enough.
fits = {method: Fit(method, method) for method in METHODS}
profile = Fit("run", "fork", reported.LOOPMEM)
for fit in fits.values():
    fit.watch()
for fit in (*fits.values(), profile):
    fit.until(fit.validates, "it validates")
for fit in fits.values():
    fit.until(fit.knows_idle, "the train pool is idle")
for fit in (*fits.values(), profile):
    fit.until(fit.is_known, "private bytes are those that the kernel tells")
for fit in (*fits.values(), profile):
    fit.program.stdin.close()
reports = {method: fit.report() for method, fit in fits.items()}
profile.report()


@tap.claim
def every_pool_is_found_with_its_workers_and_its_owner():
    for method, fit in fits.items():
        found = sorted((pool["owner_pid"], sorted(worker["pid"] for worker in pool["workers"]))
                       for pool in reports[method]["pools"])
        assert len(found) == 3 and found == fit.truth(), (method, found, fit.truth())


@tap.claim
def start_methods_are_told_and_stages_are_not_claimed():
    for method, report in reports.items():
        for pool in report["pools"]:
            is_nested = len(pool["workers"]) == 1
            assert pool["start_method"] == ("fork" if is_nested else method), (method, pool["name"])
            assert pool["guessed"] and pool["stage"] == "other", (method, pool["name"])


@tap.claim
def the_train_pool_is_likely_idle_during_validation():
    for method, report in reports.items():
        train, validate = by_workers(report, 3), by_workers(report, 2)
        states = [[span["state"] for span in pool["states"]] for pool in (train, validate)]
        assert "exhausted" in states[0] and "exhausted" not in states[1], (method, states)
        # the first worker shares what it holds with the pool inside it: two of three hold it alone
        assert train["idle_retained_bytes_max"] > 2 * 60 * 2**20, (method, train["idle_retained_bytes_max"])


@tap.claim
def private_bytes_are_those_of_a_profiled_run():
    """Of which each worker has 1 to 2 MiB more for the shim. Under every start method they are those that the kernel
    tells, or the fit would not have been told to go on."""
    for workers in 3, 2:
        told, profiled_bytes = fits["fork"].known[workers][0], profile.known[workers][0]
        assert abs(told - profiled_bytes) < 0.05 * profiled_bytes, (workers, told, profiled_bytes)
        for method in "spawn", "forkserver":  # they have torch for themselves
            assert fits[method].known[workers][0] > told, (method, workers)


tap.run()
