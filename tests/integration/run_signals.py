"""Signals during `loopmem run`: they reach the command, and whatever is killed, what was seen can be read."""
import json
import os
import signal
import subprocess
import time

import tap
from profiled import LOOPMEM, TMP, Session, alive, children, end, path, run, so_far, start, target, until


def started(process, count=1):
    """The command's pid, once it runs with so many children."""
    def found():
        pids = children(process.pid)
        return pids[0] if pids and len(children(pids[0])) >= count else None
    return until(found, "the command and its children")


def arguments(pid):
    try:
        with open(f"/proc/{pid}/cmdline", encoding="utf-8") as f:
            return f.read().split("\0")
    except OSError:  # it is gone
        return [""]


def session_has(name, sql):
    return until(lambda: so_far(path(name), sql), sql)


def findings(name):
    report = json.loads(subprocess.check_output([LOOPMEM, "report", "-f", "json", path(name)]))
    return {f["id"]: f for f in report["findings"]}


TRAP = "trap 'echo got; exit 9' {}; echo ready; while :; do sleep 0.05; done"


def ready(process):
    assert process.stdout.readline() == "ready\n"


def handed_on(number, name):
    p = start("sh", "-c", TRAP.format(name), options=["-o", f"{name}.loopmem"])
    ready(p)
    os.kill(p.pid, number)
    out, _ = p.communicate(timeout=20)
    assert (p.returncode, out) == (9, "got\n"), (p.returncode, out)
    s = Session(path(f"{name}.loopmem"))
    assert (s.meta("complete"), s.meta("exit_code")) == (1, 9)


@tap.claim
def term_hup_and_usr1_are_handed_on_and_the_session_is_whole():
    for number, name in ((signal.SIGTERM, "TERM"), (signal.SIGHUP, "HUP"), (signal.SIGUSR1, "USR1")):
        handed_on(number, name)


@tap.claim
def ctrl_c_reaches_the_command_once_and_the_session_is_whole():
    script = "n=0; trap 'n=$((n + 1)); echo got' INT; echo ready; i=0; " \
             "while [ $i -lt 20 ]; do sleep 0.05; i=$((i + 1)); done; exit $n"
    p = start("sh", "-c", script, options=["-o", "int.loopmem"], process_group=0)
    ready(p)
    os.killpg(p.pid, signal.SIGINT)  # what a terminal does
    out, _ = p.communicate(timeout=20)
    assert (p.returncode, out) == (1, "got\n"), (p.returncode, out)
    s = Session(path("int.loopmem"))
    assert (s.meta("complete"), s.meta("exit_code")) == (1, 1)
    assert s.rows("SELECT value FROM event WHERE kind = 'interrupt'") == [(signal.SIGINT,)]


@tap.claim
def a_command_that_dies_of_ctrl_c_ends_loopmem_the_same_way():
    p = start("sleep", "30", options=["-o", "int2.loopmem"], process_group=0)
    until(lambda: children(p.pid), "the command")
    session_has("int2.loopmem", "SELECT count(*) FROM sample")
    os.killpg(p.pid, signal.SIGINT)
    p.communicate(timeout=20)
    assert p.returncode == -signal.SIGINT
    s = Session(path("int2.loopmem"))
    assert (s.meta("complete"), s.meta("exit_signal")) == (1, signal.SIGINT)


POOL = """
import concurrent.futures, os, time
with concurrent.futures.ProcessPoolExecutor(2) as executor:
    executor.submit(os.close, 2).result()  # its traceback
    try:
        print("ready", flush=True)
        time.sleep(30)
    except KeyboardInterrupt:
        time.sleep(0.5)
"""


@tap.claim
def workers_that_fail_after_ctrl_c_did_not_die():
    p = start(os.environ["PYTHON"], "-c", POOL, options=["-o", "pool.loopmem"], process_group=0)
    ready(p)
    os.killpg(p.pid, signal.SIGINT)
    p.communicate(timeout=20)
    assert p.returncode == 0
    assert Session(path("pool.loopmem")).value("SELECT count(*) FROM process WHERE exit_code = 1") >= 1
    assert "process-died" not in findings("pool.loopmem")


@tap.claim
def what_is_ignored_stays_ignored_in_the_command():
    p = start("sh", "-c", "kill -INT $$; kill -HUP $$; echo alive",
              preexec_fn=lambda: [signal.signal(s, signal.SIG_IGN) for s in (signal.SIGINT, signal.SIGHUP)])
    assert p.communicate(timeout=20)[0] == "alive\n"
    assert p.returncode == 0


@tap.claim
def what_is_ignored_asks_no_run_to_end():
    p = start("sh", "-c", "echo ready; read end", options=["-o", "ignored.loopmem"], stdin=subprocess.PIPE,
              preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    ready(p)
    os.kill(p.pid, signal.SIGINT)
    os.kill(p.pid, signal.SIGQUIT)
    session_has("ignored.loopmem", "SELECT 1 FROM event WHERE kind = 'interrupt'")
    p.communicate("end\n", timeout=20)
    noted = Session(path("ignored.loopmem")).rows("SELECT value FROM event WHERE kind = 'interrupt'")
    assert noted == [(signal.SIGQUIT,)], noted


@tap.claim
def the_command_has_no_signal_blocked():
    blocked = run("sh", "-c", "grep SigBlk /proc/self/status", options=["-q"]).stdout.split()[1]
    assert int(blocked, 16) == 0
    ignored = run("sh", "-c", "grep SigIgn /proc/self/status", options=["-q"]).stdout.split()[1]
    bare = subprocess.check_output(["sh", "-c", "grep SigIgn /proc/self/status"], text=True).split()[1]
    assert ignored == bare


@tap.claim
def ctrl_z_stops_both_and_fg_continues_both():
    p = start("sh", "-c", "echo ready; sleep 2; echo done", process_group=0)
    # the shell of a child that is stopped before its exec, after a vfork, would not stop
    until(lambda: any(arguments(pid)[0] == "sleep" for sh in children(p.pid) for pid in children(sh)), "sleep")
    os.killpg(p.pid, signal.SIGTSTP)
    _, status = os.waitpid(p.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    os.killpg(p.pid, signal.SIGCONT)
    assert p.communicate(timeout=20)[0] == "ready\ndone\n"
    assert p.returncode == 0


@tap.claim
def a_killed_collector_leaves_the_session_readable_and_the_command_running():
    p = start(target("pools"), "2", "3", options=["-o", "collector.loopmem"])
    workers = [int(p.stdout.readline()) for _ in range(2)]
    command = started(p, 2)
    session_has("collector.loopmem", "SELECT count(*) FROM pool_worker WHERE pool = 1")
    session_has("collector.loopmem", "SELECT exhausted_ns FROM pool")
    os.kill(p.pid, signal.SIGKILL)
    p.wait()
    s = Session(path("collector.loopmem"))
    assert s.sound()
    assert s.meta("complete") is None
    assert s.value("SELECT count(*) FROM pool") == 1
    assert s.value("SELECT count(*) FROM rollup") > 0
    assert alive(command) and all(alive(w) for w in workers)
    # it goes on to its own end, which is not a failure: only then the pipe closes
    assert p.stdout.read() == ""
    assert not any(alive(w) for w in workers)


@tap.claim
def the_directory_of_a_killed_collector_is_removed_by_the_next_run():
    p = start("sh", "-c", 'echo "$LOOPMEM_DIR"; exec sleep 30')
    directory = p.stdout.readline().strip()
    command = until(lambda: children(p.pid), "the command")[0]
    p.kill()
    p.wait()
    assert os.path.isdir(directory)
    run("true", options=["-q"])
    assert os.path.isdir(directory)  # made a moment ago: perhaps by somebody who is about to use it
    os.utime(directory, (1, 1))
    other = run("sh", "-c", 'echo "$LOOPMEM_DIR"', options=["-q"])
    assert other.returncode == 0
    assert not os.path.exists(directory)
    assert alive(command)  # and it was not disturbed
    end(command)


@tap.claim
def the_directory_of_a_live_collector_is_left_alone():
    p = start("sh", "-c", 'echo "$LOOPMEM_DIR"; exec sleep 30')
    directory = p.stdout.readline().strip()
    command = until(lambda: children(p.pid), "the command")[0]
    # as a collector in another pid namespace looks from here: its pid names nobody
    other = f"{os.path.dirname(directory)}/loopmem-run-4194000-1-{os.path.basename(directory)[-6:]}"
    os.rename(directory, other)
    os.utime(other, (1, 1))
    run("true", options=["-q"])
    assert os.path.isdir(other)
    end(p.pid)
    p.wait()
    end(command)
    until(lambda: run("true", options=["-q"]).returncode == 0 and not os.path.exists(other), "its removal")


@tap.claim
def a_killed_worker_is_in_the_session_with_its_signal():
    p = start(target("pools"), "2", "1", options=["-o", "worker.loopmem"])
    workers = [int(p.stdout.readline()) for _ in range(2)]
    session_has("worker.loopmem", "SELECT count(*) > 1 FROM pool_worker")
    os.kill(workers[1], signal.SIGKILL)
    p.communicate(timeout=20)
    assert p.returncode == 0
    s = Session(path("worker.loopmem"))
    ends = dict((pid, (code, sig)) for pid, code, sig in s.rows("SELECT pid, exit_code, exit_signal FROM process"))
    assert ends[workers[1]] == (None, signal.SIGKILL), ends
    assert ends[workers[0]] == (0, None), ends
    died = findings("worker.loopmem")["process-died"]
    assert (died["evidence"]["ended_by"], died["evidence"]["pid"]) == ("SIGKILL", workers[1]), died
    assert died["severity"] == "warning" and "worker 1 of " in died["text"], died
    # what it had allocated is not lost
    live = s.value("SELECT max(alloc_bytes - free_bytes) FROM heap JOIN process p ON p.id = process WHERE p.pid = ?",
                   workers[1])
    assert live >= 4 << 20, live


@tap.claim
def a_killed_trainer_ends_the_run_by_its_signal_and_names_the_orphans():
    # workers that do not notice that their owner is gone
    script = "for i in 1 2; do sleep 30 <&- >&- 2>&- & done; echo $$; wait"
    p = start("sh", "-c", script, options=["-o", "trainer.loopmem"])
    trainer = int(p.stdout.readline())
    started(p, 2)
    orphans = children(trainer)
    session_has("trainer.loopmem", "SELECT count(*) > 2 FROM process")
    began = time.monotonic()
    os.kill(trainer, signal.SIGKILL)
    _, err = p.communicate(timeout=20)
    assert time.monotonic() - began < 5
    assert p.returncode == -signal.SIGKILL
    s = Session(path("trainer.loopmem"))
    assert (s.meta("complete"), s.meta("exit_signal")) == (1, signal.SIGKILL)
    for orphan in orphans:
        assert f"pid {orphan} outlives the program" in err, err
        assert alive(orphan)
        end(orphan)


@tap.claim
def a_killed_owner_inside_the_job_leaves_its_pool_and_orphans_on_record():
    script = f"'{target('pools')}' 2 30 & echo $!; wait $!; sleep 1"
    p = start("sh", "-c", script, options=["-o", "owner.loopmem"])
    owner = int(p.stdout.readline())
    session_has("owner.loopmem", "SELECT count(*) > 1 FROM pool_worker")
    os.kill(owner, signal.SIGKILL)
    p.communicate(timeout=20)
    s = Session(path("owner.loopmem"))
    assert s.meta("complete") == 1
    assert s.rows("SELECT exit_signal FROM process WHERE pid = ?", owner) == [(signal.SIGKILL,)]
    assert s.value("SELECT count(*) FROM pool_worker") == 2
    # their pipe is closed now: they end by themselves, reaped by loopmem
    ended = s.rows("SELECT exit_code FROM process p JOIN pool_worker w ON w.process = p.id")
    assert ended == [(0,), (0,)], ended


tap.run()
