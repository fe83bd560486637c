"""The command ``pfh cluster``."""

from __future__ import annotations

import argparse
import json
import logging
import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import pfh

from .adapter import ClusterLost, connect
from .progress import Progress

#: Exit codes, the program's.
GOOD, NEGATIVE, USAGE, INCOMPLETE, ABORTED = range(5)

EXITS = """exit codes: 0 all good; 1 a negative verdict; 2 usage, or refused: nothing was changed; 3 finished, but something was unreadable or not
understood, or nothing was compared; 4 aborted: the same command resumes; 128+n ended by signal n."""
SCHEDULER = "Dask's address (tls://host:8786, tcp://…, host:port) or scheduler file, ray[:ADDRESS], or local[:N]: N processes here"


def _size(text: str) -> int:
    units = {"k": 10**3, "M": 10**6, "G": 10**9, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "": 1}
    digits = text.rstrip("".join(set("".join(units))))
    try:
        return int(digits) * units[text[len(digits) :]]
    except (KeyError, ValueError):
        raise argparse.ArgumentTypeError(f"{text} is not a size: 512MiB, 2GiB") from None


def _at_least_one(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 1 on")
    return int(text)


def _where(command: argparse.ArgumentParser) -> None:
    command.add_argument("--to", metavar="RUN", required=True, help="the directory of the run: a new one, or the same run, which is resumed")
    command.add_argument("--scheduler", metavar="ADDR", default="local", help=f"{SCHEDULER} [default: local]")
    command.add_argument("-t", "--threads", metavar="N", type=_at_least_one, help="threads of a task [default: hash and match one per processor, compare 1]")
    command.add_argument("-m", "--memory", metavar="SIZE", type=_size, help="memory of a task, as in `pfh hash` and `pfh compare`")
    command.add_argument("--json", action="store_true", help="the result as one JSON object")
    command.add_argument("--no-progress", action="store_true", help="no progress on standard error")


def _again(command: argparse.ArgumentParser) -> None:
    command.add_argument("--again", action="store_true", help="of a complete run: try files again that could not be read, and no others")


def _input(command: argparse.ArgumentParser) -> None:
    command.add_argument("paths", metavar="PATH", nargs="*", help="files, and directories (with -r)")
    command.add_argument("-r", "--recursive", action="store_true", help="walk directories")
    command.add_argument("--files-from", metavar="FILE", help="read paths from a file, one per line (- is standard input)")
    command.add_argument("-0", "--null", action="store_true", help="paths in --files-from end with NUL")
    command.add_argument("--listing", metavar="PARQUET", help="read paths from a Parquet file, or a directory of such")
    command.add_argument("--column", metavar="NAME", help="the listing's column of paths [default: path_bytes or path]")
    for option, metavar in (("--include", "GLOB"), ("--exclude", "GLOB"), ("--min-size", "SIZE"), ("--max-size", "SIZE")):
        command.add_argument(option, metavar=metavar, action="append", default=[], help="as in `pfh plan`")
    command.add_argument("-x", "--one-file-system", action="store_true", help="stay on the file system of each operand")
    command.add_argument("-L", "--follow", action="store_true", help="follow symbolic links while walking")
    command.add_argument("--unit", metavar="SIZE", default="2GiB", help="most bytes of a unit; a larger file is a unit by itself [default: 2GiB]")
    command.add_argument("--files", metavar="N", type=_at_least_one, default=100_000, help="most files of a unit [default: 100000]")


def parser() -> argparse.ArgumentParser:
    """The arguments of the command."""
    top = argparse.ArgumentParser("pfh cluster", description="Hash, match and compare on many machines: docs/cluster.md.", epilog=EXITS)
    commands = top.add_subparsers(metavar="COMMAND", required=True)

    def command(name: str, run: Callable[[argparse.Namespace], int], example: str, text: str) -> argparse.ArgumentParser:
        made = commands.add_parser(
            name, help=text, description=text, usage=f"{example}\n       pfh cluster {name} [OPTIONS]", epilog=EXITS,
            allow_abbrev=False,
        )  # fmt: skip
        made.set_defaults(run=run)
        return made

    made = command("hash", _hash, "pfh cluster hash -r archive/ --to RUN --scheduler tls://head:8786", "Hash files and trees: a row for each in Parquet.")
    _input(made)
    made.add_argument("-a", "--algorithm", metavar="NAME", action="append", help="algorithms, separated by commas [default: sha256]")
    made.add_argument("--split", metavar="SIZE", help="read larger files in ranges of SIZE, on any workers: blake3, kt128, kt256, parallelhash*, sakura-fng-*")
    _again(made)
    _where(made)
    made = command("match", _match, "pfh cluster match -r evidence/ -k nsrl.pfhknown --to RUN", "Look files up in known sets: a verdict for each in Parquet.")
    _input(made)
    made.add_argument("-k", "--known", metavar="FILE", action="append", required=True, help="a set of `pfh known build`, or a list of digests")
    made.add_argument("--class", metavar="NAME", dest="cls", help="the class of lists: bad, notable, good, no-change, or a name of one's own")
    made.add_argument("--send", action="store_true", help="send the sets to the machines, which need not see them")
    _again(made)
    _where(made)
    made = command(
        "compare", _compare, "pfh cluster compare HASHES -a ssdeep --to RUN", "Find all pairs of similar digests of a run, or of Parquet files."
    )
    made.add_argument("sources", metavar="SOURCE", nargs="+", help="a run of `pfh cluster hash`, or Parquet with names and digests")
    made.add_argument("-a", "--algorithm", metavar="NAME", required=True, help="ssdeep, sdhash, mrsh-v2, tlsh …")
    made.add_argument("--threshold", metavar="N", type=int, help="the least score of a pair, or the greatest distance for tlsh [default: the method's]")
    made.add_argument("--saturated", action="store_true", help="also pairs with sdhash digests that match random data")
    made.add_argument("--parts", metavar="N", type=_at_least_one, help="tasks, about [default: by the number of digests]")
    _where(made)
    made = command(
        "check", _check, "pfh cluster check SHA256SUMS --to RUN --scheduler tls://head:8786", "Compare files with a manifest: a result for each in Parquet."
    )
    made.add_argument("manifest", metavar="MANIFEST", help="a list of digests in any format that `pfh check` reads")
    made.add_argument("-C", "--root", metavar="DIR", help="the directory in which names start [default: as `pfh check` finds it]")
    made.add_argument("-a", "--algorithm", metavar="NAME", action="append", help="algorithms of digests that do not name theirs")
    made.add_argument("--key", metavar="FILE", help="the public key that the manifest's seal must be signed with")
    manner = made.add_mutually_exclusive_group()
    manner.add_argument("--strict", action="store_true", help="lines that are not records are a difference")
    manner.add_argument("--lenient", action="store_true", help="what of the manifest is not understood changes nothing")
    made.add_argument("--files", metavar="N", type=_at_least_one, help="records of a unit [default: a 256th of all, at most 100000]")
    _again(made)
    _where(made)
    made = command("status", _status, "pfh cluster status RUN", "Say how far a run is, by its directory; nothing is compared.")
    made.add_argument("directory", metavar="RUN", help="the directory of the run")
    made.add_argument("--json", action="store_true", help="the result as one JSON object")
    made = command("verify", _verify, "pfh cluster verify RUN", "Compare the parts of a run with its manifest.")
    made.add_argument("directory", metavar="RUN", help="the directory of the run")
    made.add_argument("--json", action="store_true", help="the result as one JSON object")
    made = command("list", _list, "pfh cluster list RUN > SHA256SUMS", "Write the digests of a run of hash as `pfh hash` does, in input order.")
    made.add_argument("directory", metavar="RUN", help="the directory of the run")
    made.add_argument("-a", "--algorithm", metavar="NAME", help="one of the run's algorithms [default: its first]")
    return top


def _source(given: argparse.Namespace) -> Any:
    from .units import Source

    named = [bool(given.paths), given.files_from is not None, given.listing is not None]
    if sum(named) == 0:
        raise pfh.RequestError("nothing to read: no PATH, --files-from or --listing is given")
    if given.listing is not None and sum(named) > 1:
        raise pfh.RequestError("--listing is all that is read: give no PATH or --files-from beside it")
    options = []
    for option in ("recursive", "null", "one_file_system", "follow"):
        if getattr(given, option):
            options.append("--" + option.replace("_", "-"))
    for option in ("include", "exclude", "min_size", "max_size"):
        for value in getattr(given, option):
            options += ["--" + option.replace("_", "-"), value]
    if given.files_from is not None:
        options += ["--files-from", given.files_from]
    listing = None if given.listing is None else os.path.abspath(given.listing)
    return Source(tuple(given.paths), listing, given.column, tuple(options))


def _on(given: argparse.Namespace, job: Callable[[Any, Progress], Any]) -> Any:
    """Carries out a job on the engine of the arguments."""
    watch = Progress(given.no_progress)
    try:
        adapter = connect(given.scheduler)
    except (ValueError, ImportError) as wrong:
        raise pfh.RequestError(str(wrong)) from wrong
    except OSError as wrong:
        raise ClusterLost(f"{given.scheduler}: {wrong}") from wrong
    # The engine writes a page about a scheduler that dies; the error is one sentence.
    for name in ("distributed", "tornado", "asyncio", *logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "tornado", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        return job(adapter, watch)
    finally:
        watch.end()
        adapter.close()


def _report(given: argparse.Namespace, result: Any, line: str, problems: int, **more: str) -> int:
    """Prints what a run came to, and gives the exit."""
    for unit, why in sorted(result.missing.items())[:20]:
        _say(f"unit {unit} has no result: {why}")
    if given.json:
        print(json.dumps({"run": str(result.run.directory), "complete": not result.missing, **more, **result.counts, "missing": sorted(result.missing)}))
    else:
        print(line + (f"; {len(result.missing)} units have no result: the same command resumes" if result.missing else ""))
    return INCOMPLETE if result.missing or problems else GOOD


def _hash(given: argparse.Namespace) -> int:
    from .hashing import hash as job

    source = _source(given)
    algorithms = [name for names in given.algorithm or ["sha256"] for name in names.split(",")]
    unit = {"unit": given.unit, "files": given.files, "threads": given.threads, "memory": given.memory, "split": given.split, "repeat": given.again}
    result = _on(given, lambda adapter, watch: job(source, given.to, adapter, algorithms, watch=watch, **unit))
    counts = result.counts
    line = f"{counts['hashed']} files, {counts['bytes']} bytes; {counts['skipped']} skipped, {counts['failed']} failed"
    if result.repeated:
        line += "; was complete, its parts are as they were written"
    return _report(given, result, line, counts["failed"])


def _match(given: argparse.Namespace) -> int:
    from .matching import match as job

    source = _source(given)
    options = {"cls": given.cls, "send": given.send, "unit": given.unit, "files": given.files}
    options |= {"threads": given.threads, "memory": given.memory, "repeat": given.again}
    result = _on(given, lambda adapter, watch: job(source, given.known, given.to, adapter, watch=watch, **options))
    counts = result.counts
    verdicts = {name.removeprefix("verdict-"): value for name, value in counts.items() if name.startswith("verdict-")}
    line = ", ".join(f"{value} {name}" for name, value in sorted(verdicts.items())) or "no file"
    code = _report(given, result, f"{line}; {counts['skipped']} skipped, {counts['failed']} failed", counts["failed"])
    return code or (NEGATIVE if verdicts.get("known-bad") else GOOD)


def _compare(given: argparse.Namespace) -> int:
    from .comparing import compare as job

    options = {"threshold": given.threshold, "saturated": given.saturated, "parts": given.parts, "threads": given.threads, "memory": given.memory}
    result = _on(given, lambda adapter, watch: job(given.sources, given.algorithm, given.to, adapter, watch=watch, **options))
    counts = result.counts
    if counts["digests"] + counts["without"] < 2:
        _say("nothing to compare with: fewer than two digests")
        return INCOMPLETE
    left_out = f", {counts['saturated']} saturated {'among them' if given.saturated else 'left out'}" if counts.get("saturated") else ""
    line = f"{counts.get('pairs', 0)} pairs of {counts['digests']} digests{left_out}; {counts['without']} without, {counts['malformed']} malformed"
    return _report(given, result, line, counts["malformed"])


def _check(given: argparse.Namespace) -> int:
    from .checking import check as job

    algorithms = [name for names in given.algorithm or [] for name in names.split(",")]
    options = {"root": given.root, "algorithms": algorithms, "key": given.key, "strict": given.strict, "lenient": given.lenient}
    options |= {"files": given.files, "threads": given.threads, "memory": given.memory, "repeat": given.again}
    result = _on(given, lambda adapter, watch: job(given.manifest, given.to, adapter, watch=watch, **options))
    for sentence in result.not_compared:
        _say(f"{given.manifest}: {sentence}")
    counts = result.counts
    line = f"{result.verdict}: {counts['right']} right, {counts['wrong']} wrong, {counts['absent']} absent, {counts['unread']} unread"
    _report(given, result, line, 0, verdict=result.verdict)
    if result.broken:
        _say(f"{given.manifest}: breaks off in the middle of a document")
        return ABORTED
    return {"verified": GOOD, "differs": NEGATIVE}.get(result.verdict, INCOMPLETE)


def _status(given: argparse.Namespace) -> int:
    from .run import Run
    from .status import status

    found = status(Run(given.directory))
    if given.json:
        print(json.dumps(found))
    else:
        units = "" if found["units"] is None else f", {found['done']} of {found['units']} units"
        again = f", {found['again']} units repeated" if "again" in found else ""
        counts = ", ".join(f"{value} {name}" for name, value in sorted(found["counts"].items()))
        print(f"{found['job']}: {found['state']}{units}{again}; {counts or 'nothing counted'}")
        for worker, parts in found["workers"].items():
            print(f"{parts} parts by {worker}")
    return GOOD if found["state"] == "complete" else INCOMPLETE


def _verify(given: argparse.Namespace) -> int:
    from .run import Run

    run = Run(given.directory)
    if run.request is None:
        raise pfh.RequestError(f"{given.directory}: holds no run", given.directory)
    try:
        verified, faults = run.verify()
    except pfh.UnreadError as wrong:
        if given.json:
            print(json.dumps({"verdict": "nothing-to-compare-with", "verified": 0, "faults": [str(wrong)]}))
        _say(str(wrong))
        return INCOMPLETE
    for fault in faults:
        _say(fault)
    if given.json:
        print(json.dumps({"verdict": "differs" if faults else "verified", "verified": verified, "faults": faults}))
    elif faults:
        print(f"differs: {len(faults)} parts; {verified} are as the manifest has them by SHA-256")
    else:
        print(f"verified: {verified} parts are as the manifest has them by SHA-256")
    return NEGATIVE if faults else GOOD


def _list(given: argparse.Namespace) -> int:
    from .listing import write
    from .run import Run

    return GOOD if write(Run(given.directory), given.algorithm, sys.stdout.buffer) else INCOMPLETE


def _say(sentence: str) -> None:
    Progress(quiet=True).say(sentence)


def _ends(number: int, frame: object) -> NoReturn:
    raise _Ended(number)


class _Ended(BaseException):
    """A signal that ends the process; not an error that something may catch."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def main(words: Sequence[str]) -> int:
    """Carries out ``pfh cluster`` with the words after it, and gives the exit code."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _ends)
    try:
        try:
            given = parser().parse_args(words)
        except SystemExit as ended:
            return int(ended.code or 0)
        code = int(given.run(given))
        sys.stdout.flush()
        return code
    except _Ended as ended:
        _say("interrupted: the same command resumes")
        return 128 + ended.number
    except BrokenPipeError:
        # The reader of the output went away.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 128 + signal.SIGPIPE
    except (pfh.RequestError, ValueError) as refused:
        _say(str(refused))
        return USAGE
    except pfh.DiffersError as differs:
        _say(str(differs))
        return NEGATIVE
    except pfh.UnreadError as unread:
        _say(str(unread))
        return INCOMPLETE
    except (ClusterLost, pfh.OutputError) as lost:
        _say(f"{lost}: the same command resumes")
        return ABORTED
    except ImportError as missing:
        _say(f"{missing}: pip install pfh[dask] brings what pfh cluster needs")
        return USAGE
    except Exception as failed:
        _say(f"{type(failed).__name__}: {failed}")
        for note in getattr(failed, "__notes__", ()):
            print(note, file=sys.stderr)
        return ABORTED
