#!/usr/bin/env python3
"""report -f markdown: the reference run, names that want to be markup, and the limit of size."""
import os
import re
import subprocess

import hostile
import tap

BUILD, SRC, TMP = os.environ["LOOPMEM_BUILD"], os.environ["SRC"], os.environ["TEST_TMP"]
SESSION = os.path.join(TMP, "ref.loopmem")


def report(*arguments, session=SESSION, status=0):
    done = subprocess.run([f"{BUILD}/loopmem", "report", *arguments, session], capture_output=True)
    assert done.returncode == status, done.stderr
    return (done.stdout if status == 0 else done.stderr).decode("utf-8")


def make(path, *arguments):
    subprocess.run([f"{BUILD}/tests/fixtures/reference_session", *arguments, path], check=True)


make(SESSION)


HOSTILE = hostile.session(os.path.join(TMP, "hostile.loopmem"))


@tap.claim
def the_page_of_the_reference_run():
    # the version is that of the program that wrote the session
    page = re.sub(r"loopmem [0-9.]+\n", "loopmem VERSION\n", report("-f", "markdown"))
    assert page == open(f"{SRC}/tests/golden/report-reference.md", encoding="utf-8").read()


@tap.claim
def call_sites_are_those_of_the_report():
    path = os.path.join(TMP, "sites.loopmem")
    make(path, "--sites")
    page, text = report("-f", "markdown", session=path), report(session=path)
    rows = re.findall(r"^\| [0-9.]+ \w+ \| [^|]+ \| (\w[^|]*\.py:\d+) ", page, re.M)
    assert len(rows) >= 3 and all(row.replace("\\", "") in text for row in rows), page
    path = os.path.join(TMP, "small.loopmem")
    subprocess.run([f"{BUILD}/loopmem", "run", "-q", "-o", path, "--", "sleep", "0.4"], check=True)
    assert " 1 process, 0 pools " in report("-f", "markdown", session=path)


@tap.claim
def the_ending_md_chooses_it():
    report("-o", f"{TMP}/x.md")
    assert open(f"{TMP}/x.md", encoding="utf-8").read() == report("-f", "markdown")


@tap.claim
def the_heading_is_the_verdict():
    assert report("-f", "markdown").splitlines()[0] == \
        "### loopmem: peak 26.4 GiB of 28.0 GiB, 16.4 GiB held idle"


def outside_of_code(page):
    """Lines of the page that are not in a fence, without their code spans."""
    inside, lines = False, []
    for line in page.splitlines():
        if line.startswith("```"):
            inside = not inside
        elif not inside:
            lines.append(re.sub(r"(?<!\\)(`+) .*? \1(?!`)", "", line))
    assert not inside, "a fence is left open"
    return lines


@tap.claim
def foreign_text_is_no_markup():
    page = report("-f", "markdown", session=HOSTILE)
    assert "add-mask" in page, "the names are shown"
    for line in outside_of_code(page):
        assert not re.search(r"(?<!\\)[`\[]", re.sub(r"^\[", "", line)), line
        assert not re.search(r"<(?!/?details>|/?summary>)", line), line
        assert "@" not in line, line
        if line.startswith("|"):
            cells = len(re.findall(r"(?<!\\)\|", line)) - 1
            assert cells in (3, 6), line


@tap.claim
def foreign_text_gives_no_orders_to_a_ci_system():
    page = report("-f", "markdown", session=HOSTILE)
    assert "##[" not in page
    assert not [line for line in page.splitlines() if line.lstrip().startswith("::")]


@tap.claim
def the_limit_is_kept_and_what_is_cut_is_named():
    wide = os.path.join(TMP, "wide.loopmem")
    make(wide, "--processes", "64", "--hours", "2")
    whole = report("-f", "markdown", "--full", session=wide)
    for limit in (1024, 1500, 3000, 60000):
        page = report("-f", "markdown", "--full", f"--max-bytes={limit}", session=wide)
        assert len(page.encode()) <= limit, (limit, len(page.encode()))
        assert page.startswith("### loopmem: peak ") and "Reproduce: " in page
        if len(whole.encode()) > limit:
            assert "Left out, the page would be too large: " in page
            assert outside_of_code(page)


@tap.claim
def an_option_that_a_format_does_not_heed_is_refused():
    for option, form in (("--full", "json"), ("--full", "html"), ("--width=60", "markdown"), ("--ascii", "html")):
        assert f"{option.split('=')[0]} is not for {form}" in report("-f", form, option, status=2)


@tap.claim
def other_formats_have_no_such_limit():
    assert "--max-bytes is not for json" in report("-f", "json", "--max-bytes=5000", status=2)
    assert "--max-bytes takes a number" in report("-f", "markdown", "--max-bytes=12", status=2)


@tap.claim
def ranks_have_a_row_each():
    page = subprocess.run([f"{BUILD}/loopmem", "report", "-f", "markdown", SESSION, SESSION],
                          capture_output=True, text=True, check=True).stdout
    assert page.startswith("### loopmem: 2 ranks\n")
    assert len(re.findall(r"^\| \d+ \| node17 \| 26\.4 GiB \|", page, re.M)) == 2


tap.run()
