"""What `loopmem top` costs: bytes it sends and share of a core at 2 frames a second while a job of 64 processes runs; opening
a session of one hour and 64 processes (CPU time: other work on the machine is not its own); a step in time in it, from the key to the whole frame. Fails over a budget.

Environment: LOOPMEM_BUILD. Budgets: 2 KiB a frame after the first, 2 % of a core, 1 s (best of 5), 100 ms.
"""
import fcntl
import os
import pty
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time

BUILD = os.environ["LOOPMEM_BUILD"]
TOP = f"{BUILD}/loopmem"
FRAMES_S, WATCH_S = 0.5, 20


class Terminal:
    """`loopmem top` on a pseudo-terminal; counts what it sends."""

    def __init__(self, session, width=80, height=24):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8", XDG_CONFIG_HOME="/nonexistent")
            time.sleep(0.1)  # the size is set first
            os.execv(TOP, [TOP, "top", session])
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))

    def read(self, seconds, quiet_s=None):
        """Bytes until `seconds` are over, or until it is quiet; and when the last one came."""
        end, total, last = time.monotonic() + seconds, 0, None
        while (left := end - time.monotonic()) > 0:
            ready, _, _ = select.select([self.fd], [], [], min(left, quiet_s or left))
            if not ready:
                if quiet_s and total:
                    break
                continue
            total += len(os.read(self.fd, 1 << 16))
            last = time.monotonic()
        return total, last

    def key(self, key):
        """Milliseconds from a key to the last byte of its frame."""
        start = time.monotonic()
        os.write(self.fd, key.encode())
        _, last = self.read(2, quiet_s=0.05)
        return (last - start) * 1000 if last else None

    def cpu_s(self):
        with open(f"/proc/{self.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self):
        os.write(self.fd, b"q")
        os.waitpid(self.pid, 0)
        os.close(self.fd)


failed = []


def figure(name, value, budget, unit):
    over = value > budget
    print(f"{name:<24} {value:10.2f} {unit:<6} budget {budget:g}{'   OVER' if over else ''}")
    if over:
        failed.append(name)


def bench_live(directory):
    session = f"{directory}/live.loopmem"
    job = subprocess.Popen([TOP, "run", "-q", "-o", session, "--", f"{BUILD}/loopmem-fit", "--workers=31", "--val-workers=31",
                            "--item-delay=40", "--epochs=1000", "--cache-mib=1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(5)
        top = Terminal(session)
        top.read(2)
        before, sizes, start = top.cpu_s(), [], time.monotonic()
        while time.monotonic() - start < WATCH_S:
            sizes.append(top.read(FRAMES_S)[0])
        used = (top.cpu_s() - before) / (time.monotonic() - start)
        top.close()
    finally:
        job.terminate()
        job.wait()
    figure("bytes a frame, mean", statistics.mean(sizes), 2048, "B")
    figure("bytes a frame, most", max(sizes), 2048, "B")
    figure("cpu", used * 100, 2, "%")


def open_once(session):
    start, before = time.monotonic(), os.times()
    subprocess.run([TOP, "top", "-1", session], check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    cpu = after.children_user - before.children_user + after.children_system - before.children_system
    return cpu, time.monotonic() - start


def bench_replay(directory):
    session = f"{directory}/hour.loopmem"
    subprocess.run([f"{BUILD}/tests/fixtures/reference_session", "--processes", "64", "--hours", "1", session], check=True)
    opened = [open_once(session) for _ in range(5)]
    figure("open, CPU, best of 5", min(cpu for cpu, _ in opened), 1, "s")
    print(f"{'open, clock, best of 5':<24} {min(clock for _, clock in opened):10.2f} s      (on a machine that is idle as above)")
    top = Terminal(session)
    top.read(5, quiet_s=0.5)
    steps = [step for _ in range(40) for step in (top.key("h"), top.key("]"), top.key("T")) if step]
    figure("seek, median of 120", statistics.median(steps), 100, "ms")
    figure("seek, 95 of 100", sorted(steps)[len(steps) * 95 // 100], 100, "ms")
    figure("zoom, median of 20", statistics.median(top.key("+-"[i % 2]) or 0 for i in range(20)), 100, "ms")
    top.close()


with tempfile.TemporaryDirectory() as scratch:
    bench_live(scratch)
    bench_replay(scratch)
sys.exit(1 if failed else 0)
