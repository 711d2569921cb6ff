"""loopmem demo shows what the old order costs and the new one does not, and cleans up when interrupted."""
# alone: a claim is of its time
import json
import os
import pty
import re
import select
import signal
import subprocess
import time
from functools import lru_cache

import tap

BUILD, TMP = os.environ["LOOPMEM_BUILD"], os.environ["TEST_TMP"]
LOOPMEM = f"{BUILD}/loopmem"
MIB = 1 << 20
ENVIRONMENT = dict(os.environ, TMPDIR=TMP, LC_ALL="C")


@lru_cache(maxsize=None)
def demo():
    """The demo as a person runs it."""
    start = time.monotonic()
    done = subprocess.run([LOOPMEM, "demo", "-o", f"{TMP}/demo"], env=ENVIRONMENT, text=True,
                          capture_output=True, timeout=200)
    done.seconds = time.monotonic() - start
    return done


@lru_cache(maxsize=None)
def report(order):
    assert demo().returncode == 0, demo().stderr
    text = subprocess.check_output([LOOPMEM, "report", "-f", "json", f"{TMP}/demo/{order}.loopmem"])
    return json.loads(text)


def pools(order, stage):
    return [p for p in report(order)["pools"] if p["stage"] == stage]


def leftovers():
    return [name for name in os.listdir(TMP) if name.startswith("loopmem-demo-")]


@tap.claim
def it_succeeds_within_a_minute_and_says_nothing_on_stderr():
    assert demo().returncode == 0, demo().stderr
    assert demo().stderr == ""
    assert not leftovers()
    busy = os.getloadavg()[0] > 2 * os.cpu_count()
    if demo().seconds >= 60 and busy:
        raise tap.Skip(f"the machine is too busy: it took {demo().seconds:.0f} s")
    assert demo().seconds < 60, demo().seconds


@tap.claim
def every_pool_of_the_training_is_in_the_sessions():
    for order in "old", "new":
        got = [(p["stage"], p["epoch"], len(p["workers"]), p["batches"]) for p in report(order)["pools"]]
        expected = [("sanity", None, 2, 2)]
        for epoch in range(3):
            expected += [("train", epoch, 2, 32), ("validate", epoch, 2, 16)]
        assert got == expected, got


@tap.claim
def in_the_old_order_train_pools_are_held_through_validation():
    for pool in pools("old", "train"):
        assert pool["idle_retained_bytes_max"] >= 110 * MIB, pool
        assert pool["idle_retained_seconds"] > 0.4, pool


@tap.claim
def and_validation_pools_through_the_next_train_epoch():
    for pool in pools("old", "validate")[:-1]:
        assert pool["idle_retained_bytes_max"] >= 110 * MIB, pool
        assert pool["idle_retained_seconds"] > 0.9, pool


@tap.claim
def and_the_sanity_pool_through_the_first_epoch():
    (pool,) = pools("old", "sanity")
    assert pool["idle_retained_bytes_max"] > 20 * MIB, pool
    assert pool["idle_retained_seconds"] > 0.9, pool


@tap.claim
def and_two_pools_of_a_stage_overlap_at_a_boundary():
    totals = report("old")["totals"]
    assert totals["overlap_bytes_max"] >= 100 * MIB, totals
    assert totals["pools_alive_max"] == 3, totals


@tap.claim
def releasing_is_not_advised_for_a_loader_that_is_not_torchs():
    assert not any(pool["releasable"] for pool in report("old")["pools"])
    text = subprocess.check_output([LOOPMEM, "report", f"{TMP}/demo/old.loopmem"], text=True)
    assert re.search(r"^Do +drop the loader's iterator after its last batch$", text, re.M), text


@tap.claim
def the_new_order_holds_nothing_idle():
    totals = report("new")["totals"]
    assert totals["idle_retained_bytes_max"] == 0, totals
    assert totals["overlap_bytes_max"] == 0, totals
    assert totals["pools_alive_max"] == 1, totals


@tap.claim
def its_peak_is_lower_by_two_fifths_and_was_foretold():
    old, new = report("old")["totals"], report("new")["totals"]
    assert new["peak_pss_bytes"] <= 0.6 * old["peak_pss_bytes"], (old, new)
    foretold = old["peak_pss_bytes_without_idle"]
    assert abs(foretold - new["peak_pss_bytes"]) < 0.1 * new["peak_pss_bytes"], (foretold, new)


@tap.claim
def the_comparison_says_the_same_as_the_sessions():
    text = demo().stdout
    old, new = (round(report(o)["totals"]["peak_pss_bytes"] / MIB) for o in ("old", "new"))
    assert re.search(rf"^peak +{old} MiB +{new} MiB ", text, re.M), text
    assert "losses, 3 epochs" in text and "the same to the bit" in text


@tap.claim
def single_habits_cost_what_they_hold():
    text = demo().stdout
    peak = {habit: int(re.search(rf"(\d+)  {habit}", text)[1]) for habit in (
        "validate inside", "keep the validation", "build the new pool", "keep the sanity")}
    new = report("new")["totals"]["peak_pss_bytes"] / MIB
    assert peak["validate inside"] > new + 90 and peak["keep the validation"] > new + 90, peak
    assert peak["build the new pool"] < new + 20, peak
    assert new + 20 < peak["keep the sanity"] < new + 90, peak


def run_on_a_terminal(arguments, until):
    """Runs the demo in a terminal of its own and presses ^C when `until` was shown. Output and status."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(LOOPMEM, [LOOPMEM, "demo", *arguments], ENVIRONMENT)
    shown, pressed, end = b"", False, time.monotonic() + 60
    while time.monotonic() < end and select.select([terminal], [], [], 30)[0]:
        try:
            shown += os.read(terminal, 4096)
        except OSError:
            break
        if until in shown and not pressed:
            os.write(terminal, b"\x03")
            pressed = True
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.close(terminal)
    return shown.decode(), status


@tap.claim
def an_interrupt_ends_it_and_leaves_nothing_in_the_way():
    shown, status = run_on_a_terminal(["-o", f"{TMP}/cut"], b"demo: old order, epoch 2 of 3")
    assert status == 1, (status, shown)
    assert "loopmem demo: the training, old order, was ended by SIGINT" in shown, shown
    assert not leftovers()


@tap.claim
def a_signal_to_the_demo_alone_ends_the_training_too():
    process = subprocess.Popen([LOOPMEM, "demo", "-o", f"{TMP}/alone"], env=ENVIRONMENT, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 1, process.returncode
    assert "was ended by SIGTERM" in err and out == "", (out, err)
    assert not leftovers()


@tap.claim
def nonsense_is_refused():
    for words in (["--workers", "0"], ["--cache", "1K"], ["--cache", "lots"], ["--epochs", "21"], ["stray"]):
        done = subprocess.run([LOOPMEM, "demo", *words], env=ENVIRONMENT, capture_output=True, text=True)
        assert done.returncode == 2 and done.stderr, (words, done)


@tap.claim
def a_directory_that_cannot_be_made_is_named():
    done = subprocess.run([LOOPMEM, "demo", "-o", "/nowhere/demo"], env=ENVIRONMENT, capture_output=True,
                          text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("loopmem demo: cannot make the directory /nowhere/demo: "), done.stderr


tap.run()
