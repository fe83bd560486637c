"""The original programs of sdhash and mrsh-v2, built from their authors' sources: both are under the Apache licence, and no distribution has them.

An installed `sdhash` or `mrsh`, or the one that the environment names (SDHASH, MRSH), is taken before. PFH_SOURCES names a folder with the sources
(`PFH_SOURCES/sdhash`, `PFH_SOURCES/mrsh`); without it they are cloned. sdhash needs Boost, Protocol Buffers and OpenSSL to build."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from .program import target


class Source(NamedTuple):
    """Where a program's source is, at which commit, and the shell commands that build `$out` there."""

    place: str
    commit: str
    build: str


SOURCES = {
    # It ends with 1 when it has printed the digests, which xargs takes for a failure.
    "mrsh": Source(
        "https://github.com/w4term3loon/mrsh",
        "0563d320771a8031342689a16dfad478b4b74ad1",
        "sed -i '/fingerprintList_destroy(fpl);/{n;s/exit(1)/exit(0)/}' src/main.c && "
        'gcc -w -std=c99 -O3 -D_BSD_SOURCE -o "$out" src/main.c src/util.c src/hashing.c src/bloomfilter.c src/fingerprint.c src/fingerprintList.c src/helper.c -lcrypto -lm',
    ),
    # Its generated files are of an old Protocol Buffers; the boost that it brings is not needed.
    "sdhash": Source(
        "https://github.com/sdhash/sdhash",
        "b9eff63e4e5867e910f41fd69032bbb1c94a2a5e",
        "protoc --cpp_out=sdbf blooms.proto && g++ -std=gnu++14 -w -fopenmp -msse4.2 -O3 -fno-strict-aliasing -D_FILE_OFFSET_BITS=64 -D_LARGE_FILE_API"
        ' -D_BSD_SOURCE -o "$out" $(ls sdbf/*.cc) base64/modp_b64.cc lz4/lz4.cc sdhash-src/sdhash.cc sdhash-src/sdhash_threads.cc'
        " -lboost_system -lboost_filesystem -lboost_program_options -lboost_thread -lcrypto -lpthread -lprotobuf -lm",
    ),
}


def original(name):
    """The path of an original program; None, with a word about it, if it can be neither found nor built."""
    path = os.environ.get(name.upper()) or shutil.which(name)
    made = target().parent / "peers/originals" / name
    if not path and not made.exists():
        build(name, made)
    path = path or (made if made.exists() else None)
    if not path:
        print(f"{name} is not installed, and could not be built: left out", file=sys.stderr)
    return path


def build(name, out):
    """Builds a program from its source."""
    source, room = SOURCES[name], out.with_name(f"{name}-source")
    shutil.rmtree(room, ignore_errors=True)
    out.parent.mkdir(parents=True, exist_ok=True)
    given = os.environ.get("PFH_SOURCES")
    if given and (Path(given) / name).is_dir():
        shutil.copytree(Path(given) / name, room)
    elif subprocess.run(["git", "clone", "--quiet", source.place, room], env={**os.environ, "GIT_TERMINAL_PROMPT": "0"}).returncode:
        return
    else:
        subprocess.run(["git", "-C", room, "checkout", "--quiet", source.commit], check=True)
    print(f"building {name}", file=sys.stderr)
    subprocess.run(["sh", "-c", source.build], cwd=room, env={**os.environ, "out": str(out)})
