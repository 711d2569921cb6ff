"""The tests of the hook and of the callback under Lightning, once more with an older one of it."""
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
OLDER = pathlib.Path(os.environ["VENV"]) / "older"
VERSION = re.search(r"lightning==(\S+)", (HERE / "requirements-older.txt").read_text()).group(1)


def results(name):
    """The lines of TAP of a test that finds the older Lightning first, without their numbers."""
    path = f"{OLDER}:{os.environ['PYTHONPATH']}"
    done = subprocess.run([sys.executable, str(HERE / name)], text=True, stdout=subprocess.PIPE,
                          env={**os.environ, "PYTHONPATH": path, "OLDER_LIGHTNING": VERSION})
    lines = [re.sub(r"^((?:not )?ok) \d+ - ", r"\1 - ", line) for line in done.stdout.splitlines()]
    lines = [line for line in lines if not re.match(r"1\.\.\d", line)]
    if done.returncode and not any(line.startswith("not ok") for line in lines):
        lines.append(f"not ok - {name} broke off (status {done.returncode})")
    return lines


def main():
    if not OLDER.is_dir():
        print(f"lightning {VERSION} is not in {OLDER}: mk/venv.sh puts it there")
        return 77
    lines = results("test_callback.py") + results("test_hook_lightning.py")
    print("\n".join(lines))
    print(f"1..{sum(line.startswith(('ok', 'not ok')) for line in lines)}")
    return any(line.startswith("not ok") for line in lines)


sys.exit(main())
