"""The CPythons of this machine, for tests that hold for each of them."""
import os
import pathlib
import subprocess
import sys

OLDEST, NEWEST = (3, 8), (3, 15)  # that the shim knows


def version(python):
    try:
        text = subprocess.run([python, "-c", "import sys; print(*sys.version_info[:2])"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        return tuple(map(int, text.split()))
    except (OSError, ValueError):
        return None


def found():
    """{(3, 11): path}: one of each minor version: the one that runs this, pyenv's, those in PATH."""
    home = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv"))
    names = [f"python3.{minor}" for minor in range(40)]
    folders = [pathlib.Path(f) for f in os.environ.get("PATH", "").split(":")
               if f and "shims" not in f]
    candidates = [sys.executable, *sorted(home.glob("versions/*/bin/python3")),
                  *(folder / name for folder in folders for name in names)]
    by_version = {}
    for path in candidates:
        number = os.access(path, os.X_OK) and version(path)
        if number and number >= (3,):
            by_version.setdefault(number, str(path))
    return by_version


def supported():
    return {n: path for n, path in sorted(found().items()) if OLDEST <= n <= NEWEST}
