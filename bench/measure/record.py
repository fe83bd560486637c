"""Tables, the machine that they were measured on, and the files in bench/record.

A table is {"table", "columns", "rows", "paper", "notes"}: its title, heads of the columns, rows of figures, words or None as wide as the heads; for each
row the paper's row or None, or no "paper" if there is none; what a reader must know. "conditions" state how it was measured: `pfh bench papers`
reads the tables, and judges the papers' claims over their rows. "samples" may hold the values of all runs. A record is {"date", "benchmark", "command", "commit", "machine", "versions", "tables"}."""

import argparse
import datetime
import json
import os
import platform
import re
import resource
import shlex
import subprocess
import sys
import time
from pathlib import Path

from . import turns
from .program import ROOT, version_of

RECORDS = ROOT / "bench/record"


def arguments(name, about, **defaults):
    """A parser with the options that all benchmarks have."""
    parser = argparse.ArgumentParser(prog=f"bench/run {name}", description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pfh", type=Path, help="the program to measure (the release build of this tree, made first)")
    parser.add_argument("--commit", help="what that program was built from")
    parser.add_argument("--rounds", type=int, default=defaults.get("rounds", 5), help="rounds (%(default)s)")
    parser.add_argument("--room", type=Path, default=ROOT / "target/bench", help="where files are made and kept (%(default)s)")
    parser.add_argument("--json", action="store_true", help="a table a line as JSON, in place of Markdown")
    parser.add_argument("--record", metavar="NAME", nargs="?", const="", help="write bench/record/DATE-MACHINE-NAME.json and .md")
    return parser


def parse(parser, words):
    """The arguments; remembers them for the record."""
    said = parser.parse_args(words)
    if said.record is not None and said.pfh and not said.commit:
        parser.error("--record with --pfh needs --commit: what was it built from?")
    if said.rounds < 1:
        parser.error("at least one round is needed")
    said.words, said.load = words, round(os.getloadavg()[0], 1)
    said.room.mkdir(parents=True, exist_ok=True)
    return said


# Seconds below which the start of a program weighs.
SHORT = 0.3


def device_of(path):
    """Whether the device of a path has a moving head: "rotating", "flash", "virtual" for one that a hypervisor or the kernel makes up, or None."""
    number = os.stat(path).st_dev
    place = Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}")
    if not place.exists():
        return None
    whole = place.resolve()
    whole = whole.parent if (whole / "partition").exists() else whole
    # A virtual disk states that it is rotating, on any device.
    if re.match(r"(vd|xvd|loop|zram|nbd|ram)", whole.name):
        return "virtual"
    try:
        return "rotating" if (whole / "queue/rotational").read_text().strip() == "1" else "flash"
    except OSError:
        return None


def processor_seconds():
    """The time, and processor seconds: those of all programs since the machine began, and those of this one and its children."""
    fields = Path("/proc/stat").read_text().splitlines()[0].split()[1:]
    busy = sum(int(field) for at, field in enumerate(fields[:8]) if at not in (3, 4)) / os.sysconf("SC_CLK_TCK")
    mine = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return time.monotonic(), busy, sum(usage.ru_utime + usage.ru_stime for usage in mine)


BEGAN = processor_seconds()


def others():
    """Processors that other programs kept busy while this one ran, the load average does not tell them from our own threads."""
    (start, busy, mine), (now, busy_now, mine_now) = BEGAN, processor_seconds()
    return (busy_now - busy - (mine_now - mine)) / max(now - start, 0.01)


def conditions(cold, place=None, threads=0, rounds=None, least=None):
    """How a table was measured, in the words that `pfh bench papers` knows as causes. `least` is the least time of its rows."""
    here = len(os.sched_getaffinity(0))
    found = ["cold" if cold else "cached"]
    found += [device] if cold and place and (device := device_of(place)) else []
    found += ["SHA instructions"] if {"sha_ni", "sha2"} & set((cpu("flags") or cpu("Features")).split()) else []
    found += ["few processors"] if threads > here else []
    found += ["one round"] if rounds == 1 else []
    found += ["short"] if least is not None and least < SHORT else []
    return found + (["loaded"] if others() > 0.3 else [])


def without_sha(conditions):
    """The conditions of a table whose programs had no SHA instructions."""
    return [word for word in conditions if word != "SHA instructions"]


def has_sha():
    """Whether the processor has them, so that a run without them is another."""
    return "SHA instructions" in conditions(False)


def bars(unit, groups):
    """Bars to draw: {group: {bar: value or None}}."""
    return {"unit": unit, "groups": [{"label": label, "values": [[name, value] for name, value in values.items()]} for label, values in groups.items()]}


def table(title, columns, rows, paper=None, notes=(), samples=None, conditions=(), bars=None):
    """A table; a row that does not fit is a mistake in the benchmark."""
    assert all(len(row) == len(columns) for row in [*rows, *(row for row in paper or [] if row)]), f"{title}: a row does not fit"
    assert paper is None or len(paper) == len(rows), f"{title}: as many rows of the paper as of ours"
    made = {"table": title, "columns": columns, "rows": rows, "paper": paper, "notes": list(notes)}
    made.update({name: value for name, value in (("conditions", list(conditions)), ("bars", bars)) if value})
    return {**made, "samples": samples} if samples else made


def of_runs(title, runs, reference, notes=()):
    """The table of contenders: CPU and wall seconds, ratios of medians to the reference's, peak memory."""
    columns = ["program"]
    for what in ("CPU s", "wall s"):
        columns += [f"{what}, least", "median", "spread", "ratio"]
    rows = []
    for name, some in runs.items():
        row = [name]
        for what in ("cpu", "wall"):
            middle, base = turns.median(some, what), turns.median(runs[reference], what)
            spread = (max(getattr(run, what) for run in some) - turns.least(some, what)) / middle if middle else 0
            row += [round(turns.least(some, what), 3), round(middle, 3), f"{spread:.0%}", round(middle / base, 2) if base else None]
        rows.append([*row, round(max(run.peak for run in some) / 2**20, 1) or None])
    samples = {name: {what: [round(getattr(run, what), 4) for run in some] for what in ("cpu", "wall")} for name, some in runs.items()}
    notes = [f"ratios: of medians, to `{reference}`", *notes]
    return table(title, [*columns, "peak MiB"], rows, notes=notes, samples=samples)


def show(cell):
    return "–" if cell is None else f"{cell:.3f}".rstrip("0").rstrip(".") if isinstance(cell, float) else str(cell)


def markdown(tables):
    """Tables as Markdown, the paper's row below each of ours."""
    out = []
    for one in tables:
        out += [f"## {one['table']}", "", "| " + " | ".join(one["columns"]) + " |"]
        out += ["|---|" + "---:|" * (len(one["columns"]) - 1)]
        for number, row in enumerate(one["rows"]):
            out.append("| " + " | ".join(map(show, row)) + " |")
            theirs = one["paper"] and one["paper"][number]
            if theirs:
                out.append("| " + " | ".join([f"{theirs[0]}, in the paper", *map(show, theirs[1:])]) + " |")
        out += ["", *[f"- {note}" for note in one["notes"]], *([f"- measured {', '.join(one['conditions'])}"] if one.get("conditions") else []), ""]
    return "\n".join(out)


def cpu(what):
    """The value in /proc/cpuinfo for the first processor."""
    values = [line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith(what)]
    return values[0] if values else ""


def machine(load):
    features = {"avx2", "avx512f", "avx512vl", "sha_ni", "ssse3", "sse4_1", "asimd", "sha2", "sha3"}
    return {
        "cpu": cpu("model name") or platform.machine(),
        "features": sorted(set((cpu("flags") or cpu("Features")).split()) & features),
        "processors": len(os.sched_getaffinity(0)),
        "kernel": platform.release().split("-")[0],
        "load_before": load,
        "load_after": round(os.getloadavg()[0], 1),
    }


def finish(name, said, tables, versions=()):
    """Prints the tables, and writes the record if it was asked for. `versions`: the commands that say them."""
    if said.json:
        for one in tables:
            print(json.dumps({key: value for key, value in one.items() if key != "samples"}), flush=True)
    else:
        print(markdown(tables))
    if said.record is None:
        return
    head = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    record = {
        "date": datetime.date.today().isoformat(),
        "benchmark": name,
        # Where files lie on one machine says nothing on another.
        "command": shlex.join(["bench/run", name, *(word.rstrip("/").rsplit("/", 1)[-1] if word.startswith("/") else word for word in said.words)]),
        "commit": said.commit or head,
        "machine": machine(said.load),
        "versions": {str(command[0]).rsplit("/", 1)[-1]: version for command in versions if (version := version_of(command))},
        "tables": tables,
    }
    slug = re.sub(r"[^a-z0-9]+", "-", record["machine"]["cpu"].lower()).strip("-")
    stem = RECORDS / "-".join(filter(None, [record["date"], slug, name, said.record]))
    about, where = record["machine"], f"{record['date']}, {record['machine']['cpu']}"
    lines = [
        f"# {where}: {name}", "",
        f"`{record['command']}` at commit `{record['commit']}`; {about['processors']} processors, Linux {about['kernel']}, load average "
        f"{about['load_before']} before and {about['load_after']} after.", "",
        *[f"- {tool}: {version}" for tool, version in record["versions"].items()], "",
    ]  # fmt: skip
    stem.with_suffix(".json").write_text(json.dumps(record, indent=1) + "\n")
    stem.with_suffix(".md").write_text("\n".join(lines) + markdown(tables))
    print(f"recorded in {stem.relative_to(ROOT)}.json and .md", file=sys.stderr)
