"""Memory cgroups for tests: a real one where it can be made, or the files of one, written by the test, where a mount namespace can."""
import itertools
import os
import subprocess

import tap
from profiled import TMP, until

CGROUPS = "/sys/fs/cgroup/memory"
_numbers = itertools.count()


def own_cgroup(limit=None):
    """The directory of a new memory cgroup (version 1)."""
    directory = f"{CGROUPS}/loopmem-test-{os.getpid()}-{next(_numbers)}"
    try:
        os.mkdir(directory)
        with open(f"{directory}/memory.use_hierarchy") as f:
            f.read()
    except OSError as why:
        raise tap.Skip(f"no memory cgroup can be made here: {why}")
    for name in ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes") if limit else ():
        if os.path.exists(f"{directory}/{name}"):
            with open(f"{directory}/{name}", "w") as f:
                f.write(str(limit))
    return directory


def run(*command, limit=None):
    """To its end, in a cgroup of its own."""
    directory = own_cgroup(limit)
    script = f'echo $$ > {directory}/cgroup.procs; exec "$@"'
    try:
        return subprocess.run(["sh", "-c", script, "sh", *command], capture_output=True, text=True, timeout=120, cwd=TMP)
    finally:
        until(lambda: not os.system(f"rmdir {directory} 2>/dev/null"), "the cgroup to be empty")


def where():
    """(directory of this process's memory cgroup, version), or a skip."""
    with open("/proc/self/cgroup") as f:
        names = [line.rstrip("\n").split(":", 2) for line in f]
    with open("/proc/self/mountinfo") as f:
        mounts = [line.split() for line in f]
    for version, kind in ((1, "cgroup"), (2, "cgroup2")):
        name = [path for _, controllers, path in names
                if ("memory" in controllers.split(",") if version == 1 else controllers == "")]
        for fields in mounts if name else ():
            dash = fields.index("-")
            if fields[dash + 1] != kind or (version == 1 and "memory" not in fields[dash + 3].split(",")):
                continue
            root, point = fields[3], fields[4]
            below = name[0] if root == "/" else name[0][len(root):] if name[0].startswith(root) else ""
            return point + (below if below != "/" else ""), version
    raise tap.Skip("no memory cgroup here")


class Files:
    """The files of a cgroup with a limit, as plain files."""

    def __init__(self, directory, limit):
        self.place, version = where()
        self.directory, self.limit = directory, limit
        self.current, self.max, self.events = (
            ("memory.usage_in_bytes", "memory.limit_in_bytes", "memory.oom_control") if version == 1 else
            ("memory.current", "memory.max", "memory.events"))
        os.makedirs(directory)
        self.write(self.current, limit // 2)
        self.write(self.max, limit)
        self.write("memory.stat", f"hierarchical_memory_limit {limit}\nanon 0\nfile 0\nshmem 0")
        self.write("cgroup.procs", "")
        self.kills(0)

    def write(self, name, text):
        with open(f"{self.directory}/{name}", "w") as f:
            f.write(f"{text}\n")

    def kills(self, count):
        """As the kernel does after it killed."""
        self.write(self.events, f"oom_kill {count}")

    def around(self, *command):
        """The command in a mount namespace where they lie in the place of the real ones."""
        script = 'mount --bind "$1" "$2" || exit 77; shift 2; exec "$@"'
        return ["unshare", "-Urm", "sh", "-c", script, "sh", self.directory, self.place, *command]
