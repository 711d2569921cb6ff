#!/usr/bin/env python3
"""report -f json: every key is documented, every documented key is there, and the figures are those of the text report."""
import json
import os
import re
import subprocess

import tap

BUILD, SRC, TMP = os.environ["LOOPMEM_BUILD"], os.environ["SRC"], os.environ["TEST_TMP"]
SESSION = os.path.join(TMP, "run.loopmem")
GIB = 1 << 30


def report(*arguments):
    return subprocess.run([f"{BUILD}/loopmem", "report", *arguments], check=True, capture_output=True, text=True).stdout


def paths(value, prefix=""):
    """The key paths of a document, as the page writes them."""
    if isinstance(value, dict):
        if prefix.endswith(".evidence"):
            return {prefix + ".*"}
        if prefix in ("what_if.workers", "what_if.prefetch"):
            return {prefix + ".*"}
        found = set()
        for key, child in value.items():
            found |= paths(child, f"{prefix}.{key}" if prefix else key)
        return found
    if isinstance(value, list):
        found = set()
        for child in value:
            found |= paths(child, prefix + "[]")
        return found or {prefix + "[]"}
    return {prefix}


def documented():
    page = open(f"{SRC}/docs/report-json.md", encoding="utf-8").read()
    rows = re.findall(r"^\| (`[^|]*) \|", page, re.M)
    return {key for row in rows for key in re.findall(r"`([^`]+)`", row)}


def typed(page_row_type, value):
    kinds = {"integer": int, "number": (int, float), "string": str, "boolean": bool}
    return value is None or isinstance(value, kinds[page_row_type])


def close(value, gib):
    return abs(value / GIB - gib) <= 0.05


def report_sites():
    return subprocess.run([f"{BUILD}/loopmem", "sites", "--full", "--width=200", SESSION], capture_output=True, text=True,
                          check=True).stdout


subprocess.run([f"{BUILD}/tests/fixtures/reference_session", "--sites", SESSION], check=True)
one = json.loads(report("-f", "json", SESSION))
asked = json.loads(report("-f", "json", "--what-if", "workers=9,prefetch=3", SESSION))
two = json.loads(report("-f", "json", SESSION, SESSION))
keys = documented()
single = {key for key in keys if not key.startswith(("nodes[]", "ranks[]"))}


@tap.claim
def every_key_that_is_written_is_documented():
    # a list of nothing has no keys
    assert not paths(asked) - {"notes[]"} - single, sorted(paths(asked) - single)
    assert "what_if" not in one


@tap.claim
def every_documented_key_is_written():
    missing = {key for key in single - paths(asked) if not key.startswith("notes[]")}
    assert not missing, sorted(missing)


@tap.claim
def sites_are_the_rows_of_the_list():
    rows = one["sites"]
    listed = re.findall(r"^ +([0-9.]+) .*?([\w]+\.py):(\d+) ", report_sites(), re.M)[:5]
    assert [(f"{r['live_bytes'] / GIB:.1f}", r["file"].rpartition("/")[2], str(r["line"])) for r in rows[:5]] == listed
    top = rows[0]
    assert one["pools"][top["pool"] - 1]["stage"] == "train" and top["processes"] == 8 and top["pid"] is None
    assert [f["function"] for f in top["stack"]][:3] == ["PyArray_NewFromDescr_int", "frombuffer", "CocoTrain.__getitem__"]
    assert rows == sorted(rows, key=lambda r: -r["live_bytes"])


@tap.claim
def the_sums_over_ranks_are_documented():
    written = paths({"nodes": two["nodes"]})
    assert written == {key for key in keys if key.startswith("nodes[]")}, written


@tap.claim
def totals_have_the_documented_types():
    page = open(f"{SRC}/docs/report-json.md", encoding="utf-8").read()
    rows = re.findall(r"^\| `totals\.([^`]*)` \| (\w+) \|", page, re.M)
    assert len(rows) > 10
    for key, kind in rows:
        assert typed(kind, one["totals"][key]), key


@tap.claim
def the_figures_are_those_of_the_text_report():
    totals = one["totals"]
    assert close(totals["peak_pss_bytes"], 26.4)
    assert int(totals["peak_at_s"]) == 12 * 60 + 33
    assert close(totals["peak_pss_bytes_without_idle"], 18.1)
    assert close(totals["peak_pss_bytes_with_release"], 18.1)
    assert close(totals["idle_retained_bytes_max"], 16.4)
    assert close(totals["idle_retained_average_bytes"], 6.0)
    assert close(totals["limit_bytes"], 28.0)
    assert totals["overlaps"] == 4 and totals["overlap_seconds"] == 8


@tap.claim
def the_workers_that_fit_are_those_of_the_text_report():
    fit = one["workers_that_fit"]
    assert (fit["stage"], fit["workers"], fit["as_it_runs"], fit["idle_released"]) == (None, 8, 8, 15), fit
    assert close(fit["worker_bytes"], 1.3), fit


@tap.claim
def the_kinds_of_the_peak_sum_to_it():
    assert sum(one["peak"].values()) == one["totals"]["peak_pss_bytes"]


@tap.claim
def byte_seconds_of_the_pools_sum_to_the_total():
    pools = sum(pool["idle_retained_byte_seconds"] for pool in one["pools"])
    assert abs(pools - one["totals"]["idle_retained_byte_seconds"]) < 1


@tap.claim
def states_follow_each_other_without_gaps():
    for pool in one["pools"]:
        assert pool["states"][0]["start_s"] == pool["start_s"]
        for before, after in zip(pool["states"], pool["states"][1:]):
            assert before["end_s"] == after["start_s"]


@tap.claim
def the_worst_finding_comes_first_and_names_its_pools():
    assert [(f["id"], f["severity"]) for f in one["findings"]] == [
        ("idle-pool-retained", "error"), ("pool-overlap", "warning"), ("unshared-growth", "warning"),
        ("parked-batches", "notice")]
    finding = one["findings"][0]
    assert finding["pools"] == [1, 2, 3, 4, 5, 6, 7]
    assert close(finding["evidence"]["train_bytes"], 10.2)


@tap.claim
def ranks_of_one_node_are_summed_at_one_instant():
    node, = two["nodes"]
    assert node["sessions"] == 2 and two["ranks"] == [one, one]
    assert node["peak_pss_bytes"] == 2 * one["totals"]["peak_pss_bytes"]
    assert node["limit_source"] == "RAM", "two peaks of 26.4 do not fit under one limit of 28.0"


tap.run()
