#!/usr/bin/env python3
"""The advice for frameworks: what the program would say is what the page of the finding says, and no more."""
import os
import re

import advice_table
import tap

with open(f"{os.environ['SRC']}/docs/findings.md", encoding="utf-8") as file:
    PAGES = dict(re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", file.read(), re.M | re.S))
with open(f"{os.environ['SRC']}/profiler/model/findings.def", encoding="utf-8") as file:
    FINDINGS = set(re.findall(r'^FINDING\(\w+, "([^"]+)"', file.read(), re.M))
ROWS = advice_table.rows()


def told(page):
    """(frameworks, case and text) of the rows of a page."""
    table = page.partition("| framework | its own switch |\n| --- | --- |\n")[2]
    for line in table.splitlines():
        if not line.startswith("| "):
            break
        yield tuple(line.replace("`", "").strip("| ").split(" | "))


@tap.claim
def every_row_is_of_a_finding():
    assert {row.finding for row in ROWS} <= FINDINGS, {row.finding for row in ROWS} - FINDINGS


@tap.claim
def pages_list_what_is_said_for_each_framework():
    for finding in FINDINGS:
        said = [(" ".join(row.frameworks), (f"{row.case}: " if row.case else "") + row.text)
                for row in ROWS if row.finding == finding and row.frameworks]
        assert list(told(PAGES[finding])) == said, (finding, list(told(PAGES[finding])), said)


@tap.claim
def a_row_for_a_framework_is_not_what_every_program_is_told():
    general = {(row.finding, row.text) for row in ROWS if not row.frameworks}
    assert not [row for row in ROWS if row.frameworks and (row.finding, row.text) in general]


tap.run()
