"""The tables of "Reducing time cost in hashing operations" (Breitinger & Petrov, 2013), row by row, with the paper's own commands.

    bench/run similarity --corpus DIR [--rounds N] [--only TABLE …] [--full] [--json] [--record]

    I    one file of 500 MiB: each hash, one thread, user time
    III  ssdeep, two threads, cold: the original, SMT, MTP         IV   the same for five hashes
    V    FULL mode: each against each, hashing included, cold      VI   threads, cold          VII  threads, cached
    VIII memory of the table, cold                                 IX   prefetchers, cold
    X    two workstations and the projection of Table XI, with ssdeep
    XII  other tools: ppss, GNU parallel, cold                     XIII 16 files of 1.2 GB (32 MB without --full), cold

Beside each of the paper's rows stands the adaptive mode, which the paper does not have. SMT is `-p 0`; the paper built a program of its own for it. Cold tables
need root. A row whose processors the machine has not (8) runs as printed and is marked. The originals of mrsh-v2 and sdhash are built from source. ppss is in
no distribution: `PPSS` below copies in 15 lines the cause of its slowness, a state in text files. Digests are compared before a time counts.
"""

import json
import os
import resource
import sys
from pathlib import Path
from typing import NamedTuple, Optional

from . import answers, record, turns
from .files import noise
from .originals import SOURCES
from .originals import original as from_source
from .program import PLAIN, execute, find, forget_cache, may_forget_cache, pfh, xargs
from .turns import Contender, take_turns

# Seconds as printed: {table: {row: seconds}}. The first row of a table is its 100 %.
PRINTED = {
    "I": {"sha1": 2.33, "md5": 1.35, "mrsh-v2": 5.23, "ssdeep": 6.48, "sdhash": 22.82},
    "III": {"original": 83.67, "SMT": 69.05, "MTP": 52.19},
    "IV original": {"md5": 51.65, "sha1": 52.35, "mrsh-v2": 75.61, "ssdeep": 83.67, "sdhash": 145.38},
    "IV MTP": {"md5": 51.74, "sha1": 51.64, "mrsh-v2": 51.79, "ssdeep": 52.19, "sdhash": 89.09},
    "V": {"ssdeep": 119.21, "MTP (ssdeep)": 68.34, "sdhash": None, "MTP (sdhash)": 186.56},
    "VI": {("mrsh", "SMT"): (64.03, 66.39, 67.14), ("mrsh", "MTP"): (51.79, 51.81, 52.02),
           ("sdhash", "SMT"): (89.33, 72.03, 68.14), ("sdhash", "MTP"): (89.09, 51.90, 52.08)},
    "VII": {("mrsh", "SMT"): (10.15, 5.30, 2.92), ("mrsh", "MTP"): (17.68, 6.23, 2.90),
            ("sdhash", "SMT"): (48.42, 24.98, 11.83), ("sdhash", "MTP"): (88.15, 31.12, 15.07)},
    "VIII": {"SMT": (66.36, 66.39, 66.20), "MTP": (51.62, 51.81, 51.72)},
    "IX": {1: 52.05, 2: 60.09},
    "XII": {"original": 83.67, "ppss": 337.11, "parallel": 69.81, "SMT": 67.55, "MTP": 52.04},
    "XIII": {"ssdeep": 264.0, "ppss": 342.0},
}  # fmt: skip
# Relative times as printed; where a table has none, none are shown as the paper's.
RELATIVE = {
    "I": {"sha1": "1.00", "md5": "0.58", "mrsh-v2": "2.24", "ssdeep": "2.78", "sdhash": "9.78"},
    "III": {"original": "100.00%", "SMT": "82.52%", "MTP": "62.37%"},
    "V": {"ssdeep": "100.00%", "MTP (ssdeep)": "57.33%"},
    "IX": {"-p 1": "100.00%", "-p 2": "115.44%"},
    "XII": {"original": "100.00%", "ppss": "402.90%", "parallel": "83.43%", "SMT": "80.73%", "MTP": "62.20%"},
    "XIII": {"ssdeep": "100%", "ppss": "129%"},
}
ORIGINALS = {"sha1": "sha1sum", "md5": "md5sum", "ssdeep": "ssdeep -s", "sdhash": "sdhash", "mrsh-v2": "mrsh"}

# As ppss works: a state in text files, and a lock that is a directory. $1 the tree, $2 processes, $3 the program.
PPSS = r"""
state=$(mktemp -d); find "$1" -type f > "$state/queue"; echo 0 > "$state/next"
worker() {
    while :; do
        until mkdir "$state/lock" 2>/dev/null; do sleep .001; done
        read -r next < "$state/next"; echo $((next + 1)) > "$state/next"; rmdir "$state/lock"
        file=$(sed -n "$((next + 1))p" "$state/queue"); [ -n "$file" ] || return 0
        $3 "$file" > "$state/out.$next" 2> "$state/err.$next"; echo done >> "$state/log"
    done
}
i=0; while [ $i -lt "$2" ]; do worker "$@" & i=$((i + 1)); done; wait; rm -r "$state"
"""


class Row(NamedTuple):
    """A row of a table: its name, the printed time, the contender that runs here or the reason why none does."""

    name: str
    printed: Optional[float]
    contender: Optional[Contender] = None
    remark: str = ""


def ours(program, words, corpus, name, mode):
    """A contender in the paper's own form: SMT by -p 0, MTP as printed; or the modern form's adaptive mode."""
    # The paper's corpus is one directory; ours may have more.
    words = [*words, *(["-r"] if any(path.is_dir() for path in corpus.iterdir()) else [])]
    if mode == "SMT":
        words = [*words, "-p", "0"]
    if mode == "MTP" and "-p" not in words:
        words = [*words, "-p", "1"]
    return Contender(name, [program, *words], None if "full" in words else answers.lines, may_fail=True)


def adaptive(program, corpus, algorithm, threads, memory=None, compare=False):
    words = ["compare" if compare else "hash", "--no-progress", "-r", "-a", algorithm, "--threads" if compare else "-t", str(threads)]
    own = {"ssdeep": ["-f", "ssdeep"], "mrsh-v2": ["-f", "mrsh"], "sdhash": ["-f", "sdbf"]}.get(algorithm, [])
    memory = ["-m", f"{memory}MB"] if memory else []
    return Contender("adaptive", [program, *words, *([] if compare else own), *memory, corpus], None if compare else answers.lines, may_fail=True)


def processors(threads):
    has = len(os.sched_getaffinity(0))
    return f"{threads} threads on {has} processors" if threads > has else ""


def command_of(contender):
    """The command as a user types it."""
    program, *words = map(str, contender.command)
    if program in ("sh", "bash"):
        # A script of ours, its name, then its operands.
        at = next(at for at, word in enumerate(words) if not word.startswith("-"))
        script, operands = words[at], words[at + 2 :]
        return " ".join([" ".join(script.split()).replace('"$1"', operands[0]) if len(script) < 200 else "PPSS", *operands[1 if len(script) < 200 else 0 :]])
    return " ".join([Path(program).name, *words])


def run_all(rows, said, cold):
    """{row: [Run]} of the rows that have something to run, in turns."""
    contenders = [row.contender for row in rows if row.contender]
    assert len({contender.name for contender in contenders}) == len(contenders)
    if not cold and contenders:
        execute(contenders[0].command, may_fail=True)
    return take_turns(contenders, said.rounds, forget_cache if cold else lambda: None)


# What a run counted beside its time: heads of columns, fields of a Run, and the size of their unit.
SWITCHES = {"waits": ("waits", 1), "preempted": ("preempted", 1)}
MEMORY = {"peak MiB": ("peak", 1 << 20), "page faults": ("faults", 1)}


def counted(runs, field, unit):
    """The median of a count. A peak that this program's own hides is shown as that: it is no higher."""
    middle = turns.median(runs, field)
    if field == "peak" and not middle:
        middle = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return round(middle / unit, 1 if unit > 1 else None)


def tabulate(title, groups, said, cold, threads, printed=None, notes=(), place=None, counts=None):
    """The table: theirs as printed and ours, in seconds. `groups` are rows with their runs; each group is relative to its own first row; `counts` are
    medians of what the runs counted."""
    made, shown, here = [], {}, {}
    for rows, runs in groups:
        base = rows[0].contender and turns.least(runs[rows[0].contender.name], "wall")
        for row in rows:
            theirs = [row.printed, (printed or {}).get(row.name)]
            if row.contender:
                seconds = turns.least(runs[row.contender.name], "wall")
                relative = f"{seconds / base:.0%}" if base else None
                some = runs[row.contender.name]
                mine = [round(seconds, 3), relative, round(turns.least(some, "cpu"), 3)]
                mine += [counted(some, field, unit) for field, unit in (counts or {}).values()]
                what, here[row.name] = f"`{command_of(row.contender)}`", round(seconds, 3)
                shown[row.name] = row.printed
            else:
                mine, what = [None] * (3 + len(counts or {})), "not run"
            made.append([row.name, *theirs, *mine, "; ".join(filter(None, [what, row.remark]))])
    columns = ["row", "paper, s", "relative, printed", "here, s", "relative", "here, CPU s", *(counts or {}), "what was run here"]
    notes = [f"{'cold' if cold else 'cached'}; seconds of the clock, least of {said.rounds} rounds; relative to the original, or to the first row", *notes]
    groups = {"paper": {name: value for name, value in shown.items() if value}, "here": here}
    return record.table(f"pfh {title}", columns, made, notes=notes, conditions=record.conditions(cold, place or said.corpus, threads, said.rounds, min(here.values(), default=None)), bars=record.bars("s", groups))


def measure(title, rows, said, cold, threads, printed=None, notes=(), place=None, counts=None):
    return tabulate(title, [(rows, run_all(rows, said, cold))], said, cold, threads, printed, notes, place, counts)


def original(name, printed, corpus, algorithm):
    """The original program one process after the other, if it is here."""
    words = of_original(algorithm)
    if not words:
        return Row(name, printed, remark=f"{ORIGINALS[algorithm].split()[0]} is not installed")
    # The sums' output has other markers than pfh's, and mrsh counts filters otherwise; the lines of the others are the same.
    return Row(name, printed, Contender(name, xargs(corpus, words), answers.lines if algorithm in ("ssdeep", "sdhash") else None, may_fail=True))


def of_original(algorithm):
    """The command line of an original program without files; None where it is not here."""
    tool, *words = ORIGINALS[algorithm].split()
    path = from_source(tool) if tool in SOURCES else find(tool)
    return " ".join([str(path), *words]) if path else None


def table_i(said, program):
    file = said.room / "random-500"
    if not file.exists() or file.stat().st_size != 500 << 20:
        noise(file, 500 << 20)
    ways = {"": {}, **({"without SHA instructions": PLAIN} if record.has_sha() else {})}
    return [table_of_one_file(said, program, file, way, environment) for way, environment in ways.items()]


def table_of_one_file(said, program, file, way, environment):
    """Table I, with the features of the processor that the environment allows."""
    rows, printed, contenders = [], PRINTED["I"], []
    for algorithm in printed:
        contenders.append(Contender(f"pfh {algorithm}", [program, "hash", "--no-progress", "-t", "1", "-a", algorithm, file], environment=environment))
        words = of_original(algorithm)
        if words:
            contenders.append(Contender(f"original {algorithm}", [*words.split(), file], environment=environment))
    runs = take_turns(contenders, said.rounds)
    user = {name: turns.least(some, "user") for name, some in runs.items()}
    for algorithm, seconds in printed.items():
        theirs = user.get(f"original {algorithm}")
        here = user[f"pfh {algorithm}"]
        relative = lambda value, base: value and base and round(value / base, 2)
        rows.append([algorithm, seconds, RELATIVE["I"][algorithm], theirs and round(theirs, 3),
                     relative(theirs, user.get("original sha1")), round(here, 3), relative(here, user["pfh sha1"])])  # fmt: skip
    columns = ["hash", "paper, s", "relative, printed", "original here, s", "relative", "pfh here, s", "relative"]
    notes = [f"user time, least of {said.rounds} rounds, a file of 500 MiB of random bytes; relative to SHA-1"]
    notes += [f"PFH_ISA={PLAIN['PFH_ISA']} for pfh, OPENSSL_ia32cap for originals that call OpenSSL"] if way else []
    conditions = record.conditions(False, rounds=said.rounds)
    title = f"{way + ': ' if way else ''}pfh Table I: one file of 500 MiB"
    return record.table(title, columns, rows, notes=notes, conditions=record.without_sha(conditions) if way else conditions)


def modes(program, corpus, words, algorithm, threads, memory=None):
    """Rows of SMT, MTP and adaptive for the paper's command `words`."""
    remark = processors(threads)
    yield "SMT", ours(program, words, corpus, "SMT", "SMT"), remark
    yield "MTP", ours(program, words, corpus, "MTP", "MTP"), remark
    yield "adaptive", adaptive(program, corpus, algorithm, threads, memory), remark


def table_iii(said, program):
    printed = PRINTED["III"]
    rows = [original("original", printed["original"], said.corpus, "ssdeep")]
    words = ["-d", said.corpus, "-t", "2", "-h", "ssdeep"]
    rows += [Row(name, printed.get(name), run, remark) for name, run, remark in modes(program, said.corpus, words, "ssdeep", 2)]
    return [measure("Table III: ssdeep over the corpus", rows, said, True, 2, RELATIVE["III"])]


def table_iv(said, program):
    groups = []
    for algorithm, seconds in PRINTED["IV original"].items():
        first = original(f"original {algorithm}", seconds, said.corpus, algorithm)
        words = ["-d", said.corpus, "-t", "2", "-h", algorithm]
        printed = {"MTP": PRINTED["IV MTP"][algorithm]}
        runs = modes(program, said.corpus, words, algorithm, 2)
        rows = [first, *(Row(f"{name} {algorithm}", printed.get(name), run._replace(name=f"{name} {algorithm}"), remark) for name, run, remark in runs)]
        groups.append((rows, run_all(rows, said, True)))
    return [tabulate("Table IV: the five hashes over the corpus", groups, said, True, 2, notes=["the paper prints no relative times and no row of SMT"])]


def table_v(said, program):
    tables = []
    for algorithm in ("ssdeep", "sdhash"):
        printed = PRINTED["V"]
        words = ["-c", "full", "-d", said.corpus, "-t", "8", "-m", "128", "-h", algorithm]
        if algorithm == "ssdeep" and find("ssdeep"):
            rows = [Row("ssdeep", printed["ssdeep"], Contender("ssdeep", ["ssdeep", "-s", "-d", "-r", said.corpus], may_fail=True))]
        else:
            path = from_source("sdhash") if algorithm == "sdhash" else None
            run = Contender(algorithm, [path, "-r", "-g", "-p", "2", said.corpus], may_fail=True) if path else None
            rows = [Row(algorithm, printed[algorithm], run, "over 69 minutes in the paper, stopped" if algorithm == "sdhash" else "not installed")]
        rows += [
            Row(f"{mode} ({algorithm})", printed.get(f"{mode} ({algorithm})"), ours(program, words, said.corpus, mode, mode), processors(8))
            for mode in ("SMT", "MTP")
        ]
        rows.append(Row("adaptive", None, adaptive(program, said.corpus, algorithm, 8, 128, compare=True), processors(8)))
        tables.append(measure(f"Table V: FULL mode, {algorithm}", rows, said, True, 8, RELATIVE["V"]))
    return tables


def threads(said, program, name):
    tables, cold = [], name == "VI"
    for short, algorithm in (("mrsh", "mrsh-v2"), ("sdhash", "sdhash")):
        rows = []
        for at, count in enumerate((2, 4, 8)):
            words = ["-h", short, "-c", "hash", "-d", said.corpus, "-m", "256", "-t", str(count)]
            for mode, run, remark in modes(program, said.corpus, words, algorithm, count, 256):
                row = f"{mode}, -t {count}"
                printed = PRINTED[name].get((short, mode))
                rows.append(Row(row, printed and printed[at], run._replace(name=row), remark))
        notes = ["waits: times that a thread gave its processor up; preempted: that it lost it to others; medians (getrusage)"]
        tables.append(measure(f"Table {name}: threads, {short}", rows, said, cold, 8, notes=notes, counts=SWITCHES))
    return tables


def table_viii(said, program):
    rows = []
    for at, memory in enumerate((128, 256, 512)):
        words = ["-h", "mrsh", "-c", "hash", "-d", said.corpus, "-m", str(memory), "-t", "4"]
        for mode, run, remark in modes(program, said.corpus, words, "mrsh-v2", 4, memory):
            row, printed = f"{mode}, -m {memory}", PRINTED["VIII"].get(mode)
            rows.append(Row(row, printed and printed[at], run._replace(name=row), remark))
    notes = ["peak and page faults: resident memory and pages that were mapped in, medians (getrusage): a larger table can cost time by these alone; a peak below the bench's own is shown as that"]
    return [measure("Table VIII: memory of the table, mrsh", rows, said, True, 4, notes=notes, counts=MEMORY)]


def table_ix(said, program):
    rows = []
    for count, printed in PRINTED["IX"].items():
        words = ["-t", "8", "-c", "hash", "-d", said.corpus, "-h", "md5", *(["-p", "2"] if count == 2 else [])]
        rows.append(Row(f"-p {count}", printed, ours(program, words, said.corpus, f"-p {count}", "MTP"), processors(8)))
    rows.append(Row("adaptive", None, adaptive(program, said.corpus, "md5", 8), processors(8)))
    return [measure("Table IX: prefetchers, md5", rows, said, True, 8, RELATIVE["IX"])]


def table_x(said, program):
    """The projection: theirs from their rates, ours by `pfh bench forecast`."""
    rows = []
    for preset, system in (("pfh-mac", "Mac OSX, 100.92GB, 322,531 files"), ("pfh-windows", "Windows 7, 36.55GB, 139,303 files")):
        command = [program, "bench", "forecast", "--preset", preset, "--sample", "256MiB", "--rounds", str(max(2, said.rounds)), "--json"]
        found = json.loads(execute(command).output)
        line = found["lines"][0]
        cold = line["takes_cold"] or line["takes_warm"]
        rows.append([system, *(row["text"] for row in found["printed"]), f"{cold['seconds']:.0f} s ({cold['low']:.0f} to {cold['high']:.0f})"])
    columns = ["workstation", "paper, stand-alone", "paper, SMT", "paper, MTP", "pfh here, cold (95 %)"]
    notes = ["the paper's from 59.363, 43.827 and 33.718 seconds a GB, which both of its rows follow; the averages are 328.08KB and 275.13KB a file"]
    return [record.table("pfh Tables X and XI: projected time with ssdeep", columns, rows, notes=notes)]


STAND_IN = "GNU parallel is not installed: xargs -P 2 -n 1"


def ppss(tree, count, words):
    return ["bash", "-c", PPSS, "bash", tree, str(count), words]


def table_xii(said, program):
    printed, rows = PRINTED["XII"], [original("original", PRINTED["XII"]["original"], said.corpus, "ssdeep")]
    if find("ssdeep"):
        rows.append(Row("ppss", printed["ppss"], Contender("ppss", ppss(said.corpus, 8, "ssdeep -s")), f"an equivalent of ours; {processors(8)}"))
        if find("parallel"):
            script = 'find "$1" -type f -print0 | parallel --will-cite -0 ssdeep -s'
            rows.append(Row("parallel", printed["parallel"], Contender("parallel", ["sh", "-c", script, "sh", said.corpus])))
        else:
            rows.append(Row("parallel", printed["parallel"], Contender("parallel", xargs(said.corpus, "-n 1 ssdeep -s", 2)), STAND_IN))
    words = ["-t", "8", "-c", "hash", "-d", said.corpus, "-h", "ssdeep"]
    rows += [Row(name, printed.get(name), run, remark) for name, run, remark in modes(program, said.corpus, words, "ssdeep", 8)]
    table = measure("Table XII: other tools, ssdeep", rows, said, True, 8, RELATIVE["XII"])
    table["conditions"] += ["stand-in"] if any(row.remark == STAND_IN for row in rows) else []
    return [table]


def table_xiii(said, program):
    tree, size = said.room / ("large" if said.full else "medium"), 1_200_000_000 if said.full else 32_000_000
    tree.mkdir(exist_ok=True)
    for number in range(16):
        if not (tree / f"{number:02}").exists():
            noise(tree / f"{number:02}", size)
    printed, rows = PRINTED["XIII"], []
    if find("ssdeep"):
        rows.append(Row("ssdeep", printed["ssdeep"], Contender("ssdeep", ["ssdeep", "-s", "-r", tree])))
        rows.append(Row("ppss", printed["ppss"], Contender("ppss", ppss(tree, 8, "ssdeep -s")), f"an equivalent of ours; {processors(8)}"))
    words = ["-t", "8", "-c", "hash", "-d", tree, "-h", "ssdeep"]
    rows += [Row(name, None, run, remark) for name, run, remark in modes(program, tree, words, "ssdeep", 8)]
    notes = [f"16 files of {size / 1e9:g} GB, random bytes" + ("" if said.full else "; --full takes the paper's 1.2 GB"),
             "the paper's caption names pfh, and the table has no row of it"]  # fmt: skip
    return [measure("Table XIII: 16 large files, ssdeep", rows, said, True, 8, RELATIVE["XIII"], notes, tree)]


TABLES = {
    "I": table_i,
    "III": table_iii,
    "IV": table_iv,
    "V": table_v,
    "VI": lambda said, program: threads(said, program, "VI"),
    "VII": lambda said, program: threads(said, program, "VII"),
    "VIII": table_viii,
    "IX": table_ix,
    "X": table_x,
    "XII": table_xii,
    "XIII": table_xiii,
}
COLD = {"III", "IV", "V", "VI", "VIII", "IX", "XII", "XIII"}


def main(words):
    ask = record.arguments("similarity", __doc__, rounds=3)
    ask.add_argument("--corpus", type=Path, required=True, help="a folder of files; bench/run corpus builds one")
    ask.add_argument("--only", choices=TABLES, nargs="+", default=list(TABLES))
    ask.add_argument("--full", action="store_true", help="Table XIII with files of 1.2 GB: 19 GB of disk")
    said = record.parse(ask, words)
    said.corpus = said.corpus.resolve()
    if COLD & set(said.only) and not may_forget_cache():
        sys.exit(f"tables {', '.join(name for name in said.only if name in COLD)} need root: the page cache is emptied before each run")
    program = pfh(said)
    tables = [table for name in said.only for table in TABLES[name](said, program)]
    if said.record is not None:
        which = [] if said.only == list(TABLES) else said.only
        said.record = "-".join(filter(None, [*which, said.record])).lower()
    record.finish("similarity", said, tables, [[program, "--version"], ["ssdeep", "-V"], ["sha1sum", "--version"], ["parallel", "--version"]])
