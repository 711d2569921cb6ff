"""A session whose names, commands and notes want to be markup of every format there is."""
import os
import sqlite3
import subprocess

NAME = ("a|b`c``d <img src=x onerror=alert(1)> </script><script>alert(1)</script> <!-- ##[error]x ::add-mask::x "
        "@someone [l](http://x) *b* \\ \"q\" 'q' &amp; {x=\"y\"} \n::error::x\n```\n# h \u202e\u2028 ]]>")


def session(path):
    """Makes it at `path`: the reference run with NAME wherever a program could have put it."""
    subprocess.run([f"{os.environ['LOOPMEM_BUILD']}/tests/fixtures/reference_session", path], check=True)
    with sqlite3.connect(path) as db:
        db.execute("UPDATE pool SET label = ?1, dataset = ?1, origin = ?1, start_method = ?1", (NAME,))
        # bytes that are no UTF-8
        db.execute("UPDATE process SET cmdline = CAST(?1 AS TEXT), allocator = ?2, python = ?2",
                   (NAME.encode() + b"\xff\xfe", NAME))
        db.execute("UPDATE meta SET value = ? WHERE key IN ('command', 'host', 'loopmem_version', 'kernel', 'argv.1')",
                   (NAME,))
        db.execute("INSERT INTO note VALUES (?, 'warning', 1, 0)", (NAME,))
    return path
