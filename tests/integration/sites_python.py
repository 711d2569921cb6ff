"""Call sites of Python: on every CPython found, the stack of a sampled allocation is the interpreter's own."""
import collections
import json
import os
import subprocess
import sys
from pathlib import Path

import pythons
import segments
import sites
import tap

SRC = Path(os.environ["SRC"])


def sampled(python, script, mean="4096"):
    directory = segments.new_directory()
    done = subprocess.run([python, "-I", script], capture_output=True, text=True, timeout=120,
                          env=segments.environment(directory, LOOPMEM_SAMPLE_BYTES=mean))
    assert done.returncode == 0, done.stderr
    return done.stdout, sites.read(directory)[-1]


def plain(frames):
    """Python's frames alone, with the last part of their names."""
    return tuple((file, line, name.rsplit(".", 1)[-1]) for name, file, line in frames if name != "native")


def compare(python):
    output, found = sampled(python, SRC / "tests/targets/stacks.py")
    assert found.python_stacks == 1, found.python_reason
    expected = collections.Counter(tuple(map(tuple, stack)) for stack in json.loads(output))
    got = collections.Counter()
    for site in found.sites:
        got[plain(site.frames)] += site.live_bytes
    missing = [stack for stack, times in expected.items() if got[stack] < 0.9 * times * 50_000]
    assert sum(expected.values()) >= 1000
    assert not missing, (len(missing), len(expected), missing[0][:4])


def claim_for(minor, path):
    def check():
        compare(path)
    check.__name__ = f"the stacks of 3.{minor} are those of traceback"
    tap.claim(check)


for (_, version), path in pythons.supported().items():
    claim_for(version, path)


@tap.claim
def a_python_frame_stands_where_its_evaluation_loop_ran():
    _, found = sampled(sys.executable, SRC / "tests/targets/stacks.py")
    mixed = [site.frames for site in found.sites if len(plain(site.frames)) not in (0, len(site.frames))]
    for frames in mixed:  # what ran Python at all is cut: the outermost frame is Python's
        assert frames[-1][0] != "native", frames


IMPORTS = """
import os, sys
warm_up = [object() for _ in range(200_000)]
sys.path.insert(0, os.path.dirname(sys.argv[0]))
import outer_module
print("[]", flush=True)
os._exit(0)
"""


def claim_of_imports(minor, path):
    def check():
        script = Path(os.environ["TEST_TMP"], "imports.py")
        script.write_text(IMPORTS)
        script.with_name("outer_module.py").write_text("import inner_module")
        script.with_name("inner_module.py").write_text("KEPT = bytearray(90_000_000)")
        _, found = sampled(path, script)
        stack, = [site.frames for site in found.sites if site.live_bytes > 80_000_000]
        assert [frame[1].rpartition("/")[2] for frame in stack if frame[0] != "native"] == [
            "inner_module.py", "<frozen importlib._bootstrap>",
            "outer_module.py", "<frozen importlib._bootstrap>", "imports.py"], stack
    check.__name__ = f"in 3.{minor} one frame of the import system stands between two modules"
    tap.claim(check)


for (_, version), path in pythons.supported().items():
    claim_of_imports(version, path)


DEEP = """
import os, sys
sys.setrecursionlimit(10_000)
KEPT = []
warm_up = [object() for _ in range(200_000)]
def recurse(depth): return recurse(depth - 1) if depth else KEPT.append(bytearray(3_000_000))
for depth in (900, 3000): recurse(depth)
print("[]", flush=True)
os._exit(0)
"""


@tap.claim
def a_stack_that_is_too_deep_keeps_its_innermost_frames_and_says_so():
    script = Path(os.environ["TEST_TMP"], "deep.py")
    script.write_text(DEEP)
    _, found = sampled(sys.executable, script)
    stacks = [site.frames for site in found.sites if site.live_bytes > 2_900_000 and len(site.frames) > 800]
    whole, cut = sorted(stacks, key=len)
    assert [frame[0] for frame in whole[-2:]] == ["recurse", "<module>"]
    assert cut[-1][0] == "(outer frames left out)" and cut[-2][0] == "recurse" and len(cut) == 1025, (len(cut), cut[-2:])


tap.run()
