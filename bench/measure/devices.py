"""`pfh hash` and `pfh check` in every mode on modelled devices, beside the programs that people have.

    bench/run devices [--devices spindle,ssd,network,warm] [--hashes md5,sha256,ssdeep,sdhash,mrsh-v2] [--count N] [--kib 419] [--rounds 5]

Each run of a cold device has a fresh mount. The contenders take turns; digests must be equal before a time counts, and each check must find every file right. The last
table has the default beside the best of all others: the goal is 3 % at most. Needs FUSE. The originals of sdhash and mrsh-v2 are built from source.
"""

import sys
from pathlib import Path

from . import record, turns
from .answers import lines, mrsh, ssdeep, sums
from .device import KINDS, Device
from .originals import SOURCES, original
from .program import execute, find, pfh
from .turns import Contender, take_turns

MODES = {
    "default": [],
    "-p 1": ["-p", "1"],
    "--mode smt": ["--mode", "smt"],
    "--mode mtp -p 1": ["--mode", "mtp", "-p", "1"],
}
# The original programs, what reads their output, and pfh's words for the same output.
PEERS = {
    "md5": ("md5sum", "md5sum *", sums, ""),
    "sha256": ("sha256sum", "sha256sum *", sums, ""),
    "ssdeep": ("ssdeep", "ssdeep -bs *", ssdeep, "-f ssdeep"),
    "sdhash": ("sdhash", "sdhash *", lines, "-f sdbf"),
    "mrsh-v2": ("mrsh", "mrsh *", mrsh, "-f mrsh"),
}


def inside(link, command, *words):
    """A shell command in the folder of the device; `$1` and `$2` are the words."""
    return ["sh", "-c", f'cd "$0" && {command}', link, *words]


def contenders(program, link, name, check):
    """Those that hash, or those that check the list beside the link."""
    is_similarity = name in ("ssdeep", "sdhash", "mrsh-v2")
    tool, theirs, answers, form = PEERS[name]
    own = []
    for mode, words in MODES.items():
        line = f'"$1" check -q {" ".join(words)} "$2"' if check else f'"$1" hash --no-progress -a {name} {form} {" ".join(words)} *'
        own.append(Contender(mode, inside(link, line, program, link.with_name("list")), None if check else answers, may_fail=is_similarity))
    path = original(tool) if tool in SOURCES else find(tool)
    if path:
        line = f'{tool} -c --quiet "$2"' if check else theirs.replace(tool, f"'{path}'", 1)
        own.append(Contender(tool, inside(link, line, program, link.with_name("list")), None if check else answers, may_fail=is_similarity))
    return own


def main(words):
    ask = record.arguments("devices", __doc__, rounds=5)
    ask.add_argument("--devices", default=",".join(KINDS), help="which (%(default)s)")
    ask.add_argument("--hashes", default=",".join(PEERS), help="which (%(default)s)")
    ask.add_argument("--count", type=int, help="files (120 on a rotating disk, else 400)")
    ask.add_argument("--kib", type=int, default=419, help="their mean size (%(default)s)")
    said = record.parse(ask, words)
    program, tables, all_runs = pfh(said), [], []
    for kind in said.devices.split(","):
        # Files that were read a moment ago on a device without seeks.
        count = said.count or (120 if kind == "spindle" else 400)
        device = Device("ssd" if kind == "warm" else kind, count, said.kib, Path(said.room).resolve())
        device.fresh()
        rows = []
        try:
            for name in said.hashes.split(","):
                for check in (False, True)[: 1 + (name in ("md5", "sha256"))]:
                    if check:
                        listed = execute(inside(device.link, f'"$1" hash --no-progress -a {name} *', program)).output
                        device.link.with_name("list").write_bytes(listed)
                    runs = take_turns(contenders(program, device.link, name, check), said.rounds, (lambda: None) if kind == "warm" else device.fresh)
                    title = f"check, {name}" if check else name
                    best, default = min(turns.least(some, "wall") for some in runs.values()), turns.least(runs["default"], "wall")
                    rows.append([title, *(round(turns.least(runs[mode], "wall"), 3) for mode in MODES), round(turns.least(runs[PEERS[name][0]], "wall"), 3) if PEERS[name][0] in runs else None, f"{default / best - 1:+.0%}"])
                    all_runs += [run.wall for some in runs.values() for run in some]
                    print(f"{kind}, {title}: {rows[-1]}", file=sys.stderr, flush=True)
        finally:
            device.close()
        notes = [f"{KINDS[kind]}; {count} files of {said.kib} KiB on average; seconds by the clock, least of {said.rounds}"]
        tables.append(record.table(kind, ["job", *MODES, "original", "default to the best"], rows, notes=notes, conditions=record.conditions(kind != "warm", rounds=said.rounds)))
    record.finish("devices", said, tables, [[program, "--version"]])
