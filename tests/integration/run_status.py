"""loopmem run is transparent: status, output, input, environment of the command are its own."""
import os
import shutil
import signal
import subprocess

import tap
from profiled import BUILD, LOOPMEM, TMP, Session, path, run, start, target, until


def status(*command, **kwargs):
    return run(*command, **kwargs).returncode


@tap.claim
def the_status_is_the_commands():
    for code in (0, 1, 2, 42, 125, 255):
        assert status("sh", "-c", f"exit {code}") == code


@tap.claim
def the_collector_takes_no_processor_from_the_program():
    own = os.sched_getscheduler(0)
    p = start("sh", "-c", "echo $$; read end", stdin=subprocess.PIPE)
    program = int(p.stdout.readline())
    until(lambda: os.sched_getscheduler(p.pid) == os.SCHED_BATCH, "a collector that waits for its turn")
    assert os.sched_getscheduler(program) == own
    p.communicate("end\n")
    assert p.returncode == 0


@tap.claim
def a_signal_ends_both():
    for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV, signal.SIGINT, signal.SIGUSR1):
        assert status("sh", "-c", f"kill -{int(number)} $$") == -number


@tap.claim
def a_shell_shows_128_and_the_signal():
    script = f"'{LOOPMEM}' run -q -- sh -c 'kill -9 $$' 2>/dev/null; echo $?"
    assert subprocess.check_output(["sh", "-c", script], cwd=TMP, text=True) == "137\n"


@tap.claim
def what_is_not_there_is_127_as_in_the_shell():
    r = run("no-such-command-anywhere")
    assert r.returncode == 127
    assert r.stderr == "loopmem run: no-such-command-anywhere: not found\n  exit 127, as the shell would\n"
    assert status("./nothing/here") == 127


@tap.claim
def what_cannot_be_executed_is_126():
    open(path("plain"), "w").close()
    r = run("./plain")
    assert r.returncode == 126
    assert r.stderr.startswith("loopmem run: ./plain: Permission denied\n")
    assert status(TMP) == 126


@tap.claim
def a_command_that_cannot_start_costs_no_session():
    run("true", options=["-o", "keep.loopmem"])
    before = open(path("keep.loopmem"), "rb").read()
    assert status("no-such-command-anywhere", options=["-o", "keep.loopmem"]) == 127
    assert open(path("keep.loopmem"), "rb").read() == before
    assert status("no-such-command-anywhere", options=["-o", "new.loopmem"]) == 127
    assert not os.path.exists(path("new.loopmem"))


@tap.claim
def a_wrong_command_line_is_2_and_starts_nothing():
    assert subprocess.run([LOOPMEM, "run"], capture_output=True, cwd=TMP).returncode == 2
    for options in (["--no-such"], ["--max-size=lots"], ["--max-size=1"], ["--sample-bytes=0"]):
        r = run("touch", path("touched"), options=options)
        assert r.returncode == 2, options
        assert r.stderr.startswith("loopmem run: "), r.stderr
    assert not os.path.exists(path("touched"))


@tap.claim
def options_after_the_command_are_the_commands():
    assert run("echo", "-o", "x", "--max-size").stdout == "-o x --max-size\n"
    r = subprocess.run([LOOPMEM, "run", "-q", "echo", "--", "-q"], capture_output=True, text=True, cwd=TMP)
    assert r.stdout == "-- -q\n"


@tap.claim
def output_and_input_pass_untouched():
    r = run("sh", "-c", "cat; echo err >&2", input="one\ntwo\n", options=["-q"])
    assert (r.stdout, r.stderr) == ("one\ntwo\n", "err\n")


@tap.claim
def nothing_is_printed_before_the_command_prints():
    r = run("sh", "-c", "echo first >&2", options=["-o", "first.loopmem"])
    assert r.stderr.startswith("first\n"), r.stderr


@tap.claim
def the_summary_follows_the_commands_output():
    r = run("sh", "-c", "sleep 0.3; echo last >&2", options=["-o", "summary.loopmem"])
    lines = r.stderr.splitlines()
    assert lines[0] == "last" and lines[1].startswith("loopmem: peak "), r.stderr
    assert len(lines) <= 1 + 8 and all(line.startswith("loopmem: ") for line in lines[1:]), r.stderr
    r = run(target("pools"), "2", "1", "30", options=["-o", "summary2.loopmem"])
    assert "held idle" in r.stderr and "loopmem report summary2.loopmem" in r.stderr, r.stderr
    assert run("true", options=["-q"]).stderr == ""


@tap.claim
def closed_standard_files_do_no_harm():
    script = f"'{LOOPMEM}' run -q -o closed.loopmem -- sh -c 'exit 3' <&- >&- 2>&-"
    assert subprocess.run(["sh", "-c", script], cwd=TMP).returncode == 3
    assert Session(path("closed.loopmem")).meta("exit_code") == 3


@tap.claim
def ld_preload_is_kept_byte_for_byte():
    rest = f"{BUILD}/libother.so:  /y/libz.so "
    r = run("sh", "-c", 'printf "%s|" "$LD_PRELOAD"', options=["-q"], env={**os.environ, "LD_PRELOAD": rest})
    assert r.stdout == f"{os.path.realpath(BUILD)}/libloopmem.so:{rest}|", r.stdout


@tap.claim
def a_shim_path_with_blank_and_colon_works():
    odd = path("a b:c")
    os.mkdir(odd)
    shutil.copy(f"{BUILD}/libloopmem.so", odd)
    r = run("sh", "-c", 'ls "$LD_PRELOAD"', options=["-o", "odd.loopmem"],
            env={**os.environ, "LOOPMEM_LIB": f"{odd}/libloopmem.so"})
    assert r.returncode == 0, r.stderr
    assert Session(path("odd.loopmem")).value("SELECT instrumented FROM process WHERE id = 1") == 1
    assert not os.path.lexists(r.stdout.strip())


@tap.claim
def no_private_directory_is_left():
    r = run("sh", "-c", 'echo "$LOOPMEM_DIR"; ls "$LOOPMEM_DIR"', options=["-q"])
    directory, segment = r.stdout.split()[:2]
    assert segment.endswith(".seg")
    assert not os.path.exists(directory)


@tap.claim
def the_session_is_named_by_the_moment_and_never_overwrites():
    os.mkdir(path("names"))
    for _ in range(3):
        run("true", cwd=path("names"))
    names = sorted(n for n in os.listdir(path("names")))
    assert len(names) == 3 and all(n.startswith("run-") and n.endswith(".loopmem") for n in names), names


@tap.claim
def options_reach_the_shim():
    r = run("sh", "-c", 'echo "$LOOPMEM_SAMPLE_BYTES $LOOPMEM_RELEASE"',
            options=["-q", "--sample-bytes", "4M", "--release-idle-workers", "-o", "options.loopmem"])
    assert r.stdout == "4194304 1\n", r.stdout
    assert Session(path("options.loopmem")).meta("released") == 1
    r = run("sh", "-c", 'echo "${LOOPMEM_SAMPLE_BYTES-unset} ${LOOPMEM_RELEASE-unset}"', options=["-q"])
    assert r.stdout == "unset unset\n", r.stdout


@tap.claim
def only_named_variables_are_kept():
    run("true", options=["-o", "env.loopmem"],
        env={**os.environ, "RANK": "3", "SLURM_JOB_ID": "77", "AWS_SECRET_ACCESS_KEY": "hidden"})
    s = Session(path("env.loopmem"))
    assert s.meta("env.RANK") == "3" and s.meta("env.SLURM_JOB_ID") == "77"
    with open(path("env.loopmem"), "rb") as f:
        assert b"hidden" not in f.read()


@tap.claim
def an_owner_knows_its_rank():
    run(target("pools"), "1", "0", options=["-o", "rank.loopmem"], env={**os.environ, "RANK": "3"})
    assert Session(path("rank.loopmem")).rows("SELECT role, rank FROM process ORDER BY id") == [
        ("owner", 3), ("worker", None)]


@tap.claim
def the_run_is_described():
    run("sh", "-c", "exit 4", options=["-o", "described.loopmem"])
    s = Session(path("described.loopmem"))
    assert s.meta("command") == "sh -c 'exit 4'"
    assert [s.meta(f"argv.{i}") for i in range(s.meta("argc"))] == ["sh", "-c", "exit 4"]
    assert s.meta("directory") == os.path.realpath(TMP)
    assert (s.meta("complete"), s.meta("exit_code"), s.meta("exit_signal")) == (1, 4, None)
    assert s.meta("host") == os.uname().nodename and s.meta("kernel") == os.uname().release
    for key in ("ram_bytes", "clock_ns", "started_unix_ns", "ended_ns", "collector_cpu_ns", "samples", "boot_id"):
        assert s.meta(key), key


tap.run()
