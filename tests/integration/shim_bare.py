"""LD_PRELOAD alone, without `loopmem run`: the first pool starts a collector that nobody sees."""
import os
import sqlite3
import subprocess
import tempfile
import time

import segments
import tap


class Place:
    """A runtime directory and a working directory of its own for one job."""

    def __init__(self):
        self.runtime, self.work = (tempfile.mkdtemp(dir="/dev/shm"), segments.new_directory())
        self.session = os.path.join(self.work, "out.loopmem")

    def environment(self, **more):
        environment = segments.environment(None, XDG_RUNTIME_DIR=self.runtime,
                                           LOOPMEM_OUTPUT=self.session)
        del environment["LOOPMEM_COLLECT"]
        environment.update(more)
        return environment

    def run(self, *command, **more):
        return subprocess.run(command, env=self.environment(**more), cwd=self.work,
                              capture_output=True, text=True, timeout=60)

    def start(self, *command, **more):
        return subprocess.Popen(command, env=self.environment(**more), cwd=self.work,
                                stdout=subprocess.PIPE, text=True)

    def collectors(self):
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline") as line:
                    words = line.read().split("\0")
            except OSError:
                continue
            if words[1:2] == ["collect"] and any(self.runtime in word for word in words):
                found.append(int(pid))
        return found

    def wait_until_collected(self):
        for _ in range(300):
            if not self.collectors() and not os.listdir(self.runtime):
                break
            time.sleep(0.1)
        assert not self.collectors(), "the collector does not end"
        assert os.listdir(self.runtime) == [], "the collector leaves its directory"
        os.rmdir(self.runtime)

    def pools(self):
        with sqlite3.connect(self.session) as session:
            return [row[0] for row in session.execute("SELECT label FROM pool")]


@tap.claim
def the_program_sees_no_child_no_signal_and_no_descriptor():
    place = Place()
    run = place.run(segments.target("watchful"))
    place.wait_until_collected()
    assert run.stdout == ("pool 1, 0 signals, wait none, errno kept, mask kept, "
                          "descriptors +0\n"), run.stdout
    assert place.pools() == ["watched"]


@tap.claim
def the_collector_holds_nothing_of_the_program():
    place = Place()
    started = time.monotonic()
    done = place.start(segments.target("poolcalls"), "begin:a:1:-1", "sleep:700")
    time.sleep(0.5)
    (collector,) = place.collectors()
    descriptors = {os.readlink(f"/proc/{collector}/fd/{n}") for n in ("0", "1", "2")}
    with open(f"/proc/{collector}/environ") as environ:
        environment = environ.read()
    session = os.getsid(collector)
    done.stdout.read()  # ends with the program, not with the collector
    assert time.monotonic() - started < 5
    done.wait()
    place.wait_until_collected()
    assert descriptors == {"/dev/null"}, descriptors
    assert "LD_PRELOAD" not in environment and session not in (os.getsid(0), 0)


@tap.claim
def workers_forked_before_the_pool_and_programs_started_after_it_have_segments():
    place = Place()
    script = """if True:
        import ctypes, os, subprocess, time
        child = os.fork()
        while child == 0:  # allocates now and then, so it looks whether the directory is there
            blocks = [bytearray(5000) for _ in range(200)]
            time.sleep(0.05)
        shim = ctypes.CDLL(os.environ["LD_PRELOAD"])
        shim.loopmem_pool_begin((ctypes.c_char * 128)())
        other = subprocess.Popen(["sleep", "60"])
        runtime = os.environ["XDG_RUNTIME_DIR"]
        for _ in range(200):
            directory = os.path.join(runtime, *os.listdir(runtime))
            pids = {int(name.split("-")[0]) for name in os.listdir(directory)}
            if {os.getpid(), child, other.pid} <= pids:
                print("all there")
                break
            time.sleep(0.05)
        os.kill(child, 9)
        other.kill()
        """
    python = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else "python3"
    run = place.run(python, "-c", script)
    place.wait_until_collected()
    assert run.stdout == "all there\n", (run.stdout, run.stderr)


@tap.claim
def a_job_without_a_pool_leaves_nothing():
    place = Place()
    run = place.run("sh", "-c", "echo hello; (exit 3)")
    assert (run.stdout, run.returncode) == ("hello\n", 3)
    assert os.listdir(place.runtime) == os.listdir(place.work) == []
    os.rmdir(place.runtime)


@tap.claim
def collecting_can_be_switched_off():
    place = Place()
    run = place.run(segments.target("poolcalls"), "begin:a:1:-1", "number:a", LOOPMEM_COLLECT="0")
    assert run.stdout == "1\n"
    assert os.listdir(place.runtime) == os.listdir(place.work) == []
    os.rmdir(place.runtime)


@tap.claim
def without_a_collector_to_start_the_program_runs_and_nothing_is_left():
    for program in ("/nonexistent/loopmem", "/bin/sh/not"):
        place = Place()
        run = place.run(segments.target("poolcalls"), "begin:a:1:-1", "next:a:1", "number:a",
                        LOOPMEM_PROGRAM=program)
        assert (run.stdout, run.returncode) == ("1\n", 0)
        assert os.listdir(place.runtime) == os.listdir(place.work) == []
        os.rmdir(place.runtime)


@tap.claim
def a_collector_that_is_no_program_leaves_nothing_either():
    place = Place()
    broken = os.path.join(place.work, "broken")
    with open(broken, "w") as file:
        file.write("\0not a program")
    os.chmod(broken, 0o755)
    run = place.run(segments.target("poolcalls"), "begin:a:1:-1", "number:a", LOOPMEM_PROGRAM=broken)
    assert (run.stdout, run.returncode) == ("1\n", 0)
    assert os.listdir(place.runtime) == []
    os.rmdir(place.runtime)


@tap.claim
def of_many_processes_with_pools_one_starts_the_collector():
    place = Place()
    calls = f"{segments.target('poolcalls')} begin:a:1:-1 sleep:1500"
    # The plan is the shell's, so that all of them share it.
    run = place.start("sh", "-c", f"{calls} & {calls} & {calls} & wait",
                      LOOPMEM_PLAN=os.path.join(place.runtime, "shared"))
    time.sleep(1)
    collectors = place.collectors()
    run.communicate()
    place.wait_until_collected()
    assert len(collectors) == 1, collectors
    assert place.pools() == ["a"] * 3, place.pools()


@tap.claim
def the_directory_of_another_user_or_a_link_is_not_used():
    place = Place()
    planned, target = os.path.join(place.runtime, "plan"), segments.new_directory()
    os.symlink(target, planned)
    run = place.run(segments.target("poolcalls"), "begin:a:1:-1", "number:a", LOOPMEM_PLAN=planned)
    assert run.stdout == "1\n" and os.listdir(target) == [], os.listdir(target)
    os.unlink(planned)
    os.mkdir(planned, 0o777)
    os.chmod(planned, 0o777)
    run = place.run(segments.target("poolcalls"), "begin:a:1:-1", "number:a", LOOPMEM_PLAN=planned)
    assert run.stdout == "1\n" and os.listdir(planned) == [], os.listdir(planned)
    os.rmdir(planned)
    os.rmdir(place.runtime)


tap.run()
