"""What the project weighs: README's two commands in a clean clone, the build by crate, the lines of LLVM code.

    bench/run weight [--only install,tests,change,lines] [--commit-of TREE-ISH] [--record NAME]

Each command is taken from the clone's README as it is printed and runs in a folder that is empty before; crates are fetched first. CPU seconds are of all
processes; by crate they are those of the compiler alone, which bench/measure/rustc.sh notes. `change` touches one job and runs its tests. A machine that
is not idle has other seconds by the clock: the record says so.
"""

import os
import re
import resource
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

from . import record
from .program import ROOT

PARTS = ["install", "tests", "change", "lines"]
# The goals of this tree on two idle processors of 2026 (AMD EPYC): CPU seconds and seconds by the clock.
GOALS = {"install": (325, 175), "test command, build and run": (900, 600), "after a change in one job": (None, 60)}


def command_of(clone, words):
    """README's command that begins with these words, without the remark behind it."""
    found = re.findall(rf"^({words}\b[^#\n]*?) *(?:#.*)?$", (clone / "README.md").read_text(), re.M)
    return found[0] if len(found) == 1 else sys.exit(f"README.md has {len(found)} lines that begin with {words!r}")


def timed(command, clone, notes, **environment):
    """CPU and wall seconds of a command, which may print what it likes."""
    shutil.rmtree(notes, ignore_errors=True)
    notes.mkdir(parents=True)
    cargo = {"CARGO_TARGET_DIR": clone / "target", "RUSTC_WRAPPER": ROOT / "bench/measure/rustc.sh", "PFH_WEIGHT": notes, "CARGO_INSTALL_ROOT": clone / "installed"}
    before, from_ = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(
        command, shell=True, cwd=clone, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, **{name: str(value) for name, value in {**cargo, **environment}.items()}},
    )  # fmt: skip
    wall, after = time.monotonic() - from_, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode:
        sys.exit(f"{command}: exit status {done.returncode}:\n{done.stdout[-3000:]}")
    print(f"  {command:60} {cpu:7.1f} CPU s {wall:7.1f} s", file=sys.stderr, flush=True)
    return cpu, wall


def seconds(notes):
    """{(crate, kind): CPU seconds of the compiler}."""
    found = defaultdict(float)
    for note in (path for path in notes.iterdir() if path.suffix != ".ll"):
        head, _, children = note.read_text().splitlines()
        minutes = re.findall(r"(\d+)m([\d.]+)s", children)
        found[tuple(head.split())] += sum(int(m) * 60 + float(s) for m, s in minutes)
    return found


def by_crate(title, notes):
    """The table of the project's crates, and all others together."""
    rows, others = [], 0.0
    for (name, kind), cpu in sorted(seconds(notes).items(), key=lambda item: -item[1]):
        if name.startswith("pfh") or kind == "test":
            rows.append([name, kind, round(cpu, 1)])
        else:
            others += cpu
    rows.append(["crates of others", None, round(others, 1)])
    return record.table(title, ["crate", "kind", "CPU s"], rows, notes=["of the compiler alone, links included"])


def lines_of(notes):
    """{crate: (lines, functions)} of the LLVM code that was noted."""
    found = {}
    for code in notes.glob("*.ll"):
        lines = functions = 0
        is_body = False
        with code.open(errors="replace") as text:
            for line in text:
                if line.startswith("define "):
                    is_body, functions = True, functions + 1
                elif line.startswith("}"):
                    is_body = False
                elif is_body:
                    lines += 1
        found[code.stem] = (lines, functions)
    return found


def main(words):
    ask = record.arguments("weight", __doc__, rounds=1)
    ask.add_argument("--only", default=",".join(PARTS), help="parts (%(default)s)")
    ask.add_argument("--commit-of", default="HEAD", help="what is cloned (%(default)s)")
    said = record.parse(ask, words)
    only = said.only.split(",")
    clone, notes, tables, rows = said.room / "weight" / "clone", said.room / "weight" / "notes", [], []
    shutil.rmtree(clone, ignore_errors=True)
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    subprocess.run(["git", "checkout", "--quiet", said.commit_of], cwd=clone, check=True)
    subprocess.run(["cargo", "fetch", "--locked", "--quiet"], cwd=clone, check=True)
    install, test = command_of(clone, "cargo install"), command_of(clone, "cargo test")

    def row(name, cpu, wall):
        goal = GOALS.get(name, (None, None))
        rows.append([name, round(cpu, 1), goal[0], round(wall, 1), goal[1]])

    if "install" in only:
        row("install", *timed(install, clone, notes))
        row("size of the program, MB", (clone / "installed/bin/pfh").stat().st_size / 1e6, 0)
        tables.append(by_crate(f"`{install}`, by crate", notes))
        shutil.rmtree(clone / "target", ignore_errors=True)
    if "tests" in only or "change" in only:
        built = timed(f"{test} --no-run", clone, notes)
        tables.append(by_crate(f"`{test}`, its build by crate", notes))
    if "tests" in only:
        run = timed(test, clone, notes)
        row("test command, its build", *built)
        row("test command, its run", *run)
        row("test command, build and run", built[0] + run[0], built[1] + run[1])
    if "change" in only:
        with (clone / "src/bag/mod.rs").open("a") as job:
            job.write("\n// Changed.\n")
        row("after a change in one job", *timed(f"{test} --package pfh --test jobs bag", clone, notes))
    if "lines" in only:
        shutil.rmtree(clone / "target", ignore_errors=True)
        timed(
            "cargo build --release --locked --package pfh-cli", clone, notes, PFH_WEIGHT_LINES=1, CARGO_PROFILE_RELEASE_CODEGEN_UNITS=1, CARGO_INCREMENTAL=0,
        )  # fmt: skip
        lines = sorted(lines_of(notes).items(), key=lambda item: -item[1][0])
        tables.append(record.table("LLVM code of a release build, one unit a crate", ["crate", "lines", "functions"], [[name, *both] for name, both in lines]))
    tables.insert(0, record.table("weight", ["what", "CPU s", "goal", "s by the clock", "goal"], rows))
    record.finish("weight", said, tables, [["rustc", "--version"]])
