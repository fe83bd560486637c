"""Files on a device that the test kit models, behind a link that stays the same: tests/inject/examples/device.rs."""

import json
import subprocess
import sys

from .program import ROOT

KINDS = {
    "spindle": "a rotating disk that does not say that it rotates: 7,200 turns a minute, 8.5 ms average seek, 120 MB/s, files at random places of 250 GB",
    "ssd": "100 µs for a read, 32 at a time",
    "network": "2 ms for a read, 16 at a time",
    "warm": "files in the page cache",
}


class Device:
    """A device of one kind, whose files are below `link`. `fresh()` mounts it again with an empty cache."""

    def __init__(self, kind, count, kib, room):
        if not (ROOT / "tests/inject").is_dir():
            sys.exit("needs a checkout of the project: the devices are part of its test kit")
        self.words, self.link, self.process = [kind, str(count), str(kib)], room / f"device-{kind}", None
        build = ["cargo", "build", "--manifest-path", ROOT / "Cargo.toml", "-p", "pfh-inject", "--example", "device", "--message-format", "json"]
        lines = map(json.loads, subprocess.run(build, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.splitlines())
        self.program = next(line["executable"] for line in lines if line.get("executable"))

    def fresh(self):
        self.close()
        self.process = subprocess.Popen([self.program, *self.words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        place = self.process.stdout.readline().strip()
        if not place:
            sys.exit("the device could not be mounted: it needs FUSE")
        self.link.symlink_to(place)

    def close(self):
        self.link.unlink(missing_ok=True)
        if self.process:
            self.process.stdin.close()
            self.process.wait()
            self.process = None
