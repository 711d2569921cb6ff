"""`loopmem top` beside a run that goes on: the reference loop in the old order, which keeps idle workers, and in the new one."""
# alone: one claim is of a second
import os
import re
import subprocess
import time

import tap
from screen import Screen

BUILD, TMP = (os.environ[name] for name in ("LOOPMEM_BUILD", "TEST_TMP"))
TOP, FIT = f"{BUILD}/loopmem", f"{BUILD}/loopmem-fit"
ENV = ["XDG_CONFIG_HOME=/nonexistent", "NO_COLOR=1"]
TRAINING = ["--workers=3", "--val-workers=3", "--cache-mib=16", "--epochs=2", "--item-delay=6", "--train-items=1024", "--val-items=2048"]


class Run:
    def __init__(self, order, *options):
        self.file = f"{TMP}/{order}.loopmem"
        for suffix in ("", "-wal", "-shm"):
            if os.path.exists(self.file + suffix):
                os.remove(self.file + suffix)
        self.log = open(f"{TMP}/{order}.log", "w", encoding="utf-8")
        self.process = subprocess.Popen([TOP, "run", *options, "-o", self.file, FIT, f"--order={order}", *TRAINING],
                                        stdout=self.log, stderr=subprocess.STDOUT, cwd=TMP)
        end = time.monotonic() + 10
        while subprocess.run([TOP, "top", "-1", self.file], capture_output=True, check=False).returncode:
            assert time.monotonic() < end, "no session"
            time.sleep(0.02)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.log.close()


def validating(screen):
    return re.search(r"[ >]validate #\d+.* delivering", screen.show())


def seen_within(screen, pattern, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if match := re.search(pattern, screen.show()):
            return match
        time.sleep(0.02)
    return None


def wait_for_validation(screen):
    end = time.monotonic() + 30
    while not validating(screen):
        assert time.monotonic() < end, screen.show()
        time.sleep(0.02)


@tap.claim
def in_the_old_order_the_train_pool_turns_to_held_idle_within_a_second_of_validation():
    with Run("old"), Screen(f"{TOP} top {TMP}/old.loopmem", 80, 24, ENV) as screen:
        screen.wait_for(r"LIVE")
        wait_for_validation(screen)
        match = seen_within(screen, r"train #\d+ \w+ +exhausted +! +3 +(\d+\.\d) +(\d+\.\d) ", 1.0)
        assert match, screen.show()
        assert float(match[2]) > 40, match[0]  # three caches of 16 MiB
        screen.wait_for(r" Idle +\d+ MiB held by 3 workers of train #\d")


@tap.claim
def in_the_new_order_the_train_pool_is_gone():
    with Run("new"), Screen(f"{TOP} top {TMP}/new.loopmem", 80, 24, ENV) as screen:
        screen.wait_for(r"LIVE")
        wait_for_validation(screen)
        time.sleep(1)
        shown = screen.show()
        assert validating(screen) and not re.search(r"train #\d+ \w+ +exhausted", shown), shown
        assert re.search(r" Idle +0 now", shown), shown


@tap.claim
def without_a_file_the_only_running_session_is_found():
    with Run("old"), Screen(f"{TOP} top", 80, 24, ENV) as screen:
        screen.wait_for(r"LIVE|running sessions: Enter opens|PID")


@tap.claim
def of_several_running_sessions_one_is_chosen():
    with Run("old"), Run("new"), Screen(f"{TOP} top", 100, 24, ENV) as screen:
        screen.wait_for(r"running sessions: Enter opens")
        screen.wait_for(r"old\.loopmem(.*\n)*.*new\.loopmem|new\.loopmem(.*\n)*.*old\.loopmem")
        screen.text("/new.loopmem\n")  # others may run on this machine
        screen.wait_for(r">.*new\.loopmem")
        screen.keys("Enter")
        screen.wait_for(r"LIVE")


@tap.claim
def the_end_of_the_run_is_told_while_it_is_watched():
    with Run("new") as run, Screen(f"{TOP} top {TMP}/new.loopmem", 80, 24, ENV) as screen:
        screen.wait_for(r"LIVE")
        os.kill(run.process.pid, 15)  # passed on to the command
        screen.wait_for(r"KILLED \d+:\d\d SIGTERM", 10)
        screen.keys("p")
        screen.wait_for(r"REPLAY")


@tap.claim
def a_collector_that_is_killed_leaves_a_session_that_is_over():
    with Run("old") as run, Screen(f"{TOP} top {TMP}/old.loopmem", 80, 24, ENV) as screen:
        screen.wait_for(r"LIVE")
        time.sleep(1.5)
        children = subprocess.run(["pgrep", "-P", str(run.process.pid)], capture_output=True, text=True, check=False).stdout.split()
        run.process.kill()
        run.process.wait()
        screen.wait_for(r"ENDED|KILLED", 10)
        for child in children:
            try:
                os.kill(int(child), 9)
            except ProcessLookupError:
                pass


@tap.claim
def call_sites_lead_from_a_pool_to_a_line_and_its_callers():
    with Run("old", "--sample-bytes=64K"), Screen(f"{TOP} top {TMP}/old.loopmem", 100, 30, ENV) as screen:
        screen.wait_for(r"LIVE")
        wait_for_validation(screen)
        screen.keys("4")
        screen.wait_for(r"Live .* sampled, all pools(.*\n)*.*train #\d+ e\d +(\w+\.c:\d+ \w+|loopmem-fit)", 10)
        screen.wait_for(r"of all sites, 3 workers(.*\n)*.*called by (\w+\.c:\d+ \w+|loopmem-fit)")
        screen.keys("3", "j", "j")
        screen.wait_for(r"\[3 Processes\](.*\n)*> ")
        screen.keys("Enter")
        screen.wait_for(r"\[4 Sites\](.*\n)*.*process \d+, Esc all")
        screen.keys("Escape")
        screen.wait_for(r"all pools")


@tap.claim
def plain_tells_every_event_in_a_line_of_its_own():
    with Run("old"):
        top = subprocess.Popen([TOP, "top", "--plain", f"{TMP}/old.loopmem"], stdout=subprocess.PIPE, text=True)
        lines = []
        for line in top.stdout:
            lines.append(line)
            if "last batch" in line and "train" in line:
                break
        top.kill()
        top.wait()
    text = "".join(lines)
    assert re.search(r"^0:\d\d \d.* pool: train #\d+ e0 forked, 3 workers", text, re.M), text
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", text)


@tap.claim
def the_run_is_neither_slowed_nor_changed_by_being_watched():
    with Run("new", "-q") as run:
        screens = [Screen(f"{TOP} top -d 0.1 {TMP}/new.loopmem", 80, 24, ENV) for _ in range(2)]
        for screen in screens:
            screen.wait_for(r"LIVE")
        status = run.process.wait(timeout=60)
        for screen in screens:
            screen.__exit__()
    assert status == 0, status


@tap.claim
def native_sites_have_names_while_the_run_goes_on_and_after_its_collector_was_killed():
    session = f"{TMP}/native.loopmem"
    with subprocess.Popen([TOP, "run", "-q", "-o", session, f"{BUILD}/tests/targets/inlined"], stdin=subprocess.PIPE) as run:
        end = time.monotonic() + 20
        while "No call" in (listed := subprocess.run([TOP, "sites", "--at=end", session], capture_output=True, text=True,
                                                     check=False).stdout) or not listed:
            assert time.monotonic() < end, "no call sites"
            time.sleep(0.05)
        with Screen(f"{TOP} top {session}", 80, 24, ENV) as screen:
            screen.wait_for(r"LIVE")
            screen.keys("4")
            screen.wait_for(r"inlined\.c:\d+ take")
        run.kill()
        run.wait()
        run.stdin.close()
    with Screen(f"{TOP} top {session}", 80, 24, ENV) as screen:
        screen.keys("4")
        screen.wait_for(r"inlined\.c:\d+ take")


tap.run()
