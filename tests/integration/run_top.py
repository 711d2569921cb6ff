"""`loopmem run --top`: the dashboard beside its own run; the command's output in a log and a pane, its status at the end."""
import os
import re
import signal
import subprocess

import tap
from screen import Screen

BUILD, TMP = (os.environ[name] for name in ("LOOPMEM_BUILD", "TEST_TMP"))
LOOPMEM = f"{BUILD}/loopmem"
ENV = ["XDG_CONFIG_HOME=/nonexistent", "NO_COLOR=1"]


def run(command, name, width=80, height=30):
    return Screen(f"{LOOPMEM} run --top -o {TMP}/{name}.loopmem -- {command}", width, height, ENV)


@tap.claim
def the_commands_output_is_in_a_pane_and_a_log_and_its_status_is_kept():
    with run("sh -c 'echo first; echo second >&2; sleep 3; exit 7'", "status") as screen:
        screen.wait_for(r"LIVE")
        screen.wait_for(r"── output: .*status\.log ─+\n first\n second")
        screen.wait_for(r"ENDED \d:\d\d exit 7", 10)
        screen.keys("q")
        assert screen.exit_status() == 7
        screen.wait_for(r"loopmem: ")  # the summary, after the dashboard
    with open(f"{TMP}/status.log", encoding="utf-8") as log:
        assert log.read() == "first\nsecond\n"


@tap.claim
def leaving_early_lets_the_run_go_on_and_waits_for_it():
    with run("sh -c 'sleep 3; echo done; exit 5'", "early") as screen:
        screen.wait_for(r"LIVE")
        screen.keys("q")
        screen.wait_for(r"the program runs on; it writes to .*early\.log\n +again: loopmem top --log")
        assert not os.path.exists(screen.status)
        assert screen.exit_status(15) == 5
    with open(f"{TMP}/early.log", encoding="utf-8") as log:
        assert log.read() == "done\n"


@tap.claim
def keys_go_to_the_dashboard_and_never_to_the_command():
    with run("sh -c 'read line; echo got:$line; sleep 2'", "keys") as screen:
        screen.wait_for(r"LIVE")
        screen.wait_for(r"\n got:\n")  # the end of an empty input, at once
        screen.keys("2")
        screen.wait_for(r"\[2 Pools\]")
        screen.keys("C-z")
        screen.wait_for(r"shares this terminal")
        screen.wait_for(r"ENDED", 10)
        screen.keys("q")
        assert screen.exit_status() == 0


@tap.claim
def control_c_leaves_the_dashboard_and_a_second_one_ends_the_command():
    with run("sh -c 'sleep 30'", "interrupt") as screen:
        screen.wait_for(r"LIVE")
        screen.keys("C-c")
        screen.wait_for(r"the program runs on")
        screen.keys("C-c")
        screen.wait_for(r"ended by SIGINT(.*\n)*shell>", 10)  # an interrupted list is not gone on with by bash


@tap.claim
def a_signal_to_the_run_reaches_the_command():
    with run("sh -c 'trap \"echo told; exit 3\" TERM; while :; do sleep 0.1; done'", "term") as screen:
        screen.wait_for(r"LIVE")
        pid = subprocess.run(["pgrep", "-o", "-f", f"^{LOOPMEM} run --top -o {TMP}/term"], capture_output=True, text=True,
                             check=True).stdout.split()[0]
        os.kill(int(pid), signal.SIGTERM)
        assert screen.exit_status(10) == 3
        assert screen.pane("alternate_on") == "0"
    with open(f"{TMP}/term.log", encoding="utf-8") as log:
        assert "told" in log.read()


@tap.claim
def a_command_that_cannot_be_started_says_so_on_the_terminal():
    with run("/nonexistent/program", "absent") as screen:
        assert screen.exit_status() == 127
        screen.wait_for(r"/nonexistent/program")
        assert screen.pane("alternate_on") == "0"


@tap.claim
def an_older_session_of_the_same_name_is_not_shown():
    subprocess.run([LOOPMEM, "run", "-q", "-o", f"{TMP}/again.loopmem", "sh", "-c", "exit 9"], check=False)
    with run("sh -c 'sleep 2'", "again") as screen:
        screen.wait_for(r"LIVE")
        assert not re.search("exit 9", screen.show())
        screen.keys("q")
        assert screen.exit_status(10) == 0


@tap.claim
def without_a_terminal_it_is_refused():
    done = subprocess.run([LOOPMEM, "run", "--top", "true"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, cwd=TMP)
    assert done.returncode == 2 and "--top needs a terminal" in done.stderr, done


tap.run()
