"""What goes wrong around `loopmem run` costs at most the rest of the session, never the command."""
import os
import shutil
import signal
import subprocess
import time

import tap
from profiled import BUILD, LOOPMEM, TMP, Session, children, path, run, so_far, start, target, until


class SmallDisk:
    """A tmpfs of so many KiB."""

    def __init__(self, name, kib):
        self.directory = path(name)
        os.makedirs(self.directory, exist_ok=True)
        r = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", self.directory],
                           capture_output=True, text=True)
        if r.returncode:
            raise tap.Skip("a small tmpfs cannot be mounted here: " + r.stderr.strip())

    def __enter__(self):
        return self.directory

    def __exit__(self, *_):
        subprocess.run(["umount", "-l", self.directory], check=True)


@tap.claim
def a_disk_that_fills_leaves_a_readable_session_and_a_message():
    with SmallDisk("filling", 256) as disk:
        r = run(target("crowd"), "40", "1", "8", options=["-o", f"{disk}/run.loopmem"])
        assert r.returncode == 0
        assert "No space left on device" in r.stderr, r.stderr
        assert "loopmem: peak " in r.stderr, r.stderr  # of what was seen up to then
        s = Session(f"{disk}/run.loopmem")
        assert s.sound()
        assert s.value("SELECT count(*) FROM sample") > 0
        assert s.value("SELECT count(*) FROM process") >= 40
        s.db.close()


@tap.claim
def a_full_disk_costs_the_profile_and_not_the_run():
    with SmallDisk("full", 128) as disk:
        with open(f"{disk}/fill", "wb") as f:
            f.write(b"x" * (120 << 10))
        r = run("sh", "-c", "echo out; exit 5", options=["-o", f"{disk}/run.loopmem"])
        assert (r.returncode, r.stdout) == (5, "out\n")
        first, second = r.stderr.splitlines()[:2]
        assert first.startswith("loopmem: cannot write ") and first.endswith("No space left on device"), r.stderr
        assert second.startswith("  the program runs on unprofiled"), r.stderr


@tap.claim
def a_limit_on_file_sizes_is_an_error_of_writing():
    script = f"ulimit -f 90; '{LOOPMEM}' run -o limited.loopmem -- '{target('crowd')}' 30 1 4"
    r = subprocess.run(["bash", "-c", script], capture_output=True, text=True, cwd=TMP)
    assert r.returncode == 0, r
    assert "cannot write limited.loopmem" in r.stderr, r.stderr


@tap.claim
def few_descriptors_cost_no_process():
    script = f"ulimit -n 128; exec '{LOOPMEM}' run -o few.loopmem -- '{target('crowd')}' 100 1 2"
    r = subprocess.run(["bash", "-c", script], capture_output=True, text=True, cwd=TMP)
    assert r.returncode == 0, r.stderr
    s = Session(path("few.loopmem"))
    assert s.rows("SELECT count(*), sum(instrumented), count(exit_code) FROM process") == [(101, 101, 101)]


@tap.claim
def a_directory_that_cannot_be_written_costs_the_profile_only():
    r = run("sh", "-c", "echo out; exit 6", options=["-o", "no/such/run.loopmem"])
    assert (r.returncode, r.stdout) == (6, "out\n")
    assert r.stderr == "loopmem: cannot write no/such/run.loopmem: No such file or directory\n" \
                       "  the program runs on unprofiled\n", r.stderr
    assert run("sh", "-c", "kill -9 $$", options=["-o", "no/such/run.loopmem"]).returncode == -9


@tap.claim
def a_file_that_is_no_session_is_not_overwritten():
    with open(path("thesis.txt"), "w") as f:
        f.write("do not lose me")
    r = run("sh", "-c", "exit 7", options=["-o", "thesis.txt"])
    assert r.returncode == 7
    assert "cannot write thesis.txt" in r.stderr and "runs on unprofiled" in r.stderr, r.stderr
    with open(path("thesis.txt")) as f:
        assert f.read() == "do not lose me"


@tap.claim
def without_the_library_the_command_runs_and_a_message_says_so():
    r = run("sh", "-c", "echo out; exit 8", env={**os.environ, "LOOPMEM_LIB": "/nonexistent/lib.so"})
    assert (r.returncode, r.stdout) == (8, "out\n")
    assert r.stderr.startswith("loopmem: cannot read $LOOPMEM_LIB /nonexistent/lib.so: No such file"), r.stderr
    assert "runs on unprofiled" in r.stderr


@tap.claim
def a_session_removed_while_it_is_written_is_told():
    os.mkdir(path("doomed"))
    p = start("sh", "-c", "echo started; read line; exit 4", options=["-o", "doomed/run.loopmem"],
              stdin=subprocess.PIPE)
    p.stdout.readline()
    until(lambda: os.path.exists(path("doomed/run.loopmem")), "the session")
    time.sleep(0.3)
    shutil.rmtree(path("doomed"))
    time.sleep(0.3)
    _, err = p.communicate("go\n", timeout=20)
    assert p.returncode == 4
    assert "doomed/run.loopmem" in err and "removed" in err, err


@tap.claim
def a_removed_segment_directory_costs_later_processes_only():
    script = 'sleep 0.3; rm -rf "$LOOPMEM_DIR"; sleep 0.3; sh -c "sleep 1.5"; exit 3'
    r = run("sh", "-c", script, options=["-o", "segments.loopmem"])
    assert r.returncode == 3
    assert "directory of the segments was removed" in r.stderr, r.stderr
    s = Session(path("segments.loopmem"))
    assert s.meta("complete") == 1
    assert s.value("SELECT instrumented FROM process WHERE id = 1") == 1
    assert s.value("SELECT count(*) FROM process WHERE instrumented = 0") > 0


@tap.claim
def a_segment_that_is_cut_short_costs_what_it_would_have_told():
    victim = 'python3 -c "import time; held = bytearray(1 << 20); time.sleep(60)"'
    p = start("sh", "-c", f"{victim} & echo $LOOPMEM_DIR $!; read line; sh -c :; exit 3",
              options=["-o", "cut.loopmem"], stdin=subprocess.PIPE)
    directory, pid = p.stdout.readline().split()
    until(lambda: os.path.exists(path("cut.loopmem")), "the session")

    heap = f"FROM heap JOIN process ON id = process WHERE pid = {pid}"
    until(lambda: so_far(path("cut.loopmem"), f"SELECT max(alloc_bytes) > 1 << 20 {heap}"), "the segment is read")
    (segment,) = (f for f in os.listdir(directory) if f.startswith(f"{pid}-") and f.endswith(".seg"))
    os.truncate(f"{directory}/{segment}", 4096)
    until(lambda: not os.path.exists(f"{directory}/{segment}"), "it is given up")
    os.kill(int(pid), signal.SIGKILL)
    _, err = p.communicate("go\n", timeout=20)
    assert p.returncode == 3, (p.returncode, err)
    assert f"segment of pid {pid} was cut short" in err, err
    s = Session(path("cut.loopmem"))
    assert s.meta("complete") == 1 and s.value("SELECT count(*) FROM process") > 2
    assert s.value(f"SELECT alloc_bytes {heap} ORDER BY t_ns DESC LIMIT 1") > 1 << 20


@tap.claim
def no_room_for_segments_leaves_the_command_untouched():
    with SmallDisk("no-room", 1024) as disk:
        with open(f"{disk}/fill", "wb") as f:
            f.write(b"x" * (1000 << 10))
        # too small to be chosen: the run goes elsewhere
        r = run("sh", "-c", 'echo "$LOOPMEM_DIR"', options=["-q", "-o", "room.loopmem"],
                env={**os.environ, "XDG_RUNTIME_DIR": disk})
        assert r.returncode == 0 and not r.stdout.startswith(disk), r.stdout
        # forced to it, the program runs and nothing is written
        r = subprocess.run(["sh", "-c", "exit 3"],
                           env={**os.environ, "LD_PRELOAD": f"{BUILD}/libloopmem.so", "LOOPMEM_DIR": disk,
                                "LOOPMEM_COLLECT": "0"})
        assert r.returncode == 3
        assert all(os.path.getsize(f"{disk}/{f}") == 0 for f in os.listdir(disk) if f != "fill")


def static_program():
    source, program = path("static.c"), path("static")
    with open(source, "w") as f:
        f.write("#include <unistd.h>\nint main(void) { usleep(200000); return 6; }\n")
    if subprocess.run(["cc", "-static", "-o", program, source], capture_output=True).returncode:
        raise tap.Skip("no static libc to link with")
    return program


@tap.claim
def a_static_program_is_seen_through_proc_and_the_reason_is_told():
    r = run(static_program(), options=["-o", "static.loopmem"])
    assert r.returncode == 6
    assert "static: the shim did not load: it is statically linked" in r.stderr, r.stderr
    s = Session(path("static.loopmem"))
    assert s.rows("SELECT instrumented, exit_code FROM process") == [(0, 6)]
    assert s.value("SELECT count(*) FROM rollup") > 0
    assert run(static_program(), options=["-q"]).stderr == ""


@tap.claim
def a_setuid_program_is_told_apart():
    program = path("setuid")
    shutil.copy("/bin/true", program)
    os.chmod(program, 0o4755)
    if os.geteuid() == 0:  # setuid to root changes nothing for root: to another user
        os.chown(program, 65534, -1)
        os.chmod(program, 0o4755)
    r = run(program)
    if os.geteuid() == 0 and "did not load" not in r.stderr:
        raise tap.Skip("setuid programs are not honoured on this file system")
    assert "runs with another user's rights" in r.stderr, r.stderr


@tap.claim
def a_loaded_shim_is_not_said_to_be_absent():
    for command in (["true"], ["sh", "-c", "exec true"], ["env", "-i", "/bin/true"]):
        assert "did not load" not in run(*command).stderr, command


@tap.claim
def a_program_that_leaves_a_daemon_is_not_waited_for():
    began = time.monotonic()
    r = run("sh", "-c", "setsid sleep 30 >/dev/null 2>&1 & echo $!", options=["-o", "daemon.loopmem"])
    assert time.monotonic() - began < 5
    assert "outlives the program" in r.stderr, r.stderr
    daemon = int(r.stdout)
    s = Session(path("daemon.loopmem"))
    assert s.value("SELECT count(*) FROM process WHERE pid = ? AND ended_ns IS NULL", daemon) == 1
    os.kill(daemon, 9)


@tap.claim
def a_double_forked_daemon_is_still_seen():
    p = start("sh", "-c", "(setsid sh -c 'sleep 3 & echo $!') ; sleep 2", options=["-o", "double.loopmem"])
    daemon = int(p.stdout.readline())
    until(lambda: daemon in children(p.pid), "the daemon to be handed to loopmem")
    p.communicate(timeout=20)
    s = Session(path("double.loopmem"))
    assert s.value("SELECT count(*) FROM process WHERE pid = ?", daemon) == 1


@tap.claim
def workers_and_pools_that_came_and_went_between_two_looks_are_all_there():
    p = start(target("brief"), "20", "10", options=["-o", "brief.loopmem"], stdin=subprocess.PIPE)
    assert p.stdout.readline() == "ready\n"
    until(lambda: so_far(path("brief.loopmem"), "SELECT count(*) FROM heap"), "the program")
    os.kill(p.pid, signal.SIGSTOP)
    try:
        p.stdin.write("\n")
        p.stdin.flush()
        assert p.stdout.readline() == "done\n"
        time.sleep(1.5)  # what is looked at once a second is due, together with all the rest
    finally:
        os.kill(p.pid, signal.SIGCONT)
    until(lambda: so_far(path("brief.loopmem"), "SELECT count(*) FROM pool") == 20, "the pools")
    _, err = p.communicate(timeout=20)
    assert p.returncode == 0, err
    workers = Session(path("brief.loopmem")).rows("""
        SELECT pool, count(DISTINCT process), max(alloc_bytes) FROM pool_worker JOIN heap USING (process) GROUP BY pool""")
    assert [row[:2] for row in workers] == [(pool, 1) for pool in range(1, 21)], workers
    assert all(row[2] >= 64 << 10 for row in workers), workers


tap.run()
