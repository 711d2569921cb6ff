"""How often `loopmem check` errs: made-up runs of one program with 0.5 % noise, one in ten with an outlier; then the same program
with 10 % more in its pools."""
import subprocess
from concurrent.futures import ThreadPoolExecutor
from os import environ
from pathlib import Path

import tap

BUILD = Path(environ["LOOPMEM_BUILD"])
TMP = Path(environ["TEST_TMP"])
CHECKS = 40


def make(name, *arguments):
    session = TMP / f"{name}.loopmem"
    subprocess.run([BUILD / "tests/fixtures/reference_session", "--processes", "8", "--hours", "0.1", "--noise",
                    "0.005", *map(str, arguments), session], check=True)
    return session


def check(*arguments):
    return subprocess.run([BUILD / "loopmem", "check", *map(str, arguments)], capture_output=True, text=True)


def make_baseline(name, *variation):
    baseline = TMP / f"{name}.json"
    for run in range(5):
        session = make(f"{name}{run}", "--seed", run + 1, *variation)
        written = check(session, "--write-baseline", baseline, "--commit", f"c{run}")
        assert written.returncode == 0, written.stderr
    return baseline


def against(baseline, seeds, *variation):
    sessions = [make(f"head-{'-'.join(variation)}-{seed}", "--seed", seed, *variation) for seed in seeds]
    done = check(*sessions, "--baseline", baseline, "--require-baseline")
    for session in sessions:
        session.unlink()
    return done


def confirmed(baseline, seed, *variation):
    """As docs/ci.md does it: two more runs when the first one fails, and the median of three counts."""
    first = against(baseline, [seed], *variation)
    return first if first.returncode == 0 else against(baseline, [seed, seed + 1000, seed + 2000], *variation)


def forty(function):
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(function, range(100, 100 + CHECKS)))


def told(results):
    return f"{len(results)} of {CHECKS}:\n" + "\n".join(done.stdout + done.stderr for done in results)


@tap.claim
def forty_checks_of_unchanged_runs_raise_no_alarm():
    baseline = make_baseline("calm")
    alarms = [done for done in forty(lambda seed: against(baseline, [seed])) if done.returncode != 0]
    assert not alarms, told(alarms)


@tap.claim
def ten_percent_more_held_idle_is_found_forty_times_of_forty():
    missed = [done for done in forty(lambda seed: against(TMP / "calm.json", [seed], "--growth", "0.1"))
              if done.returncode != 1 or "regressed    total.idle_retained_bytes_max" not in done.stdout]
    assert not missed, told(missed)


@tap.claim
def outliers_raise_no_alarm_when_a_failure_is_confirmed():
    baseline = make_baseline("wild", "--outliers")
    alarms = [done for done in forty(lambda seed: confirmed(baseline, seed, "--outliers")) if done.returncode != 0]
    assert not alarms, told(alarms)


@tap.claim
def the_runs_are_not_all_alike():
    first_lines = {against(TMP / "calm.json", [seed]).stdout.splitlines()[0] for seed in (100, 101, 102)}
    assert len(first_lines) == 3, first_lines


tap.run()
