"""`loopmem check` on a session whose labels, paths, command and host are hostile: every output keeps its form. The rules for JUnit are
those of its strictest reader, restated here."""
import json
import re
import shutil
import sqlite3
import subprocess
import xml.etree.ElementTree as ET
from os import environ, fsencode
from pathlib import Path

import tap

BUILD = Path(environ["LOOPMEM_BUILD"])
TMP = Path(environ["TEST_TMP"])
HOSTILE = b"::add-mask::x\n  ::error::y\r##[error]z,a=b:c%0A ]]> <b>&\"'|`@all \xff\xc3 \x1b[31m\x01 \xe2\x80\xae"
SESSION = fsencode(TMP) + b"/s\n::error::\xff ##[x].loopmem"
BUDGET = fsencode(TMP) + b"/b,\n::error::\xff.budget"


def make_session():
    plain = TMP / "plain.loopmem"
    subprocess.run([BUILD / "tests/fixtures/reference_session", plain], check=True)
    db = sqlite3.connect(plain)
    for table, column in (("pool", "label"), ("pool", "dataset"), ("process", "cmdline"), ("event", "text")):
        db.execute(f"UPDATE {table} SET {column} = CAST(? AS TEXT)", (HOSTILE,))
    db.execute("UPDATE pool SET origin = CAST(? AS TEXT)", (HOSTILE + b":12",))
    for key in ("host", "command", "argv.1", "kernel", "env.SLURM_JOB_ID"):
        db.execute("INSERT OR REPLACE INTO meta VALUES(?, CAST(? AS TEXT))", (key, HOSTILE))
    db.commit()
    db.close()
    shutil.copy(plain, SESSION)


def lines_of(text):
    return text.split("\n")


make_session()
with open(BUDGET, "wb") as budget:
    budget.write(b"loopmem-budget 1\n"
                 b"total.peak_pss_bytes <= 1 GiB because \"::error::x ##[y]\"\n"
                 b"pool(*).private_bytes_max <= 1 B\n"
                 b"pool(label=\"::gone, ##[z]\").private_bytes_max <= 1 B\n"
                 b"warn phase(*).stall_s <= 1 ms\n"
                 b"total.overlap_bytes_max <= 900 GiB\n"
                 b"deny finding *\n"
                 b"baseline total.peak_pss_bytes +5%\n"
                 b"site(*).live_bytes <= 1 B\n")
environ["GITHUB_STEP_SUMMARY"] = str(TMP / "summary.md")
environ["GITHUB_OUTPUT"] = str(TMP / "output.txt")
done = subprocess.run([BUILD / "loopmem", "check", SESSION, b"--budget", BUDGET, b"--ci", b"github", b"--verbose",
                       b"--explain", b"--commit", HOSTILE, b"--write-baseline", fsencode(TMP) + b"/base.json",
                       b"--junit", fsencode(TMP) + b"/j.xml", b"--json", fsencode(TMP) + b"/j.json",
                       b"--code-quality", fsencode(TMP) + b"/cq.json"], capture_output=True, cwd=TMP)
TEXT, ERRORS = done.stdout.decode(), done.stderr.decode()


@tap.claim
def the_check_fails_as_it_should():
    assert done.returncode == 1, (done.returncode, ERRORS)


@tap.claim
def only_our_own_lines_give_orders():
    ours = re.compile(r"::(error|warning|notice) (file=[^:,]*,line=\d+,)?title=loopmem(%3A[^:,]*)?::[^\r]*$")
    for line in lines_of(TEXT):
        if line.lstrip().startswith("::"):
            assert ours.match(line), line
    assert "##[" not in re.sub(r"(?m)^::(error|warning|notice) .*$", "", TEXT)
    assert not re.search(r"(?m)^\s*::|##\[", ERRORS), ERRORS


@tap.claim
def nothing_controls_the_terminal():
    bad = [c for c in TEXT if (ord(c) < 32 and c != "\n") or 0x7F <= ord(c) < 0xA0 or c == "\u202e"]
    assert not bad, bad


ATTRIBUTES = {
    "testsuites": ({"name", "tests", "failures", "errors", "time"}, set()),
    "testsuite": ({"name", "tests", "failures", "errors"},
                  {"skipped", "time", "timestamp", "hostname", "id", "package"}),
    "properties": (set(), set()),
    "property": ({"name", "value"}, set()),
    "testcase": ({"name", "classname", "time"}, set()),
    "failure": ({"type", "message"}, set()),
    "error": ({"type", "message"}, set()),
    "skipped": ({"message"}, set()),
    "system-out": (set(), set()),
    "system-err": (set(), set()),
}
CHILDREN = {
    "testsuites": ["testsuite"],
    "testsuite": ["properties", "testcase", "system-out", "system-err"],
    "properties": ["property"],
    "testcase": ["skipped", "error", "failure"],
}


def check_junit(element):
    required, allowed = ATTRIBUTES[element.tag]
    assert required <= set(element.attrib) <= required | allowed, (element.tag, element.attrib)
    if "time" in element.attrib:
        assert re.fullmatch(r"\d+(\.\d{1,3})?", element.get("time")), element.get("time")
    order = CHILDREN.get(element.tag, [])
    places = [order.index(child.tag) for child in element]
    assert places == sorted(places), [child.tag for child in element]
    for child in element:
        check_junit(child)


@tap.claim
def junit_keeps_the_rules_of_its_readers():
    root = ET.parse(TMP / "j.xml").getroot()
    check_junit(root)
    suite = root.find("testsuite")
    for holder in (root, suite):
        for name, tag in (("tests", "testcase"), ("failures", "testcase/failure"), ("errors", "testcase/error"),
                          ("skipped", "testcase/skipped")):
            if name in holder.attrib:
                assert int(holder.get(name)) == len(suite.findall(tag)), name
    names = [(case.get("classname"), case.get("name")) for case in suite.findall("testcase")]
    assert len(names) == len(set(names)), "a reader keeps only the first of equal names"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.get("timestamp"))
    kinds = {failure.get("type") for failure in suite.findall("testcase/failure")}
    assert kinds == {"over", "unmatched", "denied"}, kinds


@tap.claim
def xmllint_reads_the_xml():
    if not shutil.which("xmllint"):
        raise tap.Skip("xmllint is not installed")
    subprocess.run(["xmllint", "--noout", TMP / "j.xml"], check=True)


@tap.claim
def a_name_is_the_same_in_every_build():
    again = subprocess.run([BUILD / "loopmem", "check", SESSION, b"--budget", BUDGET, b"--max",
                            b"total.peak_pss_bytes=2GiB", b"--junit", fsencode(TMP) + b"/k.xml"],
                           capture_output=True)
    assert again.returncode == 1
    names = [[case.get("name") for case in ET.parse(TMP / file).getroot().iter("testcase")]
             for file in ("j.xml", "k.xml")]
    assert sorted(names[0]) == sorted(names[1])


@tap.claim
def the_summary_is_whole_tables_without_foreign_markup():
    summary = (TMP / "summary.md").read_text()
    assert summary.startswith("### loopmem check: over, ")
    fenced, columns = False, 0
    for line in lines_of(summary):
        if line.startswith("```"):
            fenced = not fenced
        if fenced:
            continue
        bars = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
        assert not bars or not columns or bars == columns, line
        columns = bars
        outside = re.sub(r"(`+) .*? \1", "", line)
        assert "<b>" not in outside and "@all" not in outside, line
    assert not fenced and len(summary.encode()) < 65536


@tap.claim
def outputs_are_plain_pairs():
    pairs = dict(line.split("=", 1) for line in (TMP / "output.txt").read_text().splitlines())
    assert list(pairs) == ["verdict", "exit_code", "peak_pss_bytes", "idle_retained_bytes_max", "over", "regressed",
                           "commit_baseline"], pairs
    assert pairs["verdict"] == "over" and pairs["exit_code"] == "1"


@tap.claim
def json_is_json():
    result = json.loads((TMP / "j.json").read_text())
    assert result["verdict"] == "over" and result["exit_code"] == 1
    assert any("add-mask" in rule["key"] for rule in result["rules"])
    assert json.loads((TMP / "cq.json").read_text()) == []  # no such file is here


@tap.claim
def a_mistake_in_a_hostile_budget_gives_no_orders_either():
    with open(BUDGET, "wb") as budget:
        budget.write(b"loopmem-budget 1\n  ::error::x ##[y] \x1b[0m\npool(label=\"##[z]\").stall_s <= 1 s x\n")
    wrong = subprocess.run([BUILD / "loopmem", "check", SESSION, b"--budget", BUDGET], capture_output=True)
    errors = wrong.stderr.decode()
    assert wrong.returncode == 2
    assert not re.search(r"(?m)^\s*::|##\[|\x1b", errors), errors


@tap.claim
def an_error_about_a_hostile_file_gives_no_orders_either():
    for arguments in ([SESSION + b"\n::error::gone", b"--max", b"total.peak_pss_bytes=1GiB"],
                      [SESSION, b"--budget", BUDGET + b"\n::error::gone"],
                      [SESSION, b"--max", b"total.peak_pss_bytes=1TiB", b"--junit", b"/no\n::error::/\xff"]):
        wrong = subprocess.run([BUILD / "loopmem", "check", *arguments], capture_output=True)
        errors = wrong.stderr.decode()
        assert wrong.returncode in (2, 3) and errors
        assert not re.search(r"(?m)^\s*::|##\[", errors), errors


@tap.claim
def a_hostile_commit_stays_inside_its_string():
    good = subprocess.run([BUILD / "loopmem", "check", SESSION, b"--commit", HOSTILE, b"--write-baseline",
                           fsencode(TMP) + b"/base.json"], capture_output=True)
    assert good.returncode == 0, good.stderr
    run = json.loads((TMP / "base.json").read_text())["runs"][0]
    assert run["commit"].startswith("::add-mask::x\n")
    checked = subprocess.run([BUILD / "loopmem", "check", SESSION, b"--baseline", fsencode(TMP) + b"/base.json",
                              b"--ci", b"github"], capture_output=True)
    assert checked.returncode == 0, checked.stderr
    assert not re.search(r"(?m)^\s*::(?!notice title=loopmem)", checked.stdout.decode()), checked.stdout


tap.run()
