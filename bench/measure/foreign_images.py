"""Images and archives that others made, by pfh and by the programs that read them: names and digests.

    bench/run foreign-images DIR [--pfh PFH] [--seconds 60] [--megabytes 512] [--show] [--suites]

DIR is walked; nothing is fetched. --suites takes each directory in DIR for a suite, and prints a table of suites and one of formats, as
`bench/record` has them, with the bytes of residue that `pfh list --account` counts; extents that do not tile a medium are an error. Each file is read by `pfh hash --inside --members`, and by the first of these that reads it: The Sleuth Kit
(mmls, fsstat, tsk_recover: allocated files of each partition), bsdtar, 7z. A file counts once, as

    equal      all that the other program reads has its digest in pfh's output; where TSK differs, debugfs is asked as well, and
               where bsdtar differs, 7z and unar
    named      something differs or is missing, and pfh says what it could not read (exit code 3 or an error)
    silent     something differs or is missing, and pfh ends with 0: the goal is 0
    without    no other program reads it, or not within the time; apart from these all are tried

Programs write names in different ways, so that a file is found again by its digest if it has any content.
"""

import argparse
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections import Counter, defaultdict
from pathlib import Path

from .program import pfh

FILE_SYSTEMS = ("ext", "fat", "ntfs", "exfat", "iso9660")
OWN = ("$MBR", "$FAT", "$UPCASE_TABLE", "$ALLOC_BITMAP", "$OrphanFiles")
# Formats that 7z opens beside archives: it gives partitions as files, and journals.
MEDIA = (b"MBR", b"GPT", b"APM", b"Ext", b"FAT", b"NTFS", b"HFS", b"Iso", b"UDF", b"VHD", b"QCOW", b"VMDK")
# Formats that it takes apart and that are not archives (docs/tests/others.md): streams of documents, sections of
# programs, of films.
PARTS = (b"Compound", b"PE", b"ELF", b"MachO", b"Mub", b"SWF", b"SWFc", b"FLV")
# Tables of a library's symbols, which 7z and bsdtar write as files.
SYMBOLS = {"1.txt", "2.txt", "__.SYMDEF", "__.SYMDEF SORTED"}
# A document of streams (MS-CFB): bsdtar finds the zip with a theme in one of them.
COMPOUND = b"\xd0\xcf\x11\xe0"


# The most bytes that another program may take out of one file: some archives hold a hole of sixty gigabytes.
MOST = 4 << 30


def said(command, seconds):
    """Exit status and output of a program; None if it took too long or is not there."""
    pipe = subprocess.PIPE
    try:
        run = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, start_new_session=True)
    except FileNotFoundError:
        return None
    try:
        output = run.communicate(timeout=seconds)[0]
        return run.returncode, output
    except subprocess.TimeoutExpired:
        # 7z may be a script around the program, which would go on writing.
        os.killpg(run.pid, signal.SIGKILL)
        run.communicate()
        return None


class Large(Exception):
    """More comes out of a file than MOST."""


def below(room):
    """{name: MD5} of the regular files below a directory, if they are not too large; empty ones say nothing of content."""
    found, left = {}, MOST
    for path in room.rglob("*"):
        left -= path.lstat().st_size
        if left < 0:
            raise Large
        if path.is_file() and not path.is_symlink() and path.stat().st_size > 0:
            with open(path, "rb") as file:
                found[str(path.relative_to(room))] = hashlib.file_digest(file, "md5").hexdigest()
    return found


def partitions(path, seconds):
    """Where the volumes of an image begin, in sectors, and what pfh puts in front of their names."""
    table = said(["mmls", str(path)], seconds)
    if not table or table[0] != 0:
        return [0]
    lines = [line.split() for line in table[1].decode(errors="replace").splitlines()]
    slots = [words for words in lines if len(words) > 4 and words[0].endswith(":") and words[1][0].isdigit()]
    return [int(words[2]) for words in slots] or [0]


def sleuth_kit(path, room, seconds):
    """The allocated files of each volume, one directory each; None if there is no volume that it reads."""
    seen = False
    for offset in partitions(path, seconds):
        kind = said(["fsstat", "-t", "-o", str(offset), str(path)], seconds)
        if not kind or kind[0] != 0 or not kind[1].decode(errors="replace").strip().startswith(FILE_SYSTEMS):
            continue
        place = room / str(offset)
        place.mkdir()
        if not said(["tsk_recover", "-a", "-o", str(offset), str(path), str(place)], seconds):
            return None
        seen = True
    # Its own names for tables of FAT and exFAT.
    found = {name: digest for name, digest in below(room).items() if not name.split("/")[1].startswith(OWN) and "(Volume Label" not in name}
    return found if seen else None


def is_aff4(path):
    """Others see the zip around the chunks of the disk, and none of its files."""
    try:
        return "container.description" in zipfile.ZipFile(path).namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return False


def bsdtar(path, room, seconds):
    if ".mtree" in path.suffixes:
        return None  # A list of names, which bsdtar takes for an archive of empty files.
    with open(path, "rb") as file:
        is_compound = file.read(4) == COMPOUND
    if is_aff4(path) or is_compound:
        return None
    run = said(["bsdtar", "-xf", str(path), "-C", str(room), "--no-same-permissions", "--no-xattrs", "--no-fflags"], seconds)
    return below(room) if run and run[0] == 0 else None


def seven_zip(path, room, seconds):
    listed = said(["7z", "l", "-slt", "-p-", str(path)], seconds)
    if is_aff4(path) or not listed or any(b"\nType = " + kind in listed[1] for kind in MEDIA):
        return None
    # In front of the members' own types.
    head = listed[1].partition(b"\n----------")[0]
    types = [line[len(b"Type = ") :].strip() for line in head.splitlines() if line.startswith(b"Type = ")]
    if types and types[-1] in PARTS:
        return None  # The last one is the innermost: an archive behind a program has its own.
    run = said(["7z", "x", "-y", "-bd", "-p-", f"-o{room}", str(path)], seconds)
    readable(room)
    files = [path for path in room.rglob("*") if path.is_file()]
    if len(files) == 1 and tarfile.is_tarfile(files[0]):
        return None  # A compressed tar: bsdtar and pfh list the members of the tar, 7z only the tar itself.
    return below(room) if run and run[0] == 0 else None


def readable(room):
    """Archives may make directories that nobody may enter: they are removed all the same."""
    for path in sorted(room.rglob("*"), key=lambda path: len(path.parts)):
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o700)


def others(path, seconds):
    """The name of the first program that reads a file, and what it finds."""
    for name, read in [("TSK", sleuth_kit), ("bsdtar", bsdtar), ("7z", seven_zip)]:
        with tempfile.TemporaryDirectory() as place:
            room = Path(place)
            try:
                found = read(path, room, seconds)
            except Large:
                return None, {}
            readable(room)
            if found:
                return name, found
    return None, {}


def ours(program, path, seconds):
    """Exit code of pfh, {name: MD5} of its contents, and whether pfh names an unread part."""
    command = [str(program), "hash", "--no-progress", "--inside", "--members", "-a", "md5", "-f", "jsonl", str(path)]
    run = said(command, 4 * seconds)
    if run is None:
        return None
    found, named, links = {}, False, set()
    for line in run[1].splitlines():
        row = json.loads(line)
        if row.get("type") == "error":
            named = True
        if row.get("type") == "skipped":
            links |= {row["path"].split("!/", 1)[1], row["path"].rsplit("!/", 1)[1]}
        if row.get("type") == "file":
            # A file that is nothing else has its own digest, which 7z calls a split archive of one piece.
            found[row["path"].partition("!/")[2] or path.name] = row["digests"]["md5"]
    return run[0], found, named, links


def missing(theirs, found, links):
    """Files of another program whose content is not among ours. Links and FIFOs that pfh lists are not missing: The Sleuth Kit
    writes links as files, in a directory for each volume."""
    digests = set(found.values())
    return [name for name, digest in theirs.items() if digest not in digests and not {name, name.partition("/")[2]} & links]


def by_debugfs(path, gone, found, seconds):
    """Those of these names that debugfs reads differently as well. The Sleuth Kit gives zeros for data that it does not find (ext4's inline data)."""
    left = []
    for name in gone:
        with tempfile.TemporaryDirectory() as room:
            said(["debugfs", "-R", f'dump "/{name.partition("/")[2]}" {room}/file', str(path)], seconds)
            if not set(below(Path(room)).values()) & set(found.values()):
                left.append(name)
    return left


def by_another(path, found, seconds):
    """Whether 7z or unar reads the archive, and finds nothing but content that is among ours: bsdtar gives wrong bytes of members
    that go on in the next volume of a RAR."""

    def unar(path, room, seconds):
        run = said(["unar", "-q", "-D", "-o", str(room), str(path)], seconds)
        return below(room) if run and run[0] == 0 else None

    for read in (seven_zip, unar):
        with tempfile.TemporaryDirectory() as place:
            try:
                theirs = read(path, Path(place), seconds)
            except Large:
                continue
            readable(Path(place))
            if theirs and set(theirs.values()) <= set(found.values()):
                return True
    return False


def account(program, path, seconds):
    """Bytes of residue in a medium or archive, and whether the extents tile it; None if pfh has no account of it."""
    run = said([str(program), "list", "--account", "--json", str(path)], 4 * seconds)
    if run is None:
        return None
    place, residue, sums, tiles = 0, 0, None, True
    for row in map(json.loads, run[1].splitlines()):
        if row["type"] == "extent":
            tiles &= row["start"] == place
            place += row["length"]
            residue += row["length"] if row["holds"] == "residue" else 0
        if row["type"] == "account":
            tiles &= row["size"] == place and row["residue"] == residue
            sums, place, residue = (sums or 0) + row["residue"], 0, 0
    return None if sums is None else (sums, tiles)


def table(heads, rows):
    """Rows of a Markdown table: {key: Counter}."""
    print(f"| {heads} | tried | equal | named | silent | without | with an account | residue, bytes |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for key, count in sorted(rows.items()):
        words = ["tried", "equal", "named", "silent", "without", "account", "residue"]
        print(f"| {key} | " + " | ".join(f"{count[word]:,}" for word in words) + " |")


def main(arguments):
    parser = argparse.ArgumentParser(prog="bench/run foreign-images", description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--pfh", help="the pfh to try [default: the release build of this tree]")
    parser.add_argument("--seconds", type=float, default=60, help="the most time for each run of another program")
    parser.add_argument("--megabytes", type=int, default=512, help="larger files are left out")
    parser.add_argument("--suites", action="store_true", help="tables by suite and by format, with residue")
    parser.add_argument("--show", action="store_true", help="a line for each file, not only for those that are silent")
    asked = parser.parse_args(arguments)
    program = pfh(asked)
    if not asked.directory.is_dir():
        sys.exit(f"{asked.directory} is not a directory")
    for name in ["mmls", "fsstat", "tsk_recover", "bsdtar", "7z"]:
        if not shutil.which(name):
            print(f"{name} is not installed: what it would read is left to the others", file=sys.stderr)
    counts, files, gone_all = Counter(), 0, 0
    suites, formats, untiled = defaultdict(Counter), defaultdict(Counter), []
    for path in sorted(asked.directory.rglob("*")):
        # Blocks that are there: an image of two terabytes may be a hole.
        if not path.is_file() or path.is_symlink() or path.stat().st_blocks * 512 > asked.megabytes << 20:
            continue
        both = (suites[path.relative_to(asked.directory).parts[0]], formats[path.suffix.lower() or "none"]) if asked.suites else ()
        known = account(program, path, asked.seconds) if asked.suites else None
        if known is not None:
            untiled += [] if known[1] else [path]
            for count in both:
                count.update(account=1, residue=known[0])
        reader, theirs = others(path, asked.seconds)
        if reader is None:
            for count in (counts, *both):
                count["without"] += 1
            continue
        if path.read_bytes()[:7] == b"!<arch>":
            theirs = {name: digest for name, digest in theirs.items() if name not in SYMBOLS}
        seen = ours(program, path, asked.seconds)
        gone = list(theirs) if seen is None else missing(theirs, seen[1], seen[3])
        if reader == "TSK" and seen is not None and 0 < len(gone) < 10:
            gone = by_debugfs(path, gone, seen[1], asked.seconds)
        if reader == "bsdtar" and seen is not None and gone and by_another(path, seen[1], asked.seconds):
            gone = []
        files, gone_all = files + len(theirs), gone_all + len(gone)
        if seen is not None and not gone:
            word = "equal"
        elif seen is not None and (seen[0] == 3 or seen[2]):
            word = "named"
        else:
            word = "silent"
        for count in (counts, *both):
            count.update(["tried", word])
        counts[f"{word} by {reader}"] += 1
        if asked.show or word == "silent":
            code = "no end" if seen is None else f"exit {seen[0]}"
            print(f"{word:7} {reader:6} {len(theirs):6} files, {len(gone)} not found, {code}: {path} {gone[:3] if gone else ''}")
    for word in ["tried", "equal", "named", "silent", "without"]:
        by = ", ".join(f"{counts[f'{word} by {reader}']} by {reader}" for reader in ["TSK", "bsdtar", "7z"] if counts[f"{word} by {reader}"])
        print(f"{word:8} {counts[word]:6}  {by}".rstrip())
    print(f"{files} files of other programs, {files - gone_all} found with the same digest")
    if asked.suites:
        table("suite", suites)
        table("ending", {key: count for key, count in formats.items() if count["tried"] or count["account"]})
    for path in untiled:
        print(f"the extents do not tile it: {path}")
    sys.exit(1 if counts["silent"] or untiled else 0)
