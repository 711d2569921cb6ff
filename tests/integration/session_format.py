"""docs/session-format.md says what is in a session: its examples run, its tables and keys are all there are."""
import os
import re
import sqlite3
import subprocess
from pathlib import Path

import tap

SRC = Path(os.environ["SRC"])
FILE = Path(os.environ["TEST_TMP"]) / "run-0412.loopmem"
PAGE = (SRC / "docs/session-format.md").read_text()

subprocess.run([Path(os.environ["LOOPMEM_BUILD"]) / "tests/fixtures/reference_session", FILE], check=True)
session = sqlite3.connect(f"file:{FILE}?mode=ro", uri=True)
examples = re.findall(r"```sql\n(.*?)```", PAGE, re.S)


def first_words(section):
    """The words in backticks of the first column of a table under a heading."""
    text = PAGE.split(f"## {section}\n")[1].split("\n## ")[0]
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    return {word for row in rows for word in re.findall(r"`([^`]+)`", row)}


@tap.claim
def the_example_of_the_pools_lists_seven_with_what_each_was_kept():
    rows = session.execute(examples[0]).fetchall()
    assert len(rows) == 7
    assert rows[3] == (4, "train", 1, 8, 924, 370.0, 64.0), rows[3]


@tap.claim
def the_example_of_the_peak_gives_the_peak():
    assert session.execute(examples[1]).fetchall() == [(26.4,)]


@tap.claim
def the_example_of_the_live_heap_lists_every_worker():
    rows = session.execute(examples[2]).fetchall()
    assert len(rows) == 56
    assert {pool for pool, _, _ in rows} == set(range(1, 8))
    assert 700 < rows[24][2] < 800, rows[24]


@tap.claim
def the_example_of_the_sites_lists_the_innermost_line_of_python():
    copy = sqlite3.connect(":memory:")
    session.backup(copy)
    copy.executescript("""
        INSERT INTO frame VALUES (1, NULL, NULL, 0), (2, NULL, NULL, 0), (3, NULL, 64, 1);
        INSERT INTO symbol VALUES (1, 0, 'main', 'train.py', 9), (2, 0, 'fill', 'data.py', 42);
        INSERT INTO stack VALUES (1, NULL, 1), (2, 1, 2), (3, 2, 3);
        INSERT INTO site VALUES (1, 1, NULL, 3, 0, NULL);
        INSERT INTO site_sample VALUES (0, 1, 1, 1, 1, 1, NULL), (50000000000, 1, 62914560, 1, 62914560, 1, NULL),
                                       (70000000000, 1, 0, 0, 62914560, 1, NULL);""")
    assert copy.execute(examples[3]).fetchall() == [("data.py", 42, "fill", 60.0)]


@tap.claim
def there_is_no_example_that_is_not_run():
    assert len(examples) == 4


@tap.claim
def every_table_is_explained():
    tables = {name for name, in session.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    assert first_words("Tables") == tables, first_words("Tables") ^ tables


@tap.claim
def every_key_that_is_written_is_explained():
    explained = {re.sub(r"\..*", ".", key) for key in first_words("Keys of meta")}
    written = set()
    for source in [*SRC.glob("profiler/**/*.c"), *SRC.glob("tests/fixtures/*.c")]:
        written |= set(re.findall(r'session_put_(?:text|int)\([^;]*?, "([a-z_]+)"', source.read_text()))
    in_file = {re.sub(r"\..*", ".", key) for key, in session.execute("SELECT key FROM meta")}
    assert {"complete", "lost_rows", "ended_ns"} <= written
    assert written | in_file <= explained, (written | in_file) - explained


@tap.claim
def the_marks_are_the_documented_ones():
    version = int(re.search(r"now \*\*(\d+)\*\*", PAGE)[1])
    assert session.execute("PRAGMA application_id").fetchone() == (0x6C6D656D,)
    assert session.execute("PRAGMA user_version").fetchone() == (version,)


@tap.claim
def every_kind_of_event_in_a_session_is_explained():
    text = PAGE.split("- `event.kind`:")[1].split("\n\n")[0]
    explained = set(re.findall(r"`([a-z-]+)`", text))
    enum = (SRC / "inject/segment.h").read_text().split("enum loopmem_event_kind {")[1].split("}")[0]
    kinds = {kind.lower().replace("_", "-") for kind in re.findall(r"LOOPMEM_EVENT_(\w+) =", enum)}
    assert kinds - {"none"} <= explained, kinds - explained


tap.run()
