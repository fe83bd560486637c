"""Files in an image, beside the same tree mounted and fiwalk; memory over a million names.

    bench/run inside [what …] [--files 20000] [--megabytes 2000] [--names 1000000]

    image    an image of --files files, warm: `pfh hash --inside --members` against `pfh hash -r` over the mounted tree (goal: 1.3 ×) and, for ext4, fiwalk (5 ×), MD5 and SHA-1
    memory   an image of --names empty files: peak memory above the table (goal: 64 MiB)

Both unless one is named, for each --system: nothing in these images is compressed. Needs root (to mount) and the mkfs of the systems; fiwalk is left out if it is not installed. The images are kept in --room.
"""

import contextlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

from . import answers, files, record
from .program import execute, find, pfh
from .turns import Contender, take_turns

SPACE = "{http://www.forensicswiki.org/wiki/Category:Digital_Forensics_XML}"
# Sizes of files, which take turns: as in a home directory most are small, and most bytes are in large ones. Relative to the mean.
SHARES = [0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 7.445]


def tree(root, count, size):
    """So many files of `size` bytes on average; no two are alike."""
    for folder, number in files.folders(root, count, 200):
        length = int(SHARES[number % len(SHARES)] * size)
        piece = files.content(number)
        (folder / f"{number:06d}").write_bytes((piece * (length // len(piece) + 1))[:length])


def copied(root, image, make, size):
    """Makes an empty file system and copies a tree into it."""
    with open(image, "wb") as raw:
        raw.truncate(size)
    subprocess.run([*make, image], check=True)
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(["mount", "-o", "loop", image, place], check=True)
        try:
            subprocess.run(["cp", "-a", f"{root}/.", place], check=True)
        finally:
            subprocess.run(["umount", place], check=True)


def ext4(root, image, size, inodes):
    with open(image, "wb") as raw:
        raw.truncate(size)
    options = ["-q", "-F", "-t", "ext4", "-O", "^has_journal", "-N", str(inodes), "-d", root]
    subprocess.run(["mke2fs", *options, image], check=True)


def xfs(root, image, size, inodes):
    copied(root, image, ["mkfs.xfs", "-q"], max(size, inodes * 1024) + (512 << 20))


def btrfs(root, image, size, inodes):
    copied(root, image, ["mkfs.btrfs", "-q"], max(size, inodes * 2048) + (512 << 20))


def squashfs(root, image, size, inodes):
    subprocess.run(["mksquashfs", root, image, "-quiet", "-no-progress", "-noI", "-noD", "-noF", "-noX"], check=True)


def erofs(root, image, size, inodes):
    subprocess.run(["mkfs.erofs", "--quiet", image, root], check=True)


# How each is made, how it is mounted, and the volume in it that has the files.
SYSTEMS = {
    "ext4": (ext4, "noload", ""),
    "xfs": (xfs, "norecovery", ""),
    "btrfs": (btrfs, "rescue=nologreplay", "top-level/"),
    "squashfs": (squashfs, "", ""),
    "erofs": (erofs, "", ""),
}


def made(system, image, size, inodes, fill):
    """An image of what `fill` puts into a directory; made once."""
    if image.exists():
        return
    with tempfile.TemporaryDirectory(dir=image.parent) as room:
        fill(Path(room) / "tree")
        half = image.with_suffix(".part")
        half.unlink(missing_ok=True)
        SYSTEMS[system][0](f"{room}/tree", half, size, inodes)
        half.rename(image)


@contextlib.contextmanager
def mounted(system, image):
    options = ",".join(filter(None, ["ro", "loop", SYSTEMS[system][1]]))
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(["mount", "-t", system, "-o", options, image, place], check=True)
        try:
            yield place
        finally:
            subprocess.run(["umount", place], check=True)


def below(prefix):
    """Answers of `-f hashdeep` below a prefix, which is left out: the image's own record is not among them."""
    prefix = prefix.encode()
    return lambda output: {name[len(prefix) :]: digests for name, digests in answers.hashdeep(output).items() if name.startswith(prefix)}


def fiwalk(output):
    """{name: (MD5, SHA-1)} of the files that are allocated."""
    found = {}
    for one in xml.fromstring(output).iter(f"{SPACE}fileobject"):
        said = {part.tag.removeprefix(SPACE): part.text for part in one}
        if said.get("name_type") == "r" and said.get("alloc") == "1":
            digests = {part.get("type"): part.text.encode() for part in one.iter(f"{SPACE}hashdigest")}
            found[said["filename"].encode()] = (digests["md5"], digests["sha1"])
    return found


def image(said, program, system):
    path = said.room / f"inside-{said.files}-{said.megabytes}.{system}"
    size = said.megabytes * 1_000_000
    made(system, path, size * 5 // 4, said.files + 2000, lambda root: tree(root, said.files, size // said.files))
    inner = f"{path}!/{SYSTEMS[system][2]}"
    common = [program, "hash", "--no-progress", "-a", "md5,sha1", "-f", "hashdeep"]
    with mounted(system, path) as place:
        contenders = [
            Contender("pfh --inside --members", [*common, "--inside", "--members", path], below(inner)),
            Contender("pfh --inside", [*common, "--inside", path], below(inner)),
            Contender("pfh -r, mounted", [*common, "-r", place], below(f"{place}/")),
            Contender("pfh, the image alone", [*common, path]),
        ]
        if system == "ext4" and (peer := find("fiwalk")):
            contenders.append(Contender("fiwalk", [peer, "-x", "-O", path], fiwalk))
        for contender in contenders[:3]:
            execute(contender.command)
        runs = take_turns(contenders, said.rounds)
    notes = [
        "goals: at most 1.3 × the mounted tree, and fiwalk (ext4) at least 5 ×",
        "without `--members` the image's own digests are computed as well, one message of all its bytes, which nobody else here does: `pfh, the image alone` is what that costs",
    ]
    title = f"{said.files:,} files, {said.megabytes:,} MB in {system}, MD5 and SHA-1, warm"
    return record.of_runs(title, runs, "pfh --inside --members", notes)


def memory(said, program, system):
    path = said.room / f"inside-names-{said.names}.{system}"
    made(system, path, said.names * 600 + (64 << 20), said.names + 5000, lambda root: files.names(root, said.names))
    rows = []
    for mib in (16, 256):
        for threads in (1, 2):
            # Into a file: the memory for an output in this program would hide the child's peak.
            listed = said.room / "inside-names.sums"
            listed.unlink(missing_ok=True)
            run = execute([program, "hash", "--no-progress", "--inside", "-m", str(mib), "-t", str(threads), "-o", listed, path])
            with open(listed, "rb") as lines:
                count = sum(b"!/" in line for line in lines)
            listed.unlink()
            if count != said.names:
                sys.exit(f"{count} of {said.names} names were found")
            rows.append([mib, threads, round(run.peak / 2**20, 1), round(run.peak / 2**20 - mib, 1), round(run.wall, 2)])
    columns = ["table, MiB", "threads", "peak, MiB", "above the table, MiB", "wall s"]
    return record.table(f"{said.names:,} names in {system}, SHA-256", columns, rows, notes=["goal: the table and 64 MiB"])


def main(words):
    ask = record.arguments("inside", __doc__, rounds=5)
    ask.add_argument("what", nargs="*", help="image, memory (both)")
    ask.add_argument("--files", type=int, default=20_000, help="files of the image (%(default)s)")
    ask.add_argument("--megabytes", type=int, default=2000, help="their bytes together, of 10^6 (%(default)s)")
    ask.add_argument("--names", type=int, default=1_000_000, help="empty files of the other image (%(default)s)")
    ask.add_argument("--system", action="append", choices=SYSTEMS, help="file system of the images; may be repeated (ext4)")
    said = record.parse(ask, words)
    parts = {"image": image, "memory": memory}
    if wrong := [word for word in said.what if word not in parts]:
        sys.exit(f"bench/run inside: {wrong[0]} is none of {', '.join(parts)}")
    program = pfh(said)
    systems = said.system or ["ext4"]
    tables = [part(said, program, system) for name, part in parts.items() if name in (said.what or parts) for system in systems]
    record.finish("inside", said, tables, [[program, "--version"], ["fiwalk", "-V"], ["mke2fs", "-V"]])
