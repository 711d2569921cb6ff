"""Reads the files of sites that the shim writes (inject/sites.h), by hand: a second opinion on the collector's reader."""
import glob
import os
import struct

HEADER = struct.Struct("<QII iI QQQQ QQQ II 5QII 128s")
MODULE, STRING, PYTHON, NATIVE, NODE, SITE = range(1, 7)


class Site:
    """One site: its frames from the leaf, live and allocated bytes and blocks."""

    def __init__(self, frames, pool, counts):
        alloc_bytes, alloc_blocks, free_bytes, free_blocks = counts
        self.frames, self.pool = frames, pool
        self.alloc_bytes, self.alloc_blocks = alloc_bytes, alloc_blocks / 1024
        self.live_bytes, self.live_blocks = alloc_bytes - free_bytes, (alloc_blocks - free_blocks) / 1024

    def python(self):
        return [frame for frame in self.frames if isinstance(frame[2], int) and frame[0] != "native"]


class Sites:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        fields = HEADER.unpack_from(self.data)
        (self.magic, self.version, self.header_bytes, self.pid, self.python_stacks, self.birth_ns, self.mean_bytes,
         self.coarsest_bytes, self.used_bytes, self.samples, self.stackless, self.untracked) = fields[:12]
        self.other = Site([], 0, fields[14:18])
        self.python_objects = fields[13]
        self.python_reason = fields[21].split(b"\0")[0].decode()
        self.modules, self.records, self.sites = {}, {}, []
        self._read()

    def _read(self):
        at = 4096
        while at < self.used_bytes:
            kind, size = self.data[at], 8
            if kind != NODE:
                size, = struct.unpack_from("<I", self.data, at + 4)
            getattr(self, {MODULE: "_module", STRING: "_string", PYTHON: "_python", NATIVE: "_native",
                           NODE: "_node", SITE: "_site"}[kind])(at)
            at += size

    def _module(self, at):
        start, end, bias, path_bytes, id_bytes = struct.unpack_from("<QQQII", self.data, at + 8)
        text = self.data[at + 40:at + 40 + path_bytes].decode()
        self.modules[at] = (text, start, end, bias, self.data[at + 40 + path_bytes:at + 40 + path_bytes + id_bytes])

    def _string(self, at):
        size, = struct.unpack_from("<I", self.data, at + 8)
        self.records[at] = self.data[at + 12:at + 12 + size].decode()

    def _python(self, at):
        function, file, line = struct.unpack_from("<IIi", self.data, at + 8)
        self.records[at] = (self.records[function], self.records[file], line)

    def _native(self, at):
        module, _, address = struct.unpack_from("<IIQ", self.data, at + 8)
        known = self.modules.get(module)
        self.records[at] = ("native", known[0] if known else "", address - (known[3] if known else 0))

    def _node(self, at):
        frame, parent = struct.unpack_from("<II", self.data, at)
        self.records[at] = (parent, self.records[(frame >> 8) * 8])

    def _site(self, at):
        node, pool, _mapped, _, *counts = struct.unpack_from("<IIII4Q", self.data, at + 8)
        frames = []
        while node:
            node, frame = self.records[node]
            frames.append(frame)
        self.sites.append(Site(frames, pool, counts))


def read(directory):
    return [Sites(path) for path in sorted(glob.glob(os.path.join(directory, "*.sites")))]
