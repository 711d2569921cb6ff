"""`loopmem top` and its terminal: sizes, signals, mouse, and a session that changes under its feet."""
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import time

import tap
from screen import Screen

BUILD, TMP = (os.environ[name] for name in ("LOOPMEM_BUILD", "TEST_TMP"))
TOP = f"{BUILD}/loopmem"
ENV = ["XDG_CONFIG_HOME=/nonexistent", "NO_COLOR=1"]
FIXTURE = f"{BUILD}/tests/fixtures/reference_session"
SESSION, LIVE = f"{TMP}/run-0412.loopmem", f"{TMP}/live.loopmem"
subprocess.run([FIXTURE, SESSION], check=True)
subprocess.run([FIXTURE, "--until", "718", LIVE], check=True)


def top(file=SESSION, options="", width=80, height=24, env=()):
    screen = Screen(f"{TOP} top {options} {file}", width, height, [*ENV, *env])
    screen.wait_for(r"REPLAY|LIVE")
    return screen


def pid_of_top():
    out = subprocess.run(["pgrep", "-n", "-f", f"^{TOP} top .*{TMP}/"], capture_output=True, text=True, check=True).stdout
    return int(out.split()[0])


@tap.claim
def every_size_from_tiny_to_huge_draws_and_the_last_one_is_right():
    with top() as screen:
        sizes = random.Random(1)
        for _ in range(120):
            screen.resize(sizes.randint(1, 220), sizes.randint(1, 70))
        screen.resize(80, 24)
        screen.wait_for(r"\[1 Overview\](.*\n)*>train #4 e1(.*\n)*F1Help")
        screen.keys("q")
        assert screen.exit_status() == 0


@tap.claim
def a_resize_keeps_screen_cursor_and_marks():
    with top() as screen:
        screen.keys("m", "2", "j", "j")
        screen.wait_for(r"\[2 Pools\](.*\n)*>validate #3")
        screen.resize(120, 40)
        screen.wait_for(r"\[2 Pools\](.*\n)*>validate #3(.*\n)*.*h l time")
        assert "no such key" not in screen.show(), "a resize is no key"
        screen.keys("1")
        screen.wait_for(r"marks  A 12:33")


@tap.claim
def ten_thousand_random_keys_end_in_a_working_screen():
    keys = random.Random(7)
    alphabet = [bytes([c]) for c in range(0x20, 0x7f) if chr(c) != "q"]
    alphabet += [b"\t", b"\r", b"\x1b[A", b"\x1b[B", b"\x1b[C", b"\x1b[D", b"\x1bOP", b"\x1b[15~", b"\x1b[20~", b"\x7f", b"\x0c",
                 b"\x1b[5~", b"\x1b[6~", b"\x02", b"\x06", b"\xc3\xa9", b"\x1b[<0;30;10M", b"\x1b[<0;30;10m", b"\x1b[<32;50;9M",
                 b"\x1b[<64;20;20M", b"\x1b[<65;20;8M", b"\x1b[<0;5;24M", b"\x1b[<9999;9999;9999M", b"\x1b[<;;M", b"\x1b["]
    with top(LIVE) as screen:
        for _ in range(100):
            screen.hex(b"".join(keys.choice(alphabet) for _ in range(100)))
        time.sleep(0.5)
        screen.keys("Escape", "Escape")
        time.sleep(0.2)
        screen.keys("C-c")  # leaves a prompt, or the program
        time.sleep(0.2)
        if not os.path.exists(screen.status):
            screen.keys("1")
            screen.wait_for(r"\[1 Overview\]|1 Overview")
            screen.keys("q")
        assert screen.exit_status() == 0
        for name in os.listdir(TMP):
            if name.startswith("loopmem-"):
                os.remove(f"{TMP}/{name}")


@tap.claim
def the_terminal_is_given_back_after_a_normal_end():
    with top() as screen:
        assert screen.pane("alternate_on") == "1"
        assert screen.pane("mouse_sgr_flag") == "1"
        screen.keys("q")
        assert screen.exit_status() == 0
        for flag in ("alternate_on", "mouse_any_flag", "mouse_button_flag", "mouse_sgr_flag"):
            assert screen.pane(flag) == "0", flag
        assert screen.pane("cursor_flag") == "1"
        screen.text("echo typed again\n")
        screen.wait_for(r"\ntyped again")


@tap.claim
def signals_that_end_it_give_the_terminal_back():
    for number, status in ((signal.SIGTERM, 0), (signal.SIGINT, 0), (signal.SIGHUP, 0), (signal.SIGSEGV, 139), (signal.SIGABRT, 134)):
        if number in (signal.SIGSEGV, signal.SIGABRT) and b"__asan_init" in open(TOP, "rb").read():
            continue  # the sanitizer's own report and status
        with top() as screen:
            os.kill(pid_of_top(), number)
            assert screen.exit_status() == status, number
            assert screen.pane("alternate_on") == "0", number
            assert screen.pane("mouse_sgr_flag") == "0", number
            screen.text("echo typed again\n")
            screen.wait_for(r"\ntyped again")


@tap.claim
def sigtstp_stops_it_and_sigcont_draws_all_again():
    with top() as screen:
        pid = pid_of_top()
        os.kill(pid, signal.SIGTSTP)
        screen.wait_for(r"Stopped")
        assert screen.pane("alternate_on") == "0"
        screen.text("fg\n")
        screen.wait_for(r"\[1 Overview\]")
        os.kill(pid, signal.SIGSTOP)
        screen.wait_for(r"Stopped")
        screen.text("clear; fg\n")
        screen.wait_for(r"\[1 Overview\](.*\n)*>train #4")
        screen.keys("q")
        screen.wait_for(r"shell>")


@tap.claim
def a_terminal_that_goes_away_ends_it_quietly():
    screen = top()
    pid = pid_of_top()
    screen.__exit__()
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    raise AssertionError("it lives on without a terminal")


@tap.claim
def a_dumb_terminal_and_no_terminal_are_refused_with_status_2():
    for env in ("TERM=dumb", "TERM=no-such-terminal", "TERM="):
        screen = Screen(f"{TOP} top {SESSION}", 80, 24, [*ENV, env])
        with screen:
            assert screen.exit_status() == 2, env
            screen.wait_for(r"loopmem top: no screen: (.*\n)+.*loopmem top --plain")
    done = subprocess.run([TOP, "top", SESSION], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "not a terminal" in done.stderr and not done.stdout


@tap.claim
def the_mouse_moves_in_time_selects_sorts_and_changes_the_screen():
    def mouse(screen, button, x, y, end="M"):
        screen.hex(f"\x1b[<{button};{x + 1};{y + 1}{end}".encode())

    with top() as screen:
        lines = screen.show().splitlines()
        chart = next(i for i, line in enumerate(lines) if line.startswith(" 10│"))
        mouse(screen, 0, 4, chart)
        screen.wait_for(r"REPLAY 0:")
        for x in (10, 20, 30):
            mouse(screen, 32, x, chart)
        mouse(screen, 0, 30, chart, "m")
        screen.wait_for(r"\n    A .*(B|▲) ")
        mouse(screen, 64, 30, chart)  # zoom
        screen.wait_for(r"\n    (?!0:00)")
        screen.keys("p", "=")
        screen.wait_for(r"REPLAY 12:33")
        row = next(i for i, line in enumerate(screen.show().splitlines()) if "validate #5" in line)
        mouse(screen, 0, 3, row)
        screen.wait_for(r">validate #5")
        heading = next(i for i, line in enumerate(screen.show().splitlines()) if "MEMORY" in line)
        column = screen.show().splitlines()[heading].index("MEMORY")
        mouse(screen, 0, column, heading)
        screen.wait_for(r"MEMORYv")
        mouse(screen, 0, column, heading)
        screen.wait_for(r"MEMORY\^")
        tabs = screen.show().splitlines()[4]
        mouse(screen, 0, tabs.index("6 Events"), 4)
        screen.wait_for(r"\[6 Events\]")
        mouse(screen, 65, 10, 10)
        mouse(screen, 0, 2, 23)  # F1
        screen.wait_for(r"loopmem top: keys")


@tap.claim
def without_mouse_it_is_not_taken():
    with top(options="--no-mouse") as screen:
        assert screen.pane("mouse_sgr_flag") == "0"


@tap.claim
def colours_are_those_of_the_terminal_and_can_be_switched_off():
    counts = {}
    for option in ("never", "8", "16", "256"):
        with Screen(f"{TOP} top --color={option} {SESSION}", 80, 24, ["XDG_CONFIG_HOME=/nonexistent"]) as screen:
            screen.wait_for("REPLAY")
            shown = screen.show(styles=True)
            counts[option] = len(set(re.findall(r"\x1b\[[0-9;]*m", shown)))
            numbers = {int(n) for n in re.findall(r"38;5;(\d+)", shown)}
            assert not re.search(r"\x1b\[(?:[0-9]*;)*(?:2|5|6)m", re.sub(r"38;5;\d+", "", shown)), "dim or blinking"
            assert "48;5" not in shown, "a background of its own"
            if option == "256":
                assert {32, 166, 243} <= numbers, numbers
            else:
                assert not numbers, (option, numbers)
    assert counts["never"] < counts["8"] <= counts["256"], counts


def changed(change, expected, file=LIVE, after=r"LIVE|LOST|REPLAY"):
    copy = f"{TMP}/copy.loopmem"
    for suffix in ("", "-wal", "-shm"):
        if os.path.exists(copy + suffix):
            os.remove(copy + suffix)
    shutil.copy(file, copy)
    with top(copy) as screen:
        screen.wait_for(after)
        change(copy)
        screen.wait_for(expected, 9)
        screen.keys("2")
        screen.wait_for(r"\[2 Pools\]")
        screen.keys("q")
        assert screen.exit_status() == 0


def truncate(file):
    os.truncate(file, 6000)


def overwrite(file):
    with open(file, "r+b") as out:
        out.write(b"not a session any more" * 500)


def replace(file):
    shutil.copy(SESSION, file + ".new")
    os.rename(file + ".new", file)


def newer(file):
    with sqlite3.connect(file) as session:
        session.execute("PRAGMA user_version = 99")


@tap.claim
def a_session_that_is_deleted_keeps_its_last_picture():
    changed(os.remove, r"is gone: this is the last picture")


@tap.claim
def a_session_that_is_replaced_can_be_opened_anew():
    changed(replace, r"is another file now +\^L opens it")


@tap.claim
def a_session_that_is_truncated_or_overwritten_ends_nothing():
    changed(truncate, r"LOST 0:0| E ")
    changed(overwrite, r"LOST 0:0| E ")


@tap.claim
def a_session_that_becomes_one_of_a_newer_version_ends_nothing():
    changed(newer, r"LOST 0:0| E ")


@tap.claim
def a_finished_session_that_is_deleted_stays_readable():
    changed(os.remove, r"is gone: this is the last picture", SESSION)


@tap.claim
def what_is_no_session_is_refused_before_the_screen_is_taken():
    empty, foreign = f"{TMP}/empty", f"{TMP}/foreign"
    open(empty, "w", encoding="ascii").close()
    with open(foreign, "w", encoding="ascii") as out:
        out.write("hello " * 1000)
    later = f"{TMP}/later.loopmem"
    shutil.copy(SESSION, later)
    newer(later)
    for file in (empty, foreign, later, f"{TMP}/none"):
        done = subprocess.run([TOP, "top", "-1", file], capture_output=True, text=True, check=False)
        assert done.returncode == 3, (file, done.returncode)
        assert done.stderr.startswith("loopmem top: "), done.stderr


@tap.claim
def without_the_shim_a_run_is_not_called_watched_from_outside():
    plain = f"{TMP}/without_shim.loopmem"
    subprocess.run([TOP, "run", "-q", "-o", plain, "sleep", "0.3"], check=True)
    with sqlite3.connect(plain) as db:
        db.execute("UPDATE process SET instrumented = 0")

    def said():
        return " ".join(subprocess.run([TOP, "top", "-1", plain], capture_output=True, text=True, check=True).stdout.split())

    assert "The shim is in no process, so pools and heap are not known: it loads into programs" in said(), said()
    with sqlite3.connect(plain) as db:
        db.execute("INSERT INTO meta VALUES ('attached', 1)")
    assert "It is watched from outside: its pools and its heap are not known." in said(), said()


tap.run()
