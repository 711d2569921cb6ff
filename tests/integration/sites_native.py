"""Call sites of native code: names as addr2line gives them, also from separate debug files; exact when all is followed."""
import collections
import contextlib
import os
import re
import shutil
import sqlite3
import subprocess
import time
from pathlib import Path

import profiled
import segments
import sites
import tap

BUILD, TMP, SRC = (Path(os.environ[name]) for name in ("LOOPMEM_BUILD", "TEST_TMP", "SRC"))
LOOPMEM = BUILD / "loopmem"
SOURCE = (SRC / "tests/targets/inlined.c").read_text().splitlines()


def line_of(text):
    return next(number for number, line in enumerate(SOURCE, 1) if text in line)


def profile(program, name, *options):
    session = TMP / f"{name}.loopmem"
    subprocess.run([LOOPMEM, "run", "-q", *options, "-o", session, "--", program], check=True,
                   stdin=subprocess.DEVNULL)
    return session


def frames_of_largest(session):
    """(function, file, line) of the largest site, inlined ones too, from the leaf."""
    db = sqlite3.connect(session)
    stack, = db.execute("SELECT stack FROM site JOIN site_sample ON site.id = site WHERE stack IS NOT NULL "
                        "ORDER BY alloc_bytes DESC LIMIT 1").fetchone()
    found = []
    while stack is not None:
        stack, frame = db.execute("SELECT parent, frame FROM stack WHERE id = ?", (stack,)).fetchone()
        module, address = db.execute("SELECT path, address FROM frame LEFT JOIN module ON module.id = module "
                                     "WHERE frame.id = ?", (frame,)).fetchone()
        names = db.execute("SELECT function, file, line FROM symbol WHERE frame = ? ORDER BY depth",
                           (frame,)).fetchall()
        found.append((module, address, names))
    return found


def of_program(session, program):
    return [(address, names) for module, address, names in frames_of_largest(session) if module == str(program)]


def addr2line(program, address):
    out = subprocess.run(["addr2line", "-i", "-f", "-e", program, hex(address)], capture_output=True, text=True,
                         check=True).stdout.splitlines()
    return [(function, int(re.sub(r" .*", "", place).rsplit(":", 1)[1])) for function, place in zip(out[::2], out[1::2])]


@tap.claim
def functions_inlined_frames_and_lines_are_those_of_addr2line():
    program = segments.target("inlined")
    frames = of_program(profile(program, "plain"), program)
    assert frames[0][1][0][0] == "take" and frames[0][1][1][0] == "fill", frames
    assert frames[0][1][0][2] == line_of("malloc(bytes)") and frames[0][1][1][2] == line_of("take(BYTES)")
    for address, names in frames[:3]:
        if names[0][2] is not None:
            assert [(function, line) for function, _, line in names] == addr2line(program, address)


@tap.claim
def functions_inlined_by_the_linker_are_told_too():
    """Link-time optimization leaves the original of an inlined function in another unit."""
    program = TMP / "lto"
    made = subprocess.run(["cc", "-g", "-O2", "-flto", "-o", program, SRC / "tests/targets/inlined.c"],
                          capture_output=True, text=True)
    if made.returncode:
        raise tap.Skip("no link-time optimization here: " + " ".join(made.stderr.split())[-200:])
    (address, names), *_ = of_program(profile(program, "lto"), program)
    assert [(function, line) for function, _, line in names] == addr2line(program, address)
    assert [function for function, _, _ in names] == ["take", "fill"], names


def separated(name, debug):
    program = TMP / name
    shutil.copy(segments.target("inlined"), program)
    subprocess.run(["objcopy", "--only-keep-debug", program, debug], check=True)
    subprocess.run(["strip", "--strip-all", program], check=True)
    subprocess.run(["objcopy", f"--add-gnu-debuglink={debug}", program], check=True, cwd=TMP)
    return program


@tap.claim
def a_separate_debug_file_beside_the_program_names_it_as_well():
    program = separated("beside", TMP / "beside.debug")
    names = of_program(profile(program, "beside"), program)[0][1]
    assert [function for function, _, _ in names] == ["take", "fill"], names


@tap.claim
def a_separate_debug_file_of_the_system_is_found_by_its_build_id():
    program = separated("filed", TMP / "filed.debug")
    notes = subprocess.run(["readelf", "-n", program], capture_output=True, text=True, check=True).stdout
    build_id = re.search(r"Build ID: (\w+)", notes)[1]
    place = Path("/usr/lib/debug/.build-id", build_id[:2], f"{build_id[2:]}.debug")
    session = TMP / "filed.loopmem"
    script = f"""mount -t tmpfs none /usr/lib/debug || exit 77
        mkdir -p {place.parent} && mv {TMP}/filed.debug {place} && {LOOPMEM} run -q -o {session} -- {program}"""
    done = subprocess.run(["unshare", "-rm", "sh", "-c", script], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if not session.exists():
        raise tap.Skip(f"no file system can be mounted here: {done.stderr.strip()}")
    names = of_program(session, program)[0][1]
    assert [function for function, _, _ in names] == ["take", "fill"], names


@tap.claim
def without_it_there_is_the_module_and_the_address():
    program = separated("stripped", TMP / "stripped.debug")
    (TMP / "stripped.debug").unlink()
    session = profile(program, "stripped")
    address, names = of_program(session, program)[0]
    assert not names and addr2line(segments.target("inlined"), address)[0][0] == "take"
    shown = subprocess.run([LOOPMEM, "sites", session], capture_output=True, text=True, check=True).stdout
    assert f"stripped+{hex(address)}" in shown, shown


def has_sites(session):
    return profiled.so_far(session, "SELECT count(*) FROM site WHERE stack IS NOT NULL")


def allocated(session):
    """Bytes of all sites as last read."""
    return profiled.so_far(session, "SELECT sum(most) FROM (SELECT max(alloc_bytes) AS most FROM site_sample GROUP BY site)") or 0


def killed_collector(program, name):
    """The session of a run whose collector is killed while the program lives."""
    session = TMP / f"{name}.loopmem"
    with subprocess.Popen([LOOPMEM, "run", "-q", "-o", session, "--", program], stdin=subprocess.PIPE) as run:
        while not has_sites(session):
            time.sleep(0.05)
        run.kill()
        run.wait()
        run.stdin.close()  # the program ends
    return session


def listed(session, *options):
    return subprocess.run([LOOPMEM, "sites", "--at=end", *options, session], capture_output=True, text=True, check=True).stdout


@tap.claim
def a_session_that_was_never_closed_is_named_when_it_is_read():
    program = TMP / "unclosed"
    shutil.copy(segments.target("inlined"), program)
    session = killed_collector(program, "unclosed")
    with contextlib.closing(sqlite3.connect(session)) as db:
        assert not db.execute("SELECT count(*) FROM symbol").fetchone()[0], "the collector names at its end"
    tree = [line.split() for line in listed(session, "--tree").splitlines()]
    at = [line[1:3] for line in tree].index([f"inlined.c:{line_of('malloc(bytes)')}", "take"])
    assert tree[at + 1][:2] == [f"inlined.c:{line_of('take(BYTES)')}", "fill"], tree
    collapsed = subprocess.run([LOOPMEM, "export", "-f", "collapsed", "--at=end", session], capture_output=True, text=True,
                               check=True).stdout
    assert "fill (inlined.c);take (inlined.c) " in collapsed, collapsed
    shutil.copy("/bin/true", TMP / "other")
    os.replace(TMP / "other", program)
    shown = listed(session)
    assert "unclosed+0x" in shown and "inlined.c" not in shown, "another file has its place: no name"
    program.unlink()
    assert listed(session) == shown, "no file: no name"


def without_build_id(name):
    program = TMP / name
    subprocess.run(["gcc", "-O1", "-g", "-fno-builtin", "-Wl,--build-id=none", f"-I{SRC}", SRC / "tests/targets/inlined.c",
                    "-o", program], check=True)
    return program


def replaced_while_it_runs(program):
    """What its frames were called at the end."""
    session = TMP / f"{program.name}-replaced.loopmem"
    run = subprocess.Popen([LOOPMEM, "run", "-q", "-o", session, "--", program], stdin=subprocess.PIPE)
    while not has_sites(session):
        time.sleep(0.05)
    program.unlink()
    shutil.copy(segments.target("lives"), program)
    run.communicate()
    return of_program(session, program)[0][1]


@tap.claim
def a_file_that_was_replaced_since_is_not_taken_for_what_ran():
    program = TMP / "replaced"
    shutil.copy(segments.target("inlined"), program)
    assert not replaced_while_it_runs(program)


@tap.claim
def without_a_build_id_a_file_is_what_ran_when_nobody_changed_it_since():
    program = without_build_id("unnumbered")
    names = of_program(profile(program, "unnumbered"), program)[0][1]
    assert [function for function, _, _ in names] == ["take", "fill"], names
    assert not replaced_while_it_runs(program)


def library(name, inner, *options):
    """One whose `allocate` calls `inner`; all of them have the same code at the same places."""
    path = TMP / name
    source = f"#include <stdlib.h>\n__attribute__((noinline)) void *{inner}(size_t n) {{ return (char *)malloc(n + 16) + 16; }}\n" \
             f"void *allocate(size_t n) {{ return (char *){inner}(n) - 16; }}\n"
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-g", "-fno-builtin", "-x", "c", "-", "-o", path, *options],
                   input=source, text=True, check=True)
    return path


def reopened(name, first, second, *how):
    """{function or None: bytes} of what was allocated, by the innermost frame."""
    session = TMP / f"{name}.loopmem"
    run = subprocess.Popen([LOOPMEM, "run", "-q", "--sample-bytes=1", "-o", session, "--", segments.target("reopen"), first, second,
                            *how], stdin=subprocess.PIPE)
    while allocated(session) < 2 * 1000 * 20_000 and run.poll() is None:
        time.sleep(0.05)
    run.communicate()
    if run.returncode == 77:
        raise tap.Skip("the loader put the second library elsewhere")
    assert run.returncode == 0
    with contextlib.closing(sqlite3.connect(session)) as db:
        return collections.Counter(dict(db.execute("""
            SELECT (SELECT function FROM symbol WHERE symbol.frame = stack.frame AND depth = 0), sum(most)
              FROM (SELECT site AS of, max(alloc_bytes) AS most FROM site_sample GROUP BY site)
              JOIN site ON site.id = of JOIN stack ON stack.id = site.stack GROUP BY 1""")))


@tap.claim
def a_library_in_the_place_of_one_that_was_closed_has_its_own_names():
    found = reopened("closed", library("libone.so", "alpha"), library("libtwo.so", "omega"))
    assert found["alpha"] >= 20e6 and found["omega"] >= 20e6, found


@tap.claim
def without_build_ids_they_are_told_apart_by_their_paths():
    nameless = "-Wl,--build-id=none"
    found = reopened("nameless", library("libfive.so", "alpha", nameless), library("libsix.so", "omega", nameless))
    assert found["alpha"] >= 20e6 and found["omega"] >= 20e6, found


@tap.claim
def a_library_that_was_built_anew_and_loaded_again_does_not_name_what_was_there_before():
    found = reopened("over", library("libthree.so", "alpha"), library("libfour.so", "omega"), "over")
    assert found["omega"] >= 20e6 and found[None] >= 20e6 and not found["alpha"], found


@tap.claim
def what_every_allocation_adds_up_to_is_exact():
    directory = segments.new_directory()
    subprocess.run([segments.target("inlined")], env=segments.environment(directory, LOOPMEM_SAMPLE_BYTES="1"),
                   stdin=subprocess.DEVNULL, check=True)
    found, = sites.read(directory)
    largest = max(found.sites, key=lambda site: site.live_bytes)
    assert (largest.live_blocks, largest.live_bytes) == (3000, 3000 * 20008), vars(largest)
    assert found.untracked == 0


@tap.claim
def sixty_megabytes_are_told_within_a_fifth():
    for attempt in range(3):
        session = profile(segments.target("inlined"), f"sampled{attempt}")
        live, = sqlite3.connect(session).execute("SELECT max(live_bytes) FROM site_sample").fetchone()
        assert 48e6 < live < 72e6, live


def instructions(times, environment):
    """Of a program that loads a library, which throws so many exceptions."""
    done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={TMP / 'callgrind'}",
                           segments.target("throws"), segments.target("libthrows.so"), str(times)],
                          env=environment, capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])


@tap.claim
def an_exception_of_a_loaded_library_costs_what_it_cost():
    if not shutil.which("valgrind"):
        raise tap.Skip("counting instructions needs valgrind")
    few, many = 100, 1100

    def cost(environment):
        return (instructions(many, environment) - instructions(few, environment)) / (many - few)
    bare = {k: v for k, v in os.environ.items() if not k.startswith(("LOOPMEM_", "LD_"))}
    ratio = cost(segments.environment(segments.new_directory())) / cost(bare)
    assert ratio <= 1.05, ratio  # an unwinder that is in the way costs 78 times as much


tap.run()
