"""loopmem attach: pools of programs that run without the shim, found from outside and told as guesses."""
import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time

import profiled
import tap

LOADERS = os.path.join(os.path.dirname(os.path.abspath(profiled.__file__)), "loaders.py")
METHODS = "fork", "spawn", "forkserver"
PATIENCE_S = 100  # with which a condition is waited for: many times what a quiet machine needs


class Watched:
    """A program, the session of its watching, and what the program says it did."""

    def __init__(self, name, *command, ready=None, options=()):
        self.file = profiled.path(f"{name}.loopmem")
        self.said = profiled.path(f"{name}.said")
        self.program = subprocess.Popen([sys.executable, *command], stdin=subprocess.PIPE, stdout=open(self.said, "w"))
        profiled.until(ready or (lambda: profiled.alive(self.program.pid)), f"{name} is to be watched", PATIENCE_S)
        self.attach = subprocess.Popen(
            [profiled.LOOPMEM, "attach", "-o", self.file, *options, str(self.program.pid)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def lines(self):
        with open(self.said) as f:
            return [json.loads(line) for line in f if line.endswith("\n")]

    def truth(self):
        return [line["pool"] for line in self.lines() if "pool" in line]

    def go_on(self):
        self.program.stdin.write(b"\n")
        self.program.stdin.flush()

    def column(self, query, *values):
        """The first column of the session as it is so far."""
        try:
            with contextlib.closing(sqlite3.connect(f"file:{self.file}?mode=ro", uri=True)) as session:
                return [row[0] for row in session.execute(query, values)]
        except sqlite3.OperationalError:
            return []  # not made yet, or in this moment

    def events(self, pool):
        """What was said of a pool: "pool-reuse" = it delivers."""
        return self.column("SELECT kind FROM event WHERE pool = ? ORDER BY t_ns", pool)

    def until(self, condition, what):
        return profiled.until(lambda: condition() or self.attach.poll() is not None, f"{self.file}: {what}", PATIENCE_S)

    def finish(self):
        self.out, self.err = self.attach.communicate(timeout=60)
        self.status = self.attach.returncode
        return self

    def report(self):
        text = subprocess.run([profiled.LOOPMEM, "report", "-f", "json", self.file], capture_output=True,
                              text=True, check=True).stdout
        return json.loads(text)


def private(pids):
    return sum(profiled.rollup(pid, "Private_Clean") + profiled.rollup(pid, "Private_Dirty") for pid in pids)


def attach(*arguments, **kwargs):
    return subprocess.run([profiled.LOOPMEM, "attach", *arguments], capture_output=True, text=True, timeout=30,
                          cwd=profiled.TMP, **kwargs)


def spans(pool):
    return [span["state"] for span in pool["states"]]


class Fit(Watched):
    """Train, validate and train again, each for as long as it takes to be recognised from outside."""

    def __init__(self, method):
        super().__init__(method, LOADERS, method, ready=lambda: self.delivered("train"))

    def delivered(self, name):
        return {"delivered": name} in self.lines()

    def validate(self):
        self.until(lambda: "pool-reuse" in self.events(1), "the train pool delivers")
        self.validating_s = time.monotonic()
        self.go_on()

    def measure(self):
        """Private bytes of the train workers while they are idle, as they were walked and by the test's own reading. On a
        machine that is busy a walk may be long in coming."""
        self.until(lambda: "pool-exhausted" in self.events(1), "the train pool is idle")
        self.until(self.is_known, "what the train workers hold is known")
        self.worker = attach("--duration", "0.1", "-o", profiled.path(f"{self.program.pid}-worker.loopmem"), str(self.truth()[0][0]))
        self.inside = attach("--duration", "0.1", "-o", profiled.path(f"{self.program.pid}-owner.loopmem"), str(self.program.pid))
        self.go_on()

    def is_known(self):
        told = sum(self.column("SELECT private FROM (SELECT private_clean_bytes + private_dirty_bytes AS private, max(t_ns)"
                               " FROM rollup JOIN pool_worker USING(process) WHERE pool = 1 GROUP BY process)"))
        self.known = told, private(self.truth()[0])
        return abs(told - self.known[1]) < 0.05 * self.known[1]

    def end(self):
        self.until(lambda: self.events(1).count("pool-reuse") > 1, "the train pool delivers again")
        self.validated_s = time.monotonic()
        self.go_on()


# They run at the same time: most of it is waiting for pools to be idle for long enough.
running = {method: Fit(method) for method in METHODS}


def found(method):
    watched = running[method]
    if not hasattr(watched, "result"):
        watched.result = watched.finish().report()
    return watched, watched.result


def check(method):
    watched, report = found(method)
    assert watched.status == 0 and watched.program.wait(timeout=PATIENCE_S) == 0, watched.err
    assert watched.delivered("train again")
    pools = report["pools"]
    told = [sorted(w["pid"] for w in pool["workers"]) for pool in pools]
    assert told == [sorted(pids) for pids in watched.truth()], (told, watched.truth())
    for pool in pools:
        assert pool["guessed"] and pool["stage"] == "other" and pool["batches"] is None
        assert pool["start_method"] == method and pool["owner_pid"] == watched.program.pid


@tap.claim
def a_training_is_watched_while_it_validates_and_trains_again():
    for step in Fit.validate, Fit.measure, Fit.end:
        for watched in running.values():
            step(watched)


@tap.claim
def every_pool_of_forked_workers_is_found():
    check("fork")


@tap.claim
def every_pool_of_spawned_workers_is_found():
    check("spawn")


@tap.claim
def every_pool_of_a_forkserver_is_found_with_its_real_owner():
    check("forkserver")


@tap.claim
def the_train_pool_is_likely_idle_during_validation_and_delivers_again():
    for method in METHODS:
        train, validate = found(method)[1]["pools"]
        assert spans(train) == ["starting", "delivering", "exhausted", "delivering"], (method, spans(train))
        watched = running[method]
        longest_s = watched.validated_s - watched.validating_s + 2
        assert 9 < train["idle_retained_seconds"] < longest_s, (method, train["idle_retained_seconds"], longest_s)
        assert "exhausted" not in spans(validate), (method, spans(validate))


@tap.claim
def private_bytes_are_those_of_smaps_rollup():
    for method in METHODS:
        told, mine = running[method].known
        assert abs(told - mine) < 0.05 * mine, (method, told, mine)


@tap.claim
def a_worker_is_answered_with_its_owner():
    for method, watched in running.items():
        whole = f"the whole training: loopmem attach {watched.program.pid}\n"
        assert watched.worker.returncode == 0 and whole in watched.worker.stderr, (method, watched.worker)
        assert "looks like a worker" not in watched.inside.stderr, (method, watched.inside)


@tap.claim
def the_summary_and_the_report_say_that_it_is_a_guess():
    watched, report = found("fork")
    assert "loopmem: likely held idle" in watched.err, watched.err
    text = subprocess.run([profiled.LOOPMEM, "report", watched.file], capture_output=True, text=True).stdout
    assert "loader #1?" in text and "found from outside" in text and "likely" in text, text
    notes = " ".join(note["text"] for note in report["notes"])
    assert "can read rollup fd" in notes and "of 5 workers" in notes, notes  # of the pipes, which are the weaker witness


@tap.claim
def a_limit_on_guessed_pools_is_refused():
    found("fork")
    checked = subprocess.run([profiled.LOOPMEM, "check", "--max", "total.idle_retained_bytes_max=1GiB",
                              running["fork"].file], capture_output=True, text=True)
    assert checked.returncode == 3, (checked.returncode, checked.stdout, checked.stderr)


@tap.claim
def multiprocessing_pools_and_lone_processes_are_no_loaders():
    program = """
import multiprocessing as mp, time, subprocess, os
context = mp.get_context("fork")
mine = [context.Queue() for _ in range(2)]
pool = context.Pool(3)
lone = context.Process(target=time.sleep, args=(300,), daemon=True)
lone.start()
sleeper = subprocess.Popen(["sleep", "300"])
work = pool.map_async(time.sleep, [0.1] * 10000)
input()
pool.terminate(); lone.terminate(); sleeper.terminate()
"""
    watched = Watched("pool", "-c", program)
    watched.until(lambda: watched.events(1), "a pool is found")
    time.sleep(1.5)  # a second look, which finds nothing more
    watched.go_on()
    pools = watched.finish().report()["pools"]
    assert [(p["label"], len(p["workers"])) for p in pools] == [("worker pool", 3)], pools


@tap.claim
def an_interrupt_ends_the_watching_and_not_the_program():
    watched = Watched("interrupted", "-c", "import time; time.sleep(300)")
    watched.until(lambda: watched.column("SELECT pss_bytes FROM rollup"), "it is watched")
    watched.attach.send_signal(signal.SIGINT)
    watched.finish()
    assert watched.status == 0 and "more: loopmem report" in watched.err, watched.err
    assert profiled.alive(watched.program.pid)
    text = subprocess.run([profiled.LOOPMEM, "report", watched.file], capture_output=True, text=True).stdout
    assert "left running" in text, text
    profiled.end(watched.program.pid)
    watched.program.wait()


@tap.claim
def it_ends_after_the_duration_and_is_quiet():
    watched = Watched("duration", "-c", "import time; time.sleep(300)", options=("--duration", "1.5", "-q"))
    watched.finish()
    assert (watched.status, watched.out, watched.err) == (0, "", ""), watched.err
    assert 1.4 < watched.report()["duration_s"] < 20
    profiled.end(watched.program.pid)
    watched.program.wait()


@tap.claim
def what_cannot_be_watched_is_told():
    ended = subprocess.Popen(["true"])
    while profiled.alive(ended.pid):
        time.sleep(0.01)
    cases = [
        ([], 2, "loopmem attach: no process to watch"),
        (["train.py"], 2, "loopmem attach: train.py: not the id of a process"),
        (["0"], 2, "loopmem attach: 0: not the id of a process"),
        (["--duration", "soon", "1"], 2, "loopmem attach: --duration soon: not a number of seconds"),
        (["1", "2"], 2, "loopmem attach: one process at a time: its children belong to it"),
        ([str(ended.pid)], 3, f"loopmem attach: process {ended.pid} has ended already"),
        (["4194303"], 3, "loopmem attach: no process 4194303"),
    ]
    for arguments, status, line in cases:
        run = attach(*arguments)
        assert (run.returncode, run.stderr.split("\n")[0]) == (status, line), (arguments, run)
    ended.wait()
    own = subprocess.run(["bash", "-c", f"exec {profiled.LOOPMEM} attach $$"], capture_output=True, text=True)
    assert own.returncode == 2 and "this loopmem itself" in own.stderr, own


@tap.claim
def the_process_of_another_user_is_refused():
    if os.geteuid():
        raise tap.Skip("needs root to be two users")
    nobody = 65534
    run = attach(str(os.getpid()), preexec_fn=lambda: os.setuid(nobody))
    assert run.returncode == 3, run
    assert run.stderr == (f"loopmem attach: cannot read /proc/{os.getpid()}/smaps_rollup: Permission denied\n"
                          "  run as the same user, or with CAP_SYS_PTRACE\n"), run.stderr


tap.run()
