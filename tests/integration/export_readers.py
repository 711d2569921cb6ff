"""What other tools make of the call sites of real runs: a C program, a Python program, one that goes from Python to C and back."""
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree

import profiled
import tap

FLAMEGRAPH = "/usr/share/perl5/Devel/NYTProf/flamegraph.pl"  # of Debian's libdevel-nytprof-perl
PYTHON = """
import os, sys, threading
KEPT = []
def load(n): KEPT.append([bytes(1000) for _ in range(n)])
def deeper(depth): return deeper(depth - 1) if depth else load(20_000)
threads = [threading.Thread(target=deeper, args=(depth,)) for depth in (0, 300)]
for thread in threads: thread.start()
for thread in threads: thread.join()
sys.stdin.read()
os._exit(0)  # nothing is freed
"""
MIXED = """
import ctypes, os, sys
KEPT = []
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
def compare(a, b):
    KEPT.append(bytearray(400_000))
    return 0
def from_c():
    order = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(compare)
    libc.qsort((ctypes.c_long * 32)(), 32, 8, order)
def in_c(): KEPT.extend(libc.malloc(1 << 20) for _ in range(20))
from_c()
in_c()
sys.stdin.read()
os._exit(0)
"""


def script(name, text):
    path = profiled.path(f"{name}.py")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


PROGRAMS = {
    "C": [profiled.target("inlined")],
    "Python": [sys.executable, script("threads", PYTHON)],
    "mixed": [sys.executable, script("mixed", MIXED)],
}
RUNS = {name: profiled.path(f"{name}.loopmem") for name in PROGRAMS}
started = [profiled.start(*PROGRAMS[name], options=["-q", "-o", path], stdin=subprocess.PIPE) for name, path in RUNS.items()]
time.sleep(3)  # call sites are read once a second at least
for run in started:  # they end with their stdin
    assert run.communicate()[1] == "" and run.returncode == 0
INNERMOST = {"C": "take", "Python": "load", "mixed": "compare"}


def loopmem(*arguments):
    return subprocess.check_output([profiled.LOOPMEM, *arguments], text=True)


def live_bytes(path):
    """Of all sites of the report, with what has no stack."""
    return sum(site["live_bytes"] for site in json.loads(loopmem("report", "-f", "json", path))["sites"])


def collapsed(path, weight):
    stacks = [line.rpartition(" ") for line in loopmem("export", "-f", "collapsed", "--weight", weight, path).splitlines()]
    return sum(int(amount) for _, _, amount in stacks)


# ---- speedscope: what file-format-schema.json says, and what its prose adds ----

UNITS = {"bytes", "microseconds", "milliseconds", "nanoseconds", "none", "seconds"}
TEXT, NUMBER, LIST, OBJECT = (str,), (int, float), (list,), (dict,)
# by kind of object: {property: (types, is it required)}
FILE = {"$schema": (TEXT, True), "shared": (OBJECT, True), "profiles": (LIST, True), "name": (TEXT, False),
        "activeProfileIndex": (NUMBER, False), "exporter": (TEXT, False)}
SHARED = {"frames": (LIST, True)}
FRAME = {"name": (TEXT, True), "file": (TEXT, False), "line": (NUMBER, False), "col": (NUMBER, False)}
PROFILE = {"type": (TEXT, True), "name": (TEXT, True), "unit": (TEXT, True), "startValue": (NUMBER, True),
           "endValue": (NUMBER, True)}
SAMPLED = {**PROFILE, "samples": (LIST, True), "weights": (LIST, True)}
EVENTED = {**PROFILE, "events": (LIST, True)}
EVENT = {"type": (TEXT, True), "at": (NUMBER, True), "frame": (NUMBER, True)}


def conforms(thing, properties):
    assert isinstance(thing, dict), thing
    assert set(thing) <= set(properties), f"unknown: {set(thing) - set(properties)}"
    for name, (types, required) in properties.items():
        assert name in thing or not required, f"{name} is missing"
        value = thing.get(name)
        assert name not in thing or isinstance(value, types) and not isinstance(value, bool), (name, value)


def is_index(number, things):
    return isinstance(number, int) and not isinstance(number, bool) and 0 <= number < len(things)


def check_sampled(profile, frames):
    conforms(profile, SAMPLED)
    assert len(profile["samples"]) == len(profile["weights"])
    assert all(sample and all(is_index(f, frames) for f in sample) for sample in profile["samples"])
    assert all(isinstance(weight, int) and weight > 0 for weight in profile["weights"])
    assert sum(profile["weights"]) == profile["endValue"] - profile["startValue"]


def check_evented(profile, frames):
    conforms(profile, EVENTED)
    open_frames, now = [], profile["startValue"]
    for event in profile["events"]:
        conforms(event, EVENT)
        assert event["at"] >= now and is_index(event["frame"], frames) and event["type"] in "OC"
        now = event["at"]
        if event["type"] == "O":
            open_frames.append(event["frame"])
        else:
            assert open_frames.pop() == event["frame"], "closed in another order"
    assert not open_frames and now <= profile["endValue"]


def check_speedscope(document):
    conforms(document, FILE)
    assert document["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    conforms(document["shared"], SHARED)
    frames = document["shared"]["frames"]
    for frame in frames:
        conforms(frame, FRAME)
    for profile in document["profiles"]:
        assert profile["unit"] in UNITS and profile["endValue"] >= profile["startValue"]
        {"sampled": check_sampled, "evented": check_evented}[profile["type"]](profile, frames)
    assert is_index(document.get("activeProfileIndex", 0), document["profiles"])
    return document


@tap.claim
def speedscope_files_are_what_their_schema_asks_for_and_add_up_to_the_report():
    for name, path in RUNS.items():
        document = check_speedscope(json.loads(loopmem("export", "-f", "speedscope", path)))
        sums = {"live": 0, "allocated": 0}
        for profile in document["profiles"]:
            sums[profile["name"].rpartition(", ")[2]] += profile["endValue"]
        assert sums["live"] == live_bytes(path) == collapsed(path, "live"), (name, sums, live_bytes(path))
        assert sums["allocated"] == collapsed(path, "allocated") >= sums["live"], (name, sums)
        names = [frame["name"] for frame in document["shared"]["frames"]]
        largest = document["profiles"][document["activeProfileIndex"]]
        inner = sum(weight for weight, sample in zip(largest["weights"], largest["samples"]) if names[sample[-1]].startswith(INNERMOST[name]))
        assert inner > 10e6, (name, inner)


@tap.claim
def the_check_of_speedscope_files_finds_what_is_wrong():
    good = json.loads(loopmem("export", "-f", "speedscope", RUNS["mixed"]))

    def broken(change):
        document = json.loads(json.dumps(good))
        change(document)
        try:
            check_speedscope(document)
        except (AssertionError, KeyError, IndexError):
            return True
        return False
    for change in (lambda d: d.pop("shared"), lambda d: d.update(extra=1), lambda d: d["profiles"][0].update(unit="MiB"),
                   lambda d: d["profiles"][0]["weights"].pop(), lambda d: d["profiles"][0]["samples"][0].append(10**6),
                   lambda d: d["shared"]["frames"][0].update(name=None), lambda d: d["profiles"][0].update(endValue=-1),
                   lambda d: d.update(activeProfileIndex=len(d["profiles"]))):
        assert broken(change)


@tap.claim
def c_calling_python_calling_c_is_one_stack():
    document = json.loads(loopmem("export", "-f", "speedscope", RUNS["mixed"]))
    names = [frame["name"] for frame in document["shared"]["frames"]]
    stacks = [[names[frame] for frame in sample] for profile in document["profiles"] for sample in profile["samples"]]
    back = next(stack for stack in stacks if "compare" in stack)
    between = back[back.index("from_c") + 1:back.index("compare")]
    assert any("qsort" in name for name in between), back
    assert any("in_c" in stack and "ffi" in "".join(stack[stack.index("in_c"):]) for stack in stacks), set(names)


# ---- collapsed: drawn by flamegraph.pl ----

@tap.claim
def flamegraph_pl_draws_collapsed_stacks():
    if not os.path.exists(FLAMEGRAPH) or not shutil.which("perl"):
        raise tap.Skip("flamegraph.pl is not installed")
    for name, path in RUNS.items():
        text = loopmem("export", "-f", "collapsed", path)
        done = subprocess.run(["perl", FLAMEGRAPH, "--countname=bytes", "--minwidth=0"], input=text, capture_output=True, text=True)
        assert done.returncode == 0 and not done.stderr, done.stderr  # lines it does not take are told there
        drawn = {}
        for title in xml.etree.ElementTree.fromstring(done.stdout).iter("{http://www.w3.org/2000/svg}title"):
            frame, amount = re.fullmatch(r"(.*) \(([\d,]+) bytes, [\d.]+%\)", title.text).groups()
            drawn[frame] = drawn.get(frame, 0) + int(amount.replace(",", ""))
        assert drawn["all"] == live_bytes(path), (name, drawn["all"], live_bytes(path))
        inner = [amount for frame, amount in drawn.items() if frame.startswith(INNERMOST[name])]
        assert max(inner, default=0) > 10e6, (name, inner)


# ---- pprof: readers take the first mapping for the program ----

PROTO = """syntax = "proto3";
message Mapping { int64 filename = 5; }
message Profile { repeated Mapping mapping = 3; repeated string string_table = 6; }
"""


def first_mapping(path):
    with open(profiled.path("mappings.proto"), "w", encoding="utf-8") as f:
        f.write(PROTO)
    profile = gzip.decompress(subprocess.check_output([profiled.LOOPMEM, "export", "-f", "pprof", path]))
    text = subprocess.run(["protoc", f"-I{profiled.TMP}", "--decode=Profile", profiled.path("mappings.proto")], input=profile,
                          capture_output=True, check=True).stdout.decode()
    name = int(re.search(r"^  filename: (\d+)", text, re.MULTILINE)[1])
    return re.findall(r'^string_table: "(.*)"$', text, re.MULTILINE)[name]


@tap.claim
def the_first_mapping_of_a_pprof_file_is_the_program():
    if not shutil.which("protoc"):
        raise tap.Skip("protoc is not installed")
    assert first_mapping(RUNS["C"]) == profiled.target("inlined")
    assert os.path.samefile(first_mapping(RUNS["mixed"]), sys.executable)


tap.run()
