"""The package `loopmem`: phases and labels reach the session, and nothing where none is made."""
import json
import os
import subprocess
import sys

import shimmed
import pythons
import tap

SOURCE = f"{os.environ['SRC']}/python"
LOOPMEM = str(shimmed.BUILD / "loopmem")


def phases(text):
    """(kind, stage, epoch) of the phase events of a program."""
    # the hook is there after the first few allocated megabytes, which any import of torch takes
    text = "junk = [bytearray(200000) for _ in range(100)]" + text
    run = shimmed.run(text, PYTHONPATH=SOURCE)
    assert (run.status, run.stderr) == (0, ""), run.stderr
    owner = run.owner()
    assert owner.drops[shimmed.DROP_HOOK] == 0
    return [(e.kind, e.value, e.value2) for e in owner.events if e.kind in ("phase", "phend")]


@tap.claim
def phases_nest_and_a_name_may_be_a_stage():
    assert phases("""
import loopmem
with loopmem.phase("warmup"):
    with loopmem.phase("final test", epoch=3): pass
try:
    with loopmem.phase("x\\0y\\udc80"): raise KeyError
except KeyError: pass
""") == [("phase", 0, -1), ("phase", 4, 3), ("phend", 0, 0), ("phend", 0, 0),
         ("phase", 0, -1), ("phend", 0, 0)]


@tap.claim
def a_phase_is_a_decorator_and_returns_what_the_function_does():
    assert len(phases("""
import loopmem
@loopmem.phase("warmup")
def work(): return 5
assert work() + work() == 10
""")) == 4


@tap.claim
def without_loopmem_nothing_happens():
    text = """
import sys, loopmem
class Slots: __slots__ = ()
thing = Slots()
assert loopmem.label(thing, "x") is thing
with loopmem.phase("x"): pass
assert not hasattr(sys, "_loopmem") and "torch" not in sys.modules
"""
    for python in pythons.supported().values():
        status, _, errors = shimmed.bare([python, "-c", text], PYTHONPATH=SOURCE)
        assert (status, errors) == (0, ""), (python, errors)


@tap.claim
def a_label_stands_in_place_of_the_stage():
    session = f"{os.environ['TEST_TMP']}/label.loopmem"
    program = shimmed.script("""
import loopmem
from torch.utils.data import DataLoader
train_loader = loopmem.label(DataLoader(range(4), num_workers=1), "hard negatives")
with loopmem.phase("warmup"):
    for batch in train_loader: pass
""")
    subprocess.run([LOOPMEM, "run", "-q", "-o", session, sys.executable, program], check=True,
                   env=shimmed.environment(PYTHONPATH=SOURCE), timeout=120)
    report = json.loads(subprocess.run([LOOPMEM, "report", "-f", "json", session], check=True,
                                       stdout=subprocess.PIPE).stdout)
    (pool,) = report["pools"]
    assert (pool["name"], pool["stage"], pool["named"]) == ('"hard negatives" #1 e0', "train", True)
    assert "warmup" in [phase["name"] for phase in report["phases"]], report["phases"]


@tap.claim
def pip_installs_the_folder_without_a_network():
    folder = f"{os.environ['TEST_TMP']}/site"
    source = f"{os.environ['TEST_TMP']}/python"
    subprocess.run(["cp", "-r", SOURCE, source], check=True)  # pip may leave things beside it
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-compile", "--target", folder,
                    source], check=True, env=shimmed.environment(), timeout=120)
    assert sorted(os.listdir(f"{folder}/loopmem")) == sorted(os.listdir(f"{SOURCE}/loopmem"))
    version = subprocess.run([LOOPMEM, "--version"], stdout=subprocess.PIPE, text=True).stdout
    assert os.path.isdir(f"{folder}/loopmem-{version.split()[1]}.dist-info"), os.listdir(folder)


tap.run()
