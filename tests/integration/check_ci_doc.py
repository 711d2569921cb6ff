"""The shell steps and the pytest example of docs/ci.md, run as they stand. `python train.py` is the reference loop, whose order
train.py names, with options if need be: "new" keeps no idle workers, "old" does."""
import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import tap

SRC = Path(os.environ["SRC"])
BUILD = Path(os.environ["LOOPMEM_BUILD"])
TMP = Path(os.environ["TEST_TMP"])
BIN = TMP / "bin"
# A second long, so that a loaded machine sees each pool, and in the new order so small that no reading of it is 16 MiB from another.
FIT = "--epochs=2 --workers=2 --val-workers=2 --train-items=192 --val-items=128 --step-delay=12 --cache-mib=14"
SHIM = f"""#!/bin/sh
case "$1" in
train.py) exec '{BUILD}/loopmem-fit' {FIT} --order=$(cat train.py) ;;
esac
exec {shutil.which('python3')} "$@"
"""


def blocks(language):
    """The fenced blocks of the page, with the words before them."""
    text = (SRC / "docs/ci.md").read_text()
    return re.findall(rf"(?ms)^```{language}\n(.*?)^```$", text)


def steps(block):
    """name -> script of the `run:` entries of a workflow; those of `script:` and `after_script:` under these names."""
    found, name = {}, None
    lines = block.split("\n")
    for i, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if match := re.match(r"\s*- name: (.*)", line):
            name = match[1]
        if match := re.match(r"\s*(?:- )?run: (.*)", line):
            script = match[1]
            if script == "|":
                body = []
                for following in lines[i + 1:]:
                    if following.strip() and len(following) - len(following.lstrip()) <= indent:
                        break
                    body.append(following)
                script = "\n".join(body)
            found[name] = script
        if match := re.match(r"\s*(script|after_script):$", line):
            commands = []
            for following in lines[i + 1:]:
                if not following.strip().startswith("- "):
                    break
                commands.append(following.strip()[2:].strip("'"))
            found[match[1]] = "\n".join(c for c in commands if not c.startswith("pip "))
    return found


WORKFLOWS = [steps(block) for block in blocks("yaml")]
STORED = next(w for w in WORKFLOWS if "extend the baseline" in w)
SAME_JOB = next(w for w in WORKFLOWS if "base against head" in w)
GITLAB = next(w for w in WORKFLOWS if "script" in w)


class Project:
    """A checkout in which the steps of one build are run."""

    def __init__(self, name, order):
        self.path = TMP / name
        self.path.mkdir()
        (self.path / "loopmem.budget").write_text("loopmem-budget 1\ntotal.peak_pss_bytes <= 2 GiB\n")
        self.order(order)

    def order(self, order):
        (self.path / "train.py").write_text(order)

    def run(self, script, **variables):
        for session in self.path.glob("*.loopmem") if variables.pop("fresh", False) else ():
            session.unlink()
        environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", "GITHUB_WORKSPACE": str(self.path),
                       "LOOPMEM_LIB": str(BUILD / "libloopmem.so"), **variables}
        return subprocess.run(["bash", "-e", "-o", "pipefail", "-c", script], cwd=self.path, env=environment,
                              capture_output=True, text=True)


def must(done, code=0):
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    return done.stdout


def setup():
    BIN.mkdir()
    for name in ("python", "python3.12"):
        (BIN / name).write_text(SHIM)
        (BIN / name).chmod(0o755)
    (BIN / "loopmem").symlink_to(BUILD / "loopmem")


def build(project, commit):
    """One build of the main branch: profile, check, extend."""
    must(project.run(STORED["profile"], fresh=True))
    out = must(project.run(STORED["check, and confirm a failure with two more runs"],
                           GITHUB_STEP_SUMMARY=str(project.path / "summary.md"), GITHUB_OUTPUT=str(TMP / "outputs")))
    must(project.run(STORED["extend the baseline"], GITHUB_SHA=commit))
    return out


@tap.claim
def every_block_of_the_page_is_known_to_this_test():
    text = (SRC / "docs/ci.md").read_text()
    fences = re.findall(r"(?m)^```(\S+)$", text)
    assert sorted(fences) == ["python"] * 2 + ["sh"] * 2 + ["yaml"] * 3, fences


@tap.claim
def the_shortest_form_and_a_suggested_budget():
    project = Project("short", "new")
    run, suggest = blocks("sh")
    must(project.run(suggest))
    suggested = (project.path / "loopmem.budget").read_text()
    assert "total.idle_retained_bytes_max    <= 16 MiB    # 3 runs: 0 to 0" in suggested, suggested
    tested = run.replace("pytest tests/test_training.py", "python train.py")
    assert tested != run
    must(project.run(tested))
    project.order("old")
    done = project.run(tested)
    must(done, 1)
    assert "over         total.idle_retained_bytes_max" in done.stderr, done.stderr


@tap.claim
def a_stored_baseline_passes_unchanged_builds_and_stops_a_regression():
    project = Project("stored", "new")
    assert "no-baseline" in build(project, "c1")
    for commit in ("c2", "c3"):
        assert "no-baseline" not in build(project, commit)
    runs = json.loads((project.path / "baseline.json").read_text())["runs"]
    assert [run["commit"] for run in runs] == ["c1", "c2", "c3"]

    project.order("old")
    must(project.run(STORED["profile"], fresh=True))
    done = project.run(STORED["check, and confirm a failure with two more runs"],
                       GITHUB_STEP_SUMMARY=str(project.path / "summary.md"), GITHUB_OUTPUT=str(TMP / "outputs"))
    out = must(done, 1)
    assert sorted(p.name for p in project.path.glob("head*.loopmem")) == [f"head{i}.loopmem" for i in (1, 2, 3)]
    first = "\n".join(out.split("\n")[:8])
    assert out.startswith("loopmem check: REGRESSED  3 of "), out
    assert "baseline c3, 3 runs; head 3 runs" in first, first
    # which of the pools that wait for each other holds most, and in whose phase, is not the same in every run
    assert re.search(r"(train|validate) #\d e\d [\d.]+ MiB \(idle\)", first), first
    assert re.search(r"during (train|validate) e\d", first), first
    assert "idle-pool-retained" in out and "\n  Fix    " in out, out
    assert len(re.findall(r"(?m)^::error title=loopmem%3A total\.", out)) == 3, out
    cases = ET.parse(project.path / "loopmem.xml").getroot().findall(".//testcase/failure")
    assert {case.get("type") for case in cases} == {"regressed"}
    assert "### loopmem check: regressed, 3 of " in (project.path / "summary.md").read_text()
    assert "verdict=regressed" in (TMP / "outputs").read_text()


@tap.claim
def the_failure_that_is_shown_is_what_is_printed():
    shown = re.search(r"(?ms)^```\n(loopmem check: .*?)^```$", (SRC / "docs/ci.md").read_text())[1]
    project = Project("shown", "new")
    (project.path / "loopmem.budget").write_text("loopmem-budget 1\ntotal.idle_retained_bytes_max <= 64 MiB\n")
    subprocess.run([BUILD / "tests/fixtures/reference_session", project.path / "head1.loopmem"], check=True)
    for _ in range(5):
        must(project.run("loopmem check --write-baseline baseline.json --commit 1a2b3c4 head1.loopmem"))
    out = must(project.run("loopmem check head1.loopmem --budget loopmem.budget --baseline baseline.json"), 1)
    assert out == shown, out


def git(path, *arguments):
    subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *arguments], cwd=path, check=True,
                   capture_output=True)


@tap.claim
def base_and_head_in_one_job():
    if not shutil.which("git"):
        raise tap.Skip("git is not installed")
    (TMP / "two").mkdir()
    project = Project("two/checkout", "new")
    git(project.path, "init", "-q", "-b", "main")
    git(project.path, "add", "train.py", "loopmem.budget")
    git(project.path, "commit", "-q", "-m", "base")
    project.order("old")
    git(project.path, "commit", "-q", "-a", "-m", "head")
    done = project.run(SAME_JOB["base against head"])
    out = must(done, 1)
    assert "3 runs; head 3 runs" in out and "regressed    total.idle_retained_bytes_max" in out, out


@tap.claim
def gitlab_checks_reports_and_keeps_a_baseline():
    project = Project("gitlab", "new")
    variables = {"CI_COMMIT_BRANCH": "main", "CI_DEFAULT_BRANCH": "main", "CI_JOB_STATUS": "success",
                 "CI_COMMIT_SHA": "abc"}
    must(project.run(GITLAB["script"], **variables))
    must(project.run(GITLAB["after_script"], **variables))
    assert json.loads((project.path / "baseline.json").read_text())["runs"][0]["commit"] == "abc"
    assert json.loads((project.path / "cq.json").read_text()) == []
    assert ET.parse(project.path / "loopmem.xml").getroot().get("failures") == "0"
    before = (project.path / "baseline.json").read_text()
    must(project.run(GITLAB["after_script"], **{**variables, "CI_COMMIT_BRANCH": "feature"}))
    assert (project.path / "baseline.json").read_text() == before


@tap.claim
def the_pytest_example():
    if not shutil.which("pytest"):
        raise tap.Skip("pytest is not installed")
    project = Project("pytest", "new")
    for text in blocks("python"):
        # the program under test is not a script of Python here: the shim of this test stands for it
        name = "conftest.py" if text.startswith("# conftest.py") else "test_memory.py"
        (project.path / name).write_text(text.replace("sys.executable,", "'python',"))
    done = project.run("pytest -q -p no:cacheprovider")
    must(done)
    assert "1 passed" in done.stdout
    project.order("old --cache-mib=40")  # one idle pool is well above the example's limit
    out = must(project.run("pytest -q -p no:cacheprovider"), 1)
    assert "loopmem check: OVER  1 of 1 rules" in out and "total.idle_retained_bytes_max" in out, out


setup()
tap.run()
