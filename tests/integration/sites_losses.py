"""Nothing that was sampled is lost on its way to the views: code without names, more sites than there is room for."""
import json
import subprocess
import sys

import profiled
import tap

NAMELESS = """
import os, sys
KEPT = []
exec(compile("KEPT.append(bytearray(30_000_000))", "", "exec"))
names = {"KEPT": KEPT}
exec(compile("def function(): KEPT.append(bytearray(50_000_000))", "nameless.py", "exec"), names)
code = names["function"].__code__
names["function"].__code__ = code.replace(co_name="", **({"co_qualname": ""} if hasattr(code, "co_qualname") else {}))
names["function"]()
sys.stdin.read()
os._exit(0)
"""
CHILDREN, SITES, BYTES, LAST = 3, 16_384, 1000, 50_000_000  # of targets/manysites.c


def start(name, *command, options=()):
    return profiled.start(*command, stdin=subprocess.PIPE, options=["-q", "-o", profiled.path(f"{name}.loopmem"), *options])


def live(name, where=""):
    """Bytes as last read, of all sites or some."""
    return profiled.so_far(profiled.path(f"{name}.loopmem"), f"""
        SELECT sum(live_bytes) FROM (SELECT live_bytes, max(t_ns) FROM site_sample JOIN site ON site.id = site {where} GROUP BY site)""") or 0


def end(run):
    assert run.communicate()[1] == "" and run.returncode == 0


def loopmem(*arguments):
    return subprocess.check_output([profiled.LOOPMEM, *arguments], text=True)


@tap.claim
def code_without_a_name_or_a_file_keeps_its_bytes():
    with open(profiled.path("program.py"), "w", encoding="utf-8") as f:
        f.write(NAMELESS)
    run = start("nameless", sys.executable, profiled.path("program.py"))
    profiled.until(lambda: live("nameless") >= 80e6, "both blocks have a site")
    end(run)
    session = profiled.path("nameless.loopmem")
    sites = json.loads(loopmem("report", "-f", "json", session))["sites"]
    found = {(frame["function"], frame["file"]): site["live_bytes"] for site in sites for frame in site["stack"][:1]}
    assert found.get(("<module>", None), 0) >= 30e6 and found.get((None, "nameless.py"), 0) >= 50e6, found
    assert "nameless.py:1\n" in loopmem("sites", session)


@tap.claim
def what_finds_no_room_is_one_row_in_every_view():
    run = start("many", profiled.target("manysites"), str(CHILDREN), options=["--sample-bytes=1"])
    whole = CHILDREN * (SITES * BYTES + LAST - 65536)  # a child's first 64 KiB are not sampled
    profiled.until(lambda: live("many") >= whole, "all of it was read")
    end(run)
    least = (CHILDREN * SITES - 32768) * BYTES  # the session has room for so many
    assert live("many", "WHERE stack IS NULL") > least
    session = profiled.path("many.loopmem")
    text = loopmem("export", "-f", "collapsed", session)
    unknown = sum(int(line.rpartition(" ")[2]) for line in text.splitlines() if "(stack not known)" in line)
    assert unknown > least, unknown
    assert "(stack not known)" in loopmem("sites", session)
    sites = json.loads(loopmem("report", "-f", "json", session))["sites"]
    assert sum(site["live_bytes"] for site in sites if not site["stack"]) == unknown


tap.run()
