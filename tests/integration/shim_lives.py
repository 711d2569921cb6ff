"""However a process begins and ends, its segment says what it must, and nothing more is written."""
import os
import signal
import subprocess
import time

import segments
import tap


def lives(way, **more):
    return segments.run([segments.target("lives"), way], **more)


def start_ticks(pid):
    with open(f"/proc/{pid}/stat") as stat:
        return int(stat.read().rsplit(")", 1)[1].split()[19])


@tap.claim
def a_segment_names_its_process():
    directory = segments.new_directory()
    command = [segments.target("killed"), "10", "2000"]
    process = subprocess.Popen(command, env=segments.environment(directory), stdout=subprocess.PIPE)
    pid, child = map(int, process.stdout.readline().split())
    ticks = {pid: start_ticks(pid), child: start_ticks(child)}
    found = {segment.pid: segment for segment in segments.read(directory)}
    modes = {os.stat(segment.path).st_mode & 0o777 for segment in found.values()}
    for one in (pid, child):
        os.kill(one, signal.SIGKILL)
    process.wait()
    assert found.keys() == {pid, child}
    assert {p: s.start_ticks for p, s in found.items()} == ticks
    assert [found[p].parent_pid for p in (pid, child)] == [os.getpid(), pid]
    assert [found[p].forked for p in (pid, child)] == [0, 1]
    assert found[pid].cmdline == " ".join(command) == found[child].cmdline
    assert modes == {0o600}


def killed(parent_blocks, child_blocks):
    directory = segments.new_directory()
    process = subprocess.Popen([segments.target("killed"), str(parent_blocks), str(child_blocks)],
                               env=segments.environment(directory), stdout=subprocess.PIPE)
    pid, child = map(int, process.stdout.readline().split())
    os.kill(child, signal.SIGKILL)
    os.kill(pid, signal.SIGKILL)
    process.wait()
    found = {segment.pid: segment for segment in segments.read(directory)}
    return found[pid], found.get(child)


@tap.claim
def after_a_sigkill_every_allocation_is_there():
    idle, _ = killed(0, 0)
    busy, child = killed(777, 5000)
    assert busy.allocs - idle.allocs == 777
    assert busy.alloc_bytes - idle.alloc_bytes == 777 * 104
    assert (child.allocs, child.alloc_bytes) == (5000, 5000 * 104)
    assert child.free_bytes == child.inherited_frees == child.exit == 0
    assert child.inherited_live_bytes == idle.live_bytes, (child.inherited_live_bytes, idle.live_bytes)


@tap.claim
def what_a_sleeping_thread_counted_follows_into_a_segment_that_is_made_later():
    plan = os.path.join(segments.new_directory(), "plan")
    environment = segments.environment(None, LOOPMEM_PLAN=plan)
    del environment["LOOPMEM_COLLECT"]
    process = subprocess.Popen([segments.target("killed"), "777", "0", plan], env=environment,
                               stdout=subprocess.PIPE)
    pid, child = map(int, process.stdout.readline().split())
    found = {segment.pid: segment for segment in segments.read(plan)}
    os.kill(child, signal.SIGKILL)
    os.kill(pid, signal.SIGKILL)
    process.wait()
    assert [row[3] for row in found[pid].rows if row[0] == 1] == [777], found[pid].rows


@tap.claim
def each_way_out_leaves_its_status():
    for way, status in {"return": 11, "exit": 12, "_exit": 13, "_Exit": 14}.items():
        run = lives(way)
        (segment,) = run.segments
        assert run.returncode == status == segment.exit_status, (way, run.returncode)
        assert segment.exit == 1 and ("exit", 0, status, 0, "") in segment.events, way
    (segment,) = lives("abort").segments
    assert segment.exit == 0


@tap.claim
def every_exec_passes_its_arguments_and_environment_and_is_marked():
    for way, given in {"execl": "none", "execlp": "none", "execle": "given", "execv": "none",
                       "execve": "given", "execvp": "none", "execvpe": "given",
                       "execveat": "given", "fexecve": "given"}.items():
        run = lives(way)
        assert run.stdout == f"[one][two words] {given}\n", (way, run.stdout)
        before, after = sorted(run.segments, key=segments.born)
        assert before.pid == after.pid and before.start_ticks == after.start_ticks, way
        assert (before.exec, after.exec) == (1, 0) and "exec" in before.kinds(), way
        assert after.cmdline == "lives args one two words", way


@tap.claim
def an_exec_that_fails_leaves_no_mark():
    (segment,) = lives("failed-exec").segments
    assert (segment.exec, segment.exit) == (0, 1)


@tap.claim
def nothing_is_written_between_fork_and_exec():
    for way in ("fork-exec", "spawn", "vfork-exec", "vfork-exit"):
        run = lives(way)
        assert run.returncode == 0, way
        assert len(os.listdir(run.directory)) == 1, way
        (segment,) = run.segments
        assert (segment.exec, segment.exit) == (0, 1), way
        assert segment.kinds().count("exit") == 1 and "exec" not in segment.kinds(), way


@tap.claim
def a_fork_is_an_edge_in_the_parent():
    run = lives("fork-exec")
    assert [kind for kind in run.segments[0].kinds()] == ["fork", "exit"]


@tap.claim
def who_ends_a_child_and_what_is_learned_of_it_is_told():
    for way in ("wait", "wait3", "wait4", "waitpid", "waitid"):
        run = lives(way)
        assert run.returncode == 0, way
        (segment,) = run.segments
        child, term = int(run.stdout), int(signal.SIGTERM)
        told = [event for event in segment.events if event[0] in ("kill", "reaped")]
        assert told == [("kill", 0, -child if way == "wait3" else child, term, ""), ("reaped", 0, child, term, ""),
                        ("kill", 0, child, term, "")], (way, told)


@tap.claim
def a_child_of_a_bare_clone_gets_a_segment_of_its_own():
    run = lives("bare-clone")
    parent, child = sorted(run.segments, key=segments.born)
    assert run.returncode == 0 and child.forked == 1 and child.pid != parent.pid
    # Up to one sample gap is counted before it is noticed.
    assert 0 < child.allocs <= 5000 and child.exit == 1 and parent.exit == 1


@tap.claim
def ending_and_forking_in_a_signal_handler_does_not_hang():
    for _ in range(20):
        assert lives("exit-in-handler", LOOPMEM_SAMPLE_BYTES="1").returncode == 4


@tap.claim
def two_hundred_forks_amid_busy_threads_do_not_hang():
    started = time.monotonic()
    run = segments.run([segments.target("forkstorm")], LOOPMEM_SAMPLE_BYTES="4096")
    assert run.returncode == 0, run.stdout
    forked = [segment for segment in run.segments if segment.forked]
    assert len(forked) == 200 and all(segment.exit_status == 7 for segment in forked)
    assert time.monotonic() - started < 100


@tap.claim
def a_pid_that_comes_again_makes_another_file():
    # The same pid over an exec is the same case as one that is given out again.
    run = lives("execv")
    names = [name for name in os.listdir(run.directory) if name.endswith(".seg")]  # one in 15 has a sample
    told = (names, os.listdir(run.directory), run.returncode, run.stdout, run.stderr)
    assert len(names) == 2 and len({name.split("-")[0] for name in names}) == 1, told


tap.run()
