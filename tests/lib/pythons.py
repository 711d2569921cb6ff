"""The CPythons of this machine that the shim knows."""
import glob
import os
import subprocess
import sys

NEWEST = 13


def found():
    """{minor version: path}; each minor once, the running one first."""
    known = {}
    places = glob.glob(os.path.expanduser("~/.pyenv/versions/*/bin/python")) + glob.glob("/usr/bin/python3.*[0-9]")
    for path in [sys.executable, *sorted(places)]:
        probe = subprocess.run([path, "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True, text=True)
        if probe.returncode == 0:
            major, minor = map(int, probe.stdout.split())
            if major == 3 and 8 <= minor <= NEWEST:
                known.setdefault(minor, path)
    return known
