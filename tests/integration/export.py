#!/usr/bin/env python3
"""loopmem export: each format read back by a reader of its own, and compared with the JSON report."""
import contextlib
import csv
import io
import json
import os
import re
import resource
import shutil
import sqlite3
import subprocess
import sys

import hostile
import tap

BUILD, SRC, TMP = os.environ["LOOPMEM_BUILD"], os.environ["SRC"], os.environ["TEST_TMP"]
SESSION = os.path.join(TMP, "run.loopmem")
WITH_SITES = os.path.join(TMP, "sites.loopmem")
LARGE = os.path.join(TMP, "large.loopmem")


def loopmem(*arguments, status=0):
    done = subprocess.run([f"{BUILD}/loopmem", *arguments], capture_output=True, text=True)
    assert done.returncode == status, (arguments, done.returncode, done.stderr)
    return done.stdout if status == 0 else done.stderr


def export(form, *arguments, session=SESSION):
    return loopmem("export", "-f", form, *arguments, session)


subprocess.run([f"{BUILD}/tests/fixtures/reference_session", SESSION], check=True)
subprocess.run([f"{BUILD}/tests/fixtures/reference_session", "--sites", WITH_SITES], check=True)
report = json.loads(loopmem("report", "-f", "json", SESSION))

# ---- OpenMetrics: a reader from the rules of its specification ----

SAMPLE = re.compile(r'^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{.*\})? (-?[0-9.e+]+)$')
LABEL = re.compile(r'([a-zA-Z][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)')


def labels_of(text):
    body = (text or "{}")[1:-1]
    pairs = LABEL.findall(body)
    assert "".join(f'{k}="{v}",' for k, v in pairs).rstrip(",") == body, body
    assert len({k for k, _ in pairs}) == len(pairs), body
    return dict(pairs)


def read_openmetrics(text):
    """Families in their order: name -> {type, unit, help, samples}. Raises where the text breaks a rule."""
    assert text.endswith("\n# EOF\n") and "\r" not in text and not text.startswith("\ufeff")
    families, family, expected = {}, None, None
    for line in text[:-len("# EOF\n") - 1].split("\n"):
        if line.startswith("#"):
            word, name, rest = re.match(r"^# (TYPE|UNIT|HELP) (\S+) (.+)$", line).groups()
            if word == "TYPE":
                assert name not in families, f"{name} comes twice"
                family = families[name] = {"type": rest, "unit": "", "samples": []}
                family["name"], expected = name, ["UNIT", "HELP"]
            assert name == family["name"] and not family["samples"]
            if word != "TYPE":
                assert word in expected, line
                del expected[:expected.index(word) + 1]
                family[word.lower()] = rest
            continue
        name, labels, value = SAMPLE.match(line).groups()
        assert name == family["name"] and family["type"] == "gauge", line
        sample = (labels_of(labels), float(value))
        assert sample[0] not in [s[0] for s in family["samples"]], f"{line} comes twice"
        family["samples"].append(sample)
    return families


def only(families, name, **labels):
    found = [v for l, v in families[name]["samples"] if labels.items() <= l.items()]
    assert len(found) == 1, (name, labels, found)
    return found[0]


def figures(text):
    """The rows of openmetrics.def: name, scope, SUM or LARGEST, figure of the JSON or None."""
    rows = re.findall(r'^(FIGURE|FAMILY)\((\w+), "(\w+)", (\w+), (?:"(\w+)")?', text, re.M)
    return [(name, scope, join, figure if kind == "FIGURE" else None) for kind, scope, name, join, figure in rows]


TABLE = figures(open(f"{SRC}/profiler/view/openmetrics.def", encoding="utf-8").read())


@tap.claim
def openmetrics_keeps_the_rules_of_its_specification():
    families = read_openmetrics(export("openmetrics", "--per-worker", "--sites=20", session=WITH_SITES))
    assert len(families) == len(TABLE) + 1  # and loopmem_session_info
    for name, family in families.items():
        assert family["samples"] and family["help"]
        if family["unit"]:
            assert name.endswith("_" + family["unit"]), name
        assert not name.endswith(("_total", "_created", "_bucket", "_count", "_sum")), "not of a gauge"


@tap.claim
def names_follow_from_those_of_the_json_by_one_rule():
    for name, scope, _, figure in TABLE:
        if figure:
            unit = re.search(r"_(byte_seconds|bytes|seconds|s)(?=_|$)", figure)
            moved = figure[:unit.start()] + figure[unit.end():]
            spelled = {"s": "seconds"}.get(unit[1], unit[1])
            assert name == f"loopmem_{scope.lower()}_{moved}_{spelled}", name
        else:
            assert name.startswith("loopmem_"), name


@tap.claim
def openmetrics_figures_are_those_of_the_json():
    families = read_openmetrics(export("openmetrics"))
    for name, scope, join, figure in TABLE:
        if scope == "JOB" and figure:
            assert only(families, name) == report["totals"][figure], name
        if scope == "POOL" and figure:
            pools = [p[figure] for p in report["pools"] if p["stage"] == "train"]
            expected = sum(pools) if join == "SUM" else max(pools)
            assert abs(only(families, name, stage="train", pool="train_dl") - expected) <= 1e-9 * expected
    assert only(families, "loopmem_pool_starts", stage="train") == 3
    assert only(families, "loopmem_pool_batches", stage="train") == sum(
        p["batches"] for p in report["pools"] if p["stage"] == "train")
    assert only(families, "loopmem_findings", id="idle-pool-retained", severity="error") == 1
    assert only(families, "loopmem_findings", id="idle-pool-retained", severity="notice") == 0


@tap.claim
def workers_are_told_only_when_asked_for():
    assert not [n for n in read_openmetrics(export("openmetrics")) if n.startswith("loopmem_worker")]
    families = read_openmetrics(export("openmetrics", "--per-worker"))
    workers = [w for p in report["pools"] if p["stage"] == "train" for w in p["workers"] if w["worker_id"] == 3]
    assert only(families, "loopmem_worker_private_max_bytes", stage="train", worker="3") == max(
        w["private_bytes_max"] for w in workers)


@tap.claim
def no_label_changes_from_run_to_run():
    for family in read_openmetrics(export("openmetrics", "--per-worker")).values():
        for labels, _ in family["samples"]:
            assert not {"pid", "epoch", "path", "line"} & set(labels)


EVERYTHING = ("--per-worker", "--sites=20")


@tap.claim
def promtool_has_nothing_to_say():
    if not shutil.which("promtool"):
        raise tap.Skip("promtool is not installed")
    for text in (export("openmetrics", *EVERYTHING, session=WITH_SITES), export("openmetrics", "--totals")):
        done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True)
        assert (done.returncode, done.stdout + done.stderr) == (0, "")


@tap.claim
def the_reference_readers_of_both_forms_read_the_same():
    sys.path.append("/usr/lib/python3/dist-packages")  # Debian's package, for any interpreter
    try:
        from prometheus_client import openmetrics, parser
        import prometheus_client.openmetrics.parser
    except ImportError:
        raise tap.Skip("python3-prometheus-client is not installed")
    text = export("openmetrics", *EVERYTHING, session=WITH_SITES)

    def samples(families):
        return [(s.name, s.labels, s.value, s.timestamp) for f in families for s in f.samples]

    strict = samples(openmetrics.parser.text_string_to_metric_families(text))
    assert strict == samples(parser.text_string_to_metric_families(text))
    assert len(strict) == len([line for line in text.splitlines() if not line.startswith("#")])


@tap.claim
def sites_are_told_when_asked_for_without_what_changes():
    assert "loopmem_site_live_bytes" not in read_openmetrics(export("openmetrics", session=WITH_SITES))
    told = read_openmetrics(export("openmetrics", "--sites=3", session=WITH_SITES))["loopmem_site_live_bytes"]["samples"]
    assert [labels for labels, _ in told] == [
        {"stage": "train", "pool": "train_dl", "function": "CocoTrain.__getitem__", "file": "dataset.py"},
        {"function": "build_model", "file": "train.py"},
        {"stage": "validate", "pool": "val_dl", "function": "CocoVal.__getitem__", "file": "dataset.py"}]
    listed = re.findall(r"^ +([0-9.]+) .*\w+\.py:\d+", loopmem("sites", WITH_SITES), re.M)[:3]
    assert [f"{value / (1 << 30):.1f}" for _, value in told] == listed, "in GiB, as loopmem sites lists them"


@tap.claim
def totals_are_the_bytes_of_the_job_and_rounding_makes_alike_runs_the_same():
    families = read_openmetrics(export("openmetrics", "--totals", "--round=1MiB"))
    expected = {name for name in read_openmetrics(export("openmetrics"))
                if re.fullmatch(r"loopmem_job_\w+_bytes", name)} | {"loopmem_session_info"}
    assert set(families) == expected
    for name in expected - {"loopmem_session_info"}:
        (labels, value), = families[name]["samples"]
        exact = only(read_openmetrics(export("openmetrics")), name)
        assert labels == {} and value % (1 << 20) == 0 and abs(value - exact) <= 1 << 19, name


# ---- Perfetto: the rules of its JSON importer ----

def check_nesting(slices):
    """Slices of one thread lie side by side or in each other."""
    open_until = []
    for start, end in sorted(slices, key=lambda s: (s[0], -s[1])):
        while open_until and open_until[-1] <= start + 1e-3:
            open_until.pop()
        assert not open_until or end <= open_until[-1] + 1e-3, (start, end, open_until)
        open_until.append(end)


def check_flows(flows, threads):
    """Each arrow begins once and ends once, not earlier, and both in a slice: the importer drops what lies in none."""
    for name, ends in flows.items():
        assert [kind for kind, _, _ in ends] == ["s", "f"], (name, ends)
        assert ends[0][2] <= ends[1][2]
        for _, thread, at in ends:
            assert any(start - 1e-3 <= at <= end + 1e-3 for start, end in threads[thread]), (name, thread, at)


def check_trace(trace):
    threads, counters, flows = {}, {}, {}
    for event in trace["traceEvents"]:
        assert 0 < event["pid"] < 1 << 32 and 0 <= event.get("tid", 0) < 1 << 32
        kind = event["ph"]
        if kind == "M":
            key, = event["args"]
            assert (event["name"], key) in {("process_name", "name"), ("thread_name", "name"),
                                            ("process_sort_index", "sort_index")}
            continue
        assert event["ts"] >= 0
        if kind == "X":
            assert event["dur"] >= 0
            threads.setdefault((event["pid"], event["tid"]), []).append((event["ts"], event["ts"] + event["dur"]))
        elif kind == "C":
            (key, value), = event["args"].items()
            assert key == "bytes" and value >= 0
            counters.setdefault((event["pid"], event["name"]), []).append((event["ts"], value))
        elif kind in "sf":
            assert re.fullmatch("0x[0-9a-f]+", event["id"]) and event.get("bp") == (None if kind == "s" else "e")
            flows.setdefault((event["cat"], event["name"], event["id"]), []).append(
                (kind, (event["pid"], event["tid"]), event["ts"]))
        else:
            assert kind == "i" and event["s"] in "gp", event
    for slices in threads.values():
        check_nesting(slices)
    for points in counters.values():
        assert points == sorted(points, key=lambda p: p[0])
    check_flows(flows, threads)
    return threads, counters


@tap.claim
def the_trace_keeps_the_rules_of_the_importer():
    trace = json.loads(export("perfetto"))
    threads, counters = check_trace(trace)
    owner = report["owners"][0]["pid"]
    assert len([t for t in threads if t[1] >= 0x40000000]) == len(report["pools"])
    assert len(threads[owner, owner]) == len(report["phases"])
    arrows = {e["pid"]: e for e in trace["traceEvents"] if e["ph"] == "f"}
    assert set(arrows) == {w["pid"] for p in report["pools"] for w in p["workers"]}, "to every worker"
    names = {e["pid"]: e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "process_name"}
    assert names[report["pools"][1]["workers"][2]["pid"]].startswith("train #2 e0 worker 2 (pid ")


@tap.claim
def the_counters_of_the_trace_have_the_peak():
    _, counters = check_trace(json.loads(export("perfetto")))
    owner = report["owners"][0]["pid"]
    peak = max(counters[owner, "job pss"], key=lambda p: p[1])
    assert abs(peak[0] - report["totals"]["peak_at_s"] * 1e6) < 1
    assert peak[1] == report["totals"]["peak_pss_bytes"]
    worker = report["pools"][1]["workers"][0]
    most = max(v for _, v in counters[worker["pid"], "mem private"])
    assert abs(most - worker["private_bytes_max"]) <= max(1 << 20, 0.01 * worker["private_bytes_max"])
    assert counters[worker["pid"], "mem private"][-1][1] == 0, "an ended process holds nothing"


@tap.claim
def a_large_run_makes_a_small_trace():
    subprocess.run([f"{BUILD}/tests/fixtures/reference_session", "--processes", "64", "--hours", "0.5", LARGE],
                   check=True)
    text = export("perfetto", session=LARGE)
    check_trace(json.loads(text))
    assert len(text) < 50e6


# ---- CSV ----

def cells(value):
    """What a cell of the table becomes in the document."""
    return {"": None, "true": True, "false": False}.get(value, value)


def same(cell, value):
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return cells(cell) == value or (value == "" and cell == "")
    return float(cell) == value


def table(name):
    text = export("csv", "--table", name)
    assert "\r" not in text
    return list(csv.DictReader(io.StringIO(text, newline="")))


@tap.claim
def csv_read_back_is_the_json():
    for name in ("pools", "phases", "owners", "findings", "totals", "peak", "reconciliation", "overhead"):
        rows, document = table(name), report[name]
        document = document if isinstance(document, list) else [document]
        assert len(rows) == len(document) > 0, name
        for row, entry in zip(rows, document):
            flat = {k: v for k, v in entry.items() if not isinstance(v, (list, dict))}
            assert list(row) == list(flat), name
            for key, value in flat.items():
                assert same(row[key], value), (name, key, row[key], value)


@tap.claim
def the_table_of_workers_has_each_with_its_pool():
    rows = table("workers")
    expected = [(p["id"], w["pid"]) for p in report["pools"] for w in p["workers"]]
    assert [(int(r["pool"]), int(r["pid"])) for r in rows] == expected


@tap.claim
def a_table_without_rows_has_the_header_of_one_with_rows():
    bare = f"{TMP}/bare.loopmem"
    shutil.copy(WITH_SITES, bare)
    with contextlib.closing(sqlite3.connect(bare)) as db, db:
        for name in ("pool", "pool_worker", "event", "sample", "rollup", "process", "site", "site_sample", "shm", "system"):
            db.execute(f"DELETE FROM {name}")
    for name in ("pools", "workers", "phases", "timeline", "owners", "findings", "sites"):
        full, empty = (export("csv", "--table", name, session=s).splitlines() for s in (WITH_SITES, bare))
        assert len(full) > 1 and empty == full[:1], (name, full[:2], empty[:2])


@tap.claim
def the_timeline_has_the_peak_and_its_parts_sum_to_it():
    rows = table("timeline")
    worst = max(rows, key=lambda r: int(r["pss_bytes"]))
    assert int(worst["pss_bytes"]) == report["totals"]["peak_pss_bytes"]
    assert float(worst["t_s"]) == report["totals"]["peak_at_s"]
    parts = ("owner_bytes", "delivering_bytes", "parked_bytes", "idle_bytes")
    assert sum(int(worst[p]) for p in parts) == int(worst["pss_bytes"])


# ---- foreign text ----

@tap.claim
def names_of_the_program_break_no_format():
    path = hostile.session(f"{TMP}/hostile.loopmem")
    families = read_openmetrics(export("openmetrics", "--per-worker", session=path))
    pools = {labels["pool"] for labels, _ in families["loopmem_pool_workers"]["samples"]}
    assert pools and all(len(pool.encode()) <= 2 * 128 and "\n" not in pool for pool in pools)
    check_trace(json.loads(export("perfetto", session=path)))
    rows = list(csv.DictReader(io.StringIO(export("csv", session=path), newline="")))
    assert [row["label"] for row in rows] == [hostile.NAME] * 7


# ---- the command ----

@tap.claim
def the_ending_of_the_file_chooses_the_format():
    for ending, begin in (("prom", "# TYPE"), ("trace.json", "{"), ("csv", "id,")):
        path = f"{TMP}/out.{ending}"
        assert loopmem("export", "-o", path, SESSION) == ""
        assert open(path, encoding="utf-8").read().startswith(begin)


@tap.claim
def what_cannot_be_done_is_told():
    assert "no format given" in loopmem("export", SESSION, status=2)
    assert 'no format "xls"; formats: openmetrics, perfetto, csv' in loopmem("export", "-f", "xls", SESSION, status=2)
    assert "--round is not for csv" in loopmem("export", "-f", "csv", "--round=1M", SESSION, status=2)
    assert "--round takes a size" in loopmem("export", "-f", "openmetrics", "--round=0", SESSION, status=2)
    assert "--sites takes a number from 1 to 20" in loopmem("export", "-f", "openmetrics", "--sites=x", SESSION, status=2)
    assert "--totals leaves out" in loopmem("export", "-f", "openmetrics", "--totals", "--sites=2", SESSION, status=2)
    assert 'no table "none"' in loopmem("export", "-f", "csv", "--table=none", SESSION, status=2)
    with open(f"{TMP}/kept.csv", "w", encoding="utf-8") as f:
        f.write("before")
    loopmem("export", "-f", "csv", "--table=none", "-o", f"{TMP}/kept.csv", SESSION, status=2)
    assert open(f"{TMP}/kept.csv", encoding="utf-8").read() == "before"
    assert "no session given" in loopmem("export", "-f", "csv", status=2)
    assert "not a loopmem session" in loopmem("export", "-f", "csv", __file__, status=3)
    assert "No space left" in subprocess.run(
        [f"{BUILD}/loopmem", "export", "-f", "csv", SESSION], stdout=open("/dev/full", "w"),
        stderr=subprocess.PIPE, text=True).stderr


@tap.claim
def too_many_metrics_are_refused_and_leave_no_file():
    path = f"{TMP}/many.prom"
    wide = f"{TMP}/wide.loopmem"
    subprocess.run([f"{BUILD}/tests/fixtures/reference_session", "--processes", "1400", "--hours", "0.02", wide],
                   check=True)
    assert "leave out --per-worker" in loopmem("export", "--per-worker", "-o", path, wide, status=2)
    assert not os.path.exists(path)


@tap.claim
def a_file_that_cannot_be_written_whole_is_not_left_half_written():
    for command in (["report"], ["report", "-f", "html"], ["export", "-f", "csv", "--table=timeline"],
                    ["check", "--max=total.peak_pss_bytes=1TiB", "-q", "--junit"]):
        path = f"{TMP}/cut"
        words = [f"{BUILD}/loopmem", *command, *([] if command[0] == "check" else ["-o"]), path, SESSION]
        done = subprocess.run(words, capture_output=True, text=True, restore_signals=False,  # SIGXFSZ stays ignored
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
        assert done.returncode and f"cannot write {path}: File too large" in done.stderr, (words, done)
        assert not os.path.exists(path), words


tap.run()
