"""Two programs timed against each other on a machine whose speed varies.

Both run at once, each stopped (SIGSTOP to its process group) while the other has its turn of 50 ms, and the time of a program
is that of its own turns. What slows the machine for longer than a turn meets both alike: where the ratios of runs one after the other
lie a tenth and more apart, those of turns lie a fiftieth apart, bare against bare. A turn begins with cold caches, for both.

What goes by the clock while its group is stopped costs more than it would: loopmem's collector is due when its turn
begins, and looks at a program's memory twice as often for the work that the program does. Ratios are so a little too high.

A program says that it is ready, waits for a line, works, says its times, and waits for the end of its input.
"""
import contextlib
import json
import os
import select
import signal
import subprocess
import tempfile
import time

TURN = 0.05

PROGRAM = """
import json, os, sys, time

def now():
    return time.clock_gettime(time.CLOCK_MONOTONIC), sum(os.times()[:4])

sys.path.insert(0, {folder!r})
said = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
import {module} as program
print("ready", file=said, flush=True)
sys.stdin.readline()
begun, used = now()
program.main()
ended, used_then = now()
print(json.dumps(dict(begun=begun, ended=ended, cpu=used_then - used)), file=said, flush=True)
sys.stdin.readline()
"""


def clock():
    return time.clock_gettime(time.CLOCK_MONOTONIC)


class Program:
    def __init__(self, python, folder, module, before=()):
        """A module's main(), under the command `before`."""
        text = PROGRAM.format(folder=str(folder), module=module)
        env = {k: v for k, v in os.environ.items() if not k.startswith(("LOOPMEM_", "PYTHON"))}
        self.printed = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([*before, python, "-c", text], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.printed, text=True, start_new_session=True,
                                        env={**env, "PYTHONDONTWRITEBYTECODE": "1"})
        self.turns, self.times = [], None

    def said(self):
        line = self.process.stdout.readline()
        if not line:
            self.fail("ended early")
        return line

    def fail(self, why):
        self.printed.seek(0)
        raise SystemExit(f"{self.process.args[0]}: {why}\n{self.printed.read()}")

    def signal(self, number):
        os.killpg(self.process.pid, number)

    def turn(self):
        begun = clock()
        self.signal(signal.SIGCONT)
        if select.select([self.process.stdout], [], [], TURN)[0]:
            self.times = json.loads(self.said())
        self.signal(signal.SIGSTOP)
        self.turns.append((begun, clock()))

    def figures(self):
        """Seconds of its own turns between the begin and the end of main(), and of CPU with its ended children."""
        begun, ended = self.times["begun"], self.times["ended"]
        wall = sum(max(0, min(end, ended) - max(start, begun)) for start, end in self.turns)
        return dict(wall=wall, cpu=self.times["cpu"])

    def end(self):
        self.signal(signal.SIGCONT)
        self.process.stdin.close()
        if self.process.wait():
            self.fail(f"exit code {self.process.returncode}")

    def kill(self):
        with contextlib.suppress(ProcessLookupError):
            self.signal(signal.SIGKILL)
        self.process.wait()


def in_turns(first, second):
    """Figures of two programs: first, second, second, first and so on, until both are through."""
    programs = [first, second]
    try:
        for program in programs:
            program.said()
        for program in programs:
            program.signal(signal.SIGSTOP)
            program.process.stdin.write("\n")
            program.process.stdin.flush()
        while not all(program.times for program in programs):
            for program in (first, second, second, first):
                if not program.times:
                    program.turn()
        for program in programs:
            program.end()
    finally:
        for program in programs:
            program.kill()
    return [program.figures() for program in programs]
