"""Make the trees that no package can supply.

    bench/run files small DIR [--count 200000]    files of 1 to 4 KiB, 500 to a folder (0.8 GB of disk at 4 KiB blocks)
    bench/run files names DIR [--count 1000000]   names only: empty files, 1,000 to a folder
    bench/run files sparse FILE [--count 20]      one sparse file of so many GiB, a MiB of data at its start and its end

The contents are a keyed stream (SHAKE128 of the seed and the file's number): the same arguments give the same bytes,
and no two files are alike, so a tool that mixes two of them up prints a wrong digest.
"""

import argparse
import hashlib
import os
import sys
from pathlib import Path

SEED = b"pfh small files 1"


def content(number):
    """1 to 4 KiB whose length and bytes depend on the number alone."""
    stream = hashlib.shake_128(SEED + number.to_bytes(8, "big"))
    length = 1024 + int.from_bytes(stream.digest(4), "big") % (3 * 1024 + 1)
    return stream.digest(4 + length)[4:]


def folders(root, files, per_folder):
    """(folder, number) of each file; the folders are made."""
    for first in range(0, files, per_folder):
        folder = root / f"{first // per_folder:05d}"
        folder.mkdir(parents=True)
        for number in range(first, min(first + per_folder, files)):
            yield folder, number


def small(root, files=200_000):
    for folder, number in folders(root, files, 500):
        (folder / f"{number:08d}.bin").write_bytes(content(number))


def names(root, files=1_000_000):
    for folder, number in folders(root, files, 1000):
        os.close(os.open(folder / f"{number:08d}", os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o644))


def sparse(path, gib=20):
    piece = b"".join(content(number) for number in range(1024))[: 1 << 20]
    with open(path, "xb") as file:
        file.write(piece)
        file.seek((gib << 30) - len(piece))
        file.write(piece)


def noise(path, size):
    """A file of `size` random bytes."""
    with open(path, "wb") as file:
        for left in range(size, 0, -(1 << 20)):
            file.write(os.urandom(min(left, 1 << 20)))


def main(words):
    ask = argparse.ArgumentParser(prog="bench/run files", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("kind", choices=["small", "names", "sparse"])
    ask.add_argument("path", type=Path)
    ask.add_argument("--count", type=int)
    said = ask.parse_args(words)
    if said.path.exists():
        sys.exit(f"{said.path} exists already")
    {"small": small, "names": names, "sparse": sparse}[said.kind](said.path, *filter(None, [said.count]))
