"""Runs one program and says what it took."""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent
DROP = Path("/proc/sys/vm/drop_caches")
# What a run that measures something ends with: done, a negative verdict, something unreadable. 2 is a usage error, from 4 on it was broken off.
ANSWERED = (0, 1, 3)

# Features of the processor that a program may use: no SHA instructions, as in the papers' times. OpenSSL, AWS-LC, pfh, Java.
PLAIN = {"OPENSSL_ia32cap": ":~0x20000000", "PFH_ISA": "avx2", "JAVA_TOOL_OPTIONS": "-XX:-UseSHA"}


class Run(NamedTuple):
    """One run of a process and its children."""

    output: bytes  # standard output, and standard error if it was asked for
    user: float  # seconds
    system: float  # seconds
    wall: float  # seconds
    peak: int  # bytes of resident memory; 0 if that is hidden by this program's own, which a child starts with
    faults: int  # pages that were mapped in
    waits: int  # times that a thread gave the processor up, to wait
    preempted: int  # times that one lost it to others

    @property
    def cpu(self):
        return self.user + self.system


def execute(command, *, stdin=None, errors=False, cwd=None, environment=None, before=None, may_fail=False):
    """Runs `command` to its end; one that fails ends the benchmark with its last words. `may_fail`: a status of ANSWERED is an answer
    too, or one of those that it holds.

    The output goes through a file, so that no pipe holds the program up. `before` runs in the child, `environment` is added to ours."""
    room = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryFile(dir=room) as out, tempfile.TemporaryFile(dir=room) as bad:
        source = open(stdin, "rb") if stdin else subprocess.DEVNULL
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = time.perf_counter()
        child = subprocess.Popen(
            [str(word) for word in command], stdin=source, stdout=out, stderr=bad, cwd=cwd, preexec_fn=before,
            env={**os.environ, **(environment or {})},
        )  # fmt: skip
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if stdin:
            source.close()
        out.seek(0), bad.seek(0)
        said = bad.read()
        good = (0,) if not may_fail else ANSWERED if may_fail is True else may_fail
        if child.returncode not in good:
            last = said[-500:].decode(errors="replace").strip()
            sys.exit(f"{' '.join(map(str, command))}: exit status {child.returncode}: {last}")
        output = out.read() + (said if errors else b"")
    peak = usage.ru_maxrss if usage.ru_maxrss > own else 0
    return Run(output, usage.ru_utime, usage.ru_stime, wall, peak * 1024, usage.ru_minflt, usage.ru_nvcsw, usage.ru_nivcsw)


def forget_cache():
    """Empties the page cache."""
    os.sync()
    DROP.write_text("3\n")


def may_forget_cache():
    """Whether this user may; says so if not."""
    if os.access(DROP, os.W_OK):
        return True
    print("the page cache can be emptied by root only: cold measurements are left out", file=sys.stderr)
    return False


def target():
    """Where cargo puts release builds."""
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"


def has_sources():
    """Whether this is a checkout of the project. `pfh bench papers` runs its own copy of these modules anywhere."""
    return (ROOT / "Cargo.toml").is_file()


def build(*packages):
    """Builds with cargo; its lines say how far it is."""
    if not has_sources():
        sys.exit("the project's sources are needed: run this in a checkout")
    subprocess.run(["cargo", "build", "--release", *packages], cwd=ROOT, check=True, stdout=sys.stderr)


def pfh(said):
    """The program to measure: what --pfh names, or the release build of this tree."""
    if said.pfh:
        return Path(said.pfh).resolve()
    build("-p", "pfh-cli")
    return target() / "pfh"


def find(tool):
    """The path of a peer; None with a word about it if it is not installed. B3SUM names b3sum; without one it is built with cargo."""
    path = os.environ.get(tool.upper()) or shutil.which(tool)
    if not path and tool == "b3sum":
        peers = target().parent / "peers"
        if not (peers / "bin/b3sum").exists():
            subprocess.run(["cargo", "install", "--quiet", "--locked", "--root", peers, "b3sum"], cwd=ROOT)
        path = peers / "bin/b3sum" if (peers / "bin/b3sum").exists() else None
    if not path:
        print(f"{tool} is not installed: left out", file=sys.stderr)
    return path


def version_of(command):
    """The first line that a program says of itself, or None."""
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    except OSError:
        return None
    lines = (done.stdout or done.stderr).splitlines()
    return lines[0].strip() if lines else None


def xargs(folder, command, processes=1):
    """`command` over all files of a folder, so many processes at a time."""
    return ["sh", "-c", f'find "$1" -type f -print0 | xargs -0 -P {processes} {command}', "sh", folder]
