"""Disks that are read and written no faster than their rates: tests/inject/examples/disks.rs. Sources have known bytes and targets are compared while they are written,
so that a copy of any size needs no room."""

import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from .program import ROOT


class Disk(NamedTuple):
    name: str
    source: int  # the number of the source whose bytes it has, or is to have
    length: int  # bytes
    rate: float  # bytes a second
    is_target: bool = False

    def word(self):
        return f"{'+' if self.is_target else ''}{self.name}:{self.source}:{self.length}:{self.rate}"


def program():
    """The example, built."""
    if not (ROOT / "tests/inject").is_dir():
        sys.exit("needs a checkout of the project: the disks are part of its test kit")
    build = ["cargo", "build", "--manifest-path", ROOT / "Cargo.toml", "-p", "pfh-inject", "--example", "disks", "--message-format", "json"]
    lines = map(json.loads, subprocess.run(build, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.splitlines())
    return next(line["executable"] for line in lines if line.get("executable"))


class Disks:
    """Mounted disks: `disks / name` is the path of one."""

    def __init__(self, disks):
        self.process = subprocess.Popen([program(), *(disk.word() for disk in disks)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.place = self.process.stdout.readline().strip()
        if not self.place:
            sys.exit("the disks could not be mounted: they need FUSE")

    def __truediv__(self, name):
        return Path(self.place) / name

    def copies(self):
        """The names of the targets that are whole copies of their sources; all targets are empty then."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return set(self.process.stdout.readline().split())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()
