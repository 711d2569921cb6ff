#!/usr/bin/env python3
"""loopmem export of call sites: stacks for flame graphs, speedscope and pprof, each read back by a reader of its own and compared
with the session's tables."""
import collections
import csv
import gzip
import io
import json
import os
import pty
import re
import shutil
import sqlite3
import subprocess

import hostile
import tap

BUILD, TMP = os.environ["LOOPMEM_BUILD"], os.environ["TEST_TMP"]
SESSION, HOSTILE = f"{TMP}/run.loopmem", f"{TMP}/hostile.loopmem"


def loopmem(*arguments, status=0, text=True):
    done = subprocess.run([f"{BUILD}/loopmem", *arguments], capture_output=True, text=text)
    assert done.returncode == status, (arguments, done.returncode, done.stderr)
    return done.stdout if status == 0 else done.stderr


def export(form, *arguments, session=SESSION):
    return loopmem("export", "-f", form, *arguments, session, text=form != "pprof")


subprocess.run([f"{BUILD}/tests/fixtures/reference_session", "--sites", SESSION], check=True)
shutil.copy(SESSION, HOSTILE)
with sqlite3.connect(HOSTILE) as db:
    db.execute("UPDATE symbol SET function = ?1 || frame, file = ?1", (";" + hostile.NAME,))
    db.execute("UPDATE pool SET label = ?", (hostile.NAME,))
report = json.loads(loopmem("report", "-f", "json", SESSION))
POOLS = {pool["id"]: pool for pool in report["pools"]}
PEAK_NS = round(report["totals"]["peak_at_s"] * 1e9)


def amounts(t_ns, figure="live_bytes"):
    """By (process, pool or None): the sum over its sites at a moment."""
    sums = collections.Counter()
    with sqlite3.connect(SESSION) as db:
        rows = db.execute(f"""
            SELECT process, (SELECT max(pool) FROM pool_worker w WHERE w.process = site.process),
                   (SELECT {figure} FROM site_sample a WHERE a.site = site.id AND t_ns <= ?1 ORDER BY t_ns DESC LIMIT 1),
                   (SELECT ended_ns IS NULL OR ended_ns >= ?1 FROM process p WHERE p.id = site.process)
              FROM site""", (t_ns,))
        for process, pool, value, alive in rows:
            sums[pool] += (value or 0) * (alive or figure.startswith("alloc"))
    return +sums


def total(t_ns=PEAK_NS, figure="live_bytes", stage=None):
    return sum(v for pool, v in amounts(t_ns, figure).items()
               if stage is None or pool and POOLS[pool]["stage"] == stage)


# ---- collapsed ----

def read_collapsed(text):
    stacks = []
    for line in text.split("\n")[:-1]:  # no other character parts lines
        stack, number = re.fullmatch(r"(\S.*) (\d+)", line).groups()
        assert int(number) > 0
        stacks.append((stack.split(";"), int(number)))
    return stacks


@tap.claim
def collapsed_stacks_add_up_to_what_was_live_at_the_peak():
    stacks = read_collapsed(export("collapsed"))
    assert sum(n for _, n in stacks) == total() > 0
    assert sum(n for s, n in stacks if s[0].startswith("pool train/")) == total(stage="train")
    (stack, _), = [s for s in stacks if s[0][-1].startswith("PyArray") and s[0][0] == "pool train/train_dl"][:1]
    assert stack[1:] == ["run (multiprocessing/process.py)", "_worker_loop (_utils/worker.py)", "fetch (_utils/fetch.py)",
                         "CocoTrain.__getitem__ (dataset.py)", "frombuffer (PIL/Image.py)",
                         "PyArray_NewFromDescr_int (core/_multiarray_umath.so)"], stack


@tap.claim
def the_weight_the_moment_and_the_pools_are_chosen():
    for weight, figure in (("live", "live_bytes"), ("allocated", "alloc_bytes"), ("blocks", "live_blocks"),
                           ("allocated-blocks", "alloc_blocks")):
        text = export("collapsed", "--weight", weight, "--at=300")
        assert sum(n for _, n in read_collapsed(text)) == total(300 * 10**9, figure), weight
    assert export("collapsed", "--at=5:00") == export("collapsed", "--at=300")
    text = export("collapsed", "--stage=validate")
    assert sum(n for _, n in read_collapsed(text)) == total(stage="validate") > 0
    phase = report["phases"][1]
    rounds = [r for r in csv.DictReader(io.StringIO(export("csv", "--table=timeline")))
              if phase["start_s"] <= float(r["t_s"]) <= phase["end_s"]]
    highest = max(rounds, key=lambda r: int(r["pss_bytes"]))
    assert export("collapsed", "--at=phase:2") == export("collapsed", f"--at={highest['t_s']}") != export("collapsed")
    pool = next(p for p in report["pools"] if p["stage"] == "train")
    at = f"--at={pool['end_s'] - 1}"
    worker = str(pool["workers"][0]["pid"])
    whole = sum(n for _, n in read_collapsed(export("collapsed", f"--pool={pool['id']}", at)))
    share = sum(n for _, n in read_collapsed(export("collapsed", f"--worker={worker}", at)))
    assert 0 < share and abs(share * len(pool["workers"]) - whole) <= len(pool["workers"]) * 16


@tap.claim
def lines_are_frames_only_when_asked_for():
    assert not re.search(r"\.py:\d", export("collapsed"))
    assert "CocoTrain.__getitem__ (dataset.py:141)" in export("collapsed", "--lines")


@tap.claim
def steps_of_the_library_itself_are_in_no_stack():
    path = f"{TMP}/shim.loopmem"
    shutil.copy(SESSION, path)
    with sqlite3.connect(path) as db:
        db.execute("UPDATE module SET path = '/opt/libloopmem.so' WHERE path LIKE '%multiarray%'")
    before, after = export("collapsed"), export("collapsed", session=path)
    assert "PyArray_NewFromDescr_int" in before and "PyArray_NewFromDescr_int" not in after
    assert sum(n for _, n in read_collapsed(after)) == total()


@tap.claim
def names_cannot_break_the_lines():
    stacks = read_collapsed(export("collapsed", session=HOSTILE))
    assert sum(n for _, n in stacks) == total()
    assert {len(s) for s, _ in stacks} <= set(range(2, 10))


# ---- speedscope: the rules of its file format ----

def check_speedscope(text):
    document = json.loads(text)
    assert document["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    assert document["exporter"].startswith("loopmem@") and isinstance(document["name"], str)
    frames = document["shared"]["frames"]
    for frame in frames:
        assert set(frame) <= {"name", "file", "line"} and isinstance(frame["name"], str) and frame["name"]
        assert isinstance(frame.get("file", ""), str) and isinstance(frame.get("line", 1), int)
    for profile in document["profiles"]:
        assert set(profile) == {"type", "name", "unit", "startValue", "endValue", "samples", "weights"}
        assert profile["type"] == "sampled" and profile["unit"] in ("bytes", "none") and profile["startValue"] == 0
        assert len(profile["samples"]) == len(profile["weights"]) > 0
        assert sum(profile["weights"]) == profile["endValue"] and min(profile["weights"]) > 0
        assert all(sample and 0 <= min(sample) <= max(sample) < len(frames) for sample in profile["samples"])
    assert 0 <= document["activeProfileIndex"] < max(1, len(document["profiles"])) <= 200
    return document


@tap.claim
def speedscope_has_a_profile_for_each_owner_and_measure():
    document = check_speedscope(export("speedscope"))
    by_name = {p["name"]: p for p in document["profiles"]}
    live = {n: p["endValue"] for n, p in by_name.items() if n.endswith(", live")}
    assert sum(live.values()) == total()
    assert sum(p["endValue"] for n, p in by_name.items() if n.endswith(", allocated")) == total(figure="alloc_bytes")
    assert document["profiles"][document["activeProfileIndex"]]["endValue"] == max(live.values())
    profile = by_name[max((n for n in live if n.startswith("train")), key=live.get)]
    names = [document["shared"]["frames"][f]["name"] for f in profile["samples"][0]]
    assert names[0] == "run" and names[-1] == "PyArray_NewFromDescr_int", "from the outermost caller in"
    lines = {f["name"]: (os.path.basename(f.get("file", "")), f.get("line")) for f in document["shared"]["frames"]}
    assert lines["CocoTrain.__getitem__"] == ("dataset.py", 141)


@tap.claim
def speedscope_counts_what_it_is_told_to_and_takes_any_name():
    document = check_speedscope(export("speedscope", "--weight=blocks"))
    assert {p["unit"] for p in document["profiles"]} == {"none"}
    assert sum(p["endValue"] for p in document["profiles"]) == total(figure="live_blocks")
    assert any(hostile.NAME in f["name"] for f in check_speedscope(export("speedscope", session=HOSTILE))["shared"]["frames"])


# ---- pprof ----

PROTO = """
syntax = "proto3";
message ValueType { int64 type = 1; int64 unit = 2; }
message Label { int64 key = 1; int64 str = 2; int64 num = 3; int64 num_unit = 4; }
message Sample { repeated uint64 location_id = 1; repeated int64 value = 2; repeated Label label = 3; }
message Mapping { uint64 id = 1; uint64 memory_start = 2; uint64 memory_limit = 3; uint64 file_offset = 4; int64 filename = 5;
  int64 build_id = 6; bool has_functions = 7; bool has_filenames = 8; bool has_line_numbers = 9; bool has_inline_frames = 10; }
message Line { uint64 function_id = 1; int64 line = 2; }
message Location { uint64 id = 1; uint64 mapping_id = 2; uint64 address = 3; repeated Line line = 4; }
message Function { uint64 id = 1; int64 name = 2; int64 system_name = 3; int64 filename = 4; int64 start_line = 5; }
message Profile { repeated ValueType sample_type = 1; repeated Sample sample = 2; repeated Mapping mapping = 3;
  repeated Location location = 4; repeated Function function = 5; repeated string string_table = 6; int64 time_nanos = 9;
  int64 duration_nanos = 10; ValueType period_type = 11; int64 period = 12; repeated int64 comment = 13;
  int64 default_sample_type = 14; }
"""


class Message(dict):
    """A message as `protoc --decode` prints it: each field a list."""

    def __missing__(self, field):
        return []

    def one(self, field, absent=0):
        return self[field][0] if field in self else absent


def read_text_form(lines):
    message = Message()
    for line in lines:
        line = line.strip()
        if line == "}":
            break
        if line.endswith(" {"):
            message.setdefault(line[:-2], []).append(read_text_form(lines))
        else:
            field, _, value = line.partition(": ")
            number = re.fullmatch(r"-?\d+", value)
            message.setdefault(field, []).append(int(value) if number else value)
    return message


def read_pprof(*arguments, session=SESSION):
    if not shutil.which("protoc"):
        raise tap.Skip("protoc is not installed")
    with open(f"{TMP}/profile.proto", "w", encoding="utf-8") as f:
        f.write(PROTO)
    data = gzip.decompress(export("pprof", *arguments, session=session))
    done = subprocess.run(["protoc", f"-I{TMP}", "--decode=Profile", f"{TMP}/profile.proto"], input=data,
                          capture_output=True, check=True)
    profile = read_text_form(iter(done.stdout.decode("utf-8").splitlines()))
    assert set(profile) <= {"sample_type", "sample", "mapping", "location", "function", "string_table", "time_nanos",
                            "duration_nanos", "period_type", "period", "comment", "default_sample_type"}, set(profile)
    return profile


def check_pprof(profile):
    """The rules that its comments state."""
    texts = profile["string_table"]
    ids = {kind: [m.one("id") for m in profile[kind]] for kind in ("mapping", "location", "function")}
    assert texts[0] == '""'
    for kind, numbers in ids.items():
        assert len(set(numbers)) == len(numbers) and 0 not in numbers, kind
    for sample in profile["sample"]:
        assert len(sample["value"]) == len(profile["sample_type"]) == 4
        assert sample["location_id"] and set(sample["location_id"]) <= set(ids["location"])
        keys = [label.one("key") for label in sample["label"]]
        assert len(set(keys)) == len(keys), "one value a key"
        assert all(label.one("str") and "num" not in label for label in sample["label"])
    ranges = {m.one("id"): (m.one("memory_start"), m.one("memory_limit")) for m in profile["mapping"]}
    for location in profile["location"]:
        if "mapping_id" in location:
            start, limit = ranges[location.one("mapping_id")]
            assert start <= location.one("address") < limit
        assert {line.one("function_id") for line in location["line"]} <= set(ids["function"])
    for function in profile["function"]:
        assert 0 < function.one("name") < len(texts) and function.one("filename") < len(texts)
    return [json.loads(t) if "\\" not in t else t for t in texts]


@tap.claim
def pprof_has_four_figures_of_each_site_with_whose_it_is():
    profile = read_pprof()
    texts = check_pprof(profile)
    types = [texts[t.one("type")] for t in profile["sample_type"]]
    assert types == ["alloc_objects", "alloc_space", "inuse_objects", "inuse_space"]
    assert texts[profile.one("default_sample_type")] == "inuse_space"
    for i, figure in enumerate(("alloc_blocks", "alloc_bytes", "live_blocks", "live_bytes")):
        assert sum(s["value"][i] for s in profile["sample"]) == total(figure=figure), figure
    labels = [{texts[label.one("key")]: texts[label.one("str")] for label in s["label"]} for s in profile["sample"]]
    train = sum(s["value"][3] for s, l in zip(profile["sample"], labels) if l.get("stage") == "train")
    assert train == total(stage="train")
    for number in "03":  # the format has no number 0
        worker = next(l for l in labels if l.get("worker") == number)
        assert {"stage", "pool", "epoch", "pid", "worker"} <= set(worker)


@tap.claim
def pprof_has_files_and_lines_innermost_first():
    profile = read_pprof()
    texts = check_pprof(profile)
    functions = {f.one("id"): (texts[f.one("name")], os.path.basename(texts[f.one("filename")])) for f in profile["function"]}
    lines = {l.one("id"): [(*functions[x.one("function_id")], x.one("line")) for x in l["line"]]
             for l in profile["location"]}
    stacks = [[line for i in s["location_id"] for line in lines[i]] for s in profile["sample"]]
    stack = next(s for s in stacks if s[0][0].startswith("PyArray"))
    assert [name for name, _, _ in stack][1:3] == ["frombuffer", "CocoTrain.__getitem__"]
    assert stack[2] == ("CocoTrain.__getitem__", "dataset.py", 141)


@tap.claim
def pprof_takes_a_choice_and_any_name():
    texts = check_pprof(read_pprof(session=HOSTILE))
    assert any("onerror" in t for t in texts)
    profile = read_pprof("--stage=validate", "--weight=allocated")
    texts = check_pprof(profile)
    assert sum(s["value"][3] for s in profile["sample"]) == total(stage="validate")
    assert texts[profile.one("default_sample_type")] == "alloc_space"


def the_go_tool_reads_the_profile():
    loopmem("export", "-o", f"{TMP}/run.pb.gz", SESSION)
    done = subprocess.run(["go", "tool", "pprof", "-top", f"{TMP}/run.pb.gz"], capture_output=True, text=True)
    assert done.returncode == 0 and "PyArray_NewFromDescr_int" in done.stdout, done.stderr
    # the reader takes what is in <> for arguments of a template, where a name may be one of C++
    path = f"{TMP}/module.loopmem"
    shutil.copy(SESSION, path)
    with sqlite3.connect(path) as db:
        db.execute("UPDATE symbol SET function = '<module>' WHERE function = 'CocoTrain.__getitem__'")
    loopmem("export", "-o", f"{TMP}/module.pb.gz", path)
    said = subprocess.run(["go", "tool", "pprof", "-top", f"{TMP}/module.pb.gz"], capture_output=True, text=True).stdout
    assert "<module>" in said and "<unknown>" not in said, said


if shutil.which("go"):  # else protoc has read it; the pprof of google-perftools knows older formats only
    tap.claim(the_go_tool_reads_the_profile)


# ---- the command ----

@tap.claim
def a_profile_is_not_written_to_a_terminal():
    ours, theirs = pty.openpty()
    done = subprocess.run([f"{BUILD}/loopmem", "export", "-f", "pprof", SESSION], stdout=theirs,
                          stderr=subprocess.PIPE, text=True)
    os.close(theirs)
    os.close(ours)
    assert (done.returncode, done.stderr) == (
        2, "loopmem export: pprof is binary and not for a terminal\n"
           "  -o FILE.pb.gz writes it to a file, > and | pass it on\n"), done
    # text is, and what was asked for by name
    for arguments in (["-f", "collapsed"], ["-f", "pprof", "-o", os.devnull]):
        ours, theirs = pty.openpty()
        with subprocess.Popen(["cat"], stdin=ours, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
            done = subprocess.run([f"{BUILD}/loopmem", "export", *arguments, SESSION], stdout=theirs,
                                  stderr=subprocess.PIPE, text=True)
            os.close(theirs)
        os.close(ours)
        assert (done.returncode, done.stderr) == (0, ""), done


@tap.claim
def a_choice_that_fits_nothing_is_told():
    for arguments, words in ((["--pool=99"], "no pool #99 in"), (["--worker=1"], "no process 1 in"),
                             (["--at=phase:99"], "no phase 99 in"), (["--at=99999"], "--at is after the end of"), (["--at=soon"], "--at soon: not peak, end, phase:N"),
                             (["--stage=training"], "--stage training: not one of other, train, sanity, validate, test, predict"),
                             (["--weight=rss"], "--weight rss: not one of live, allocated, blocks, allocated-blocks")):
        assert words in loopmem("export", "-f", "collapsed", *arguments, SESSION, status=2), arguments
    assert "is not for csv" in loopmem("export", "-f", "csv", "--stage=train", SESSION, status=2)
    assert "--lines is not for pprof" in loopmem("export", "-f", "pprof", "--lines", SESSION, status=2)


FORMS = ("collapsed", "speedscope", "pprof")


def refused(session, *arguments, status):
    """Nothing was written, and what was in the file is there still; returns what was said."""
    kept = f"{TMP}/kept"
    for form in FORMS:
        with open(kept, "w", encoding="utf-8") as f:
            f.write("before")
        to_file = loopmem("export", "-f", form, "-o", kept, *arguments, session, status=status)
        done = subprocess.run([f"{BUILD}/loopmem", "export", "-f", form, *arguments, session], capture_output=True, text=True)
        assert (done.returncode, done.stdout, done.stderr) == (status, "", to_file), done
        with open(kept, encoding="utf-8") as f:
            assert f.read() == "before"
    return to_file


@tap.claim
def where_there_are_no_sites_a_person_is_told_why():
    path = f"{TMP}/plain.loopmem"
    subprocess.run([f"{BUILD}/tests/fixtures/reference_session", path], check=True)
    assert refused(path, status=3) == (f"loopmem export: {path} has no call sites: too little was allocated to be sampled\n"
                                       "  loopmem run --sample-bytes=1 follows every allocation\n")
    with sqlite3.connect(path) as db:
        db.execute("UPDATE process SET instrumented = 0")
    assert refused(path, status=3) == (f"loopmem export: {path} has no call sites: the shim was in no process\n"
                                       "  it loads into programs that are linked dynamically and not setuid\n")
    with sqlite3.connect(path) as db:
        db.execute("INSERT INTO meta VALUES ('attached', 1)")
    assert refused(path, status=3) == (
        f"loopmem export: {path} has no call sites: the program was watched from outside, without the shim\n"
        "  start the program with loopmem run\n")


@tap.claim
def where_no_site_fits_or_lives_then_a_person_is_told():
    assert refused(SESSION, "--stage=predict", status=2) == (
        f"loopmem export: no call site of {SESSION} fits\n  loopmem sites FILE lists what there is\n")
    pool = next(p for p in report["pools"] if p["stage"] == "validate")
    said = loopmem("export", "-f", "collapsed", f"--pool={pool['id']}", "--at=0", SESSION, status=2)
    assert re.fullmatch(f"loopmem export: no call site of {SESSION} that fits is live at 0:00\n"
                        r"  they lived from \d+:\d\d to \d+:\d\d: --at MOMENT\n", said), said


@tap.claim
def a_device_that_cannot_be_written_stays():
    link = f"{TMP}/full"
    os.symlink("/dev/full", link)
    assert "No space left on device" in loopmem("export", "-f", "csv", "-o", link, SESSION, status=1)
    assert os.path.lexists(link)


tap.run()
