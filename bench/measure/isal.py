"""Measure pfh's lanes beside the multi-buffer hashes of isa-l_crypto, and both beside OpenSSL's single stream, in one run.

    bench/run isal [--rounds 9] [--samples 21] [--shash PATH] [--json] [--record [NAME]]

MD5, SHA-1, SHA-256 and SHA-512 of 128 messages of 4 KiB in the second-level cache. isa-l_crypto (BSD licence; nothing of it is in this project)
is found by `pkg-config libisal_crypto`, or where ISAL_PREFIX says: a directory with include/ and lib/. isal.c is compiled against it with
cc. It runs the library's own dispatcher, and each entry point of one instruction set that the library exports and this CPU can run: where there
is AVX2 and no AVX-512 the dispatcher takes AVX2 and passes SHA-NI by, so to be faster than that alone would be no achievement. `_sse_ni` is.

pfh and OpenSSL are timed by `examples/shash hot`, the former a second time with PFH_ISA=sha-ni where there is AVX-512: as on a CPU without.

Answers are compared before a time counts: every digest of every entry point with hashlib's, in every round, and pfh's with OpenSSL's in shash.
In each round the programs run in random order; each measures its own candidates in turns, SAMPLES times, in processor time. Minima are over
everything, medians those of the rounds' medians. Exit status 1 without the library.
"""

import hashlib
import json
import os
import platform
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from . import record
from .program import build as cargo_build
from .program import execute, target

NAMES = {"md5": "MD5", "sha1": "SHA-1", "sha256": "SHA-256", "sha512": "SHA-512"}
MESSAGES, SIZE, SKEW = 128, 4096, 64
PFH, LOWERED, OPENSSL = "pfh", "pfh without AVX-512", "OpenSSL, single stream"


def library():
    """(arguments for cc, version) of isa-l_crypto."""
    prefix = os.environ.get("ISAL_PREFIX")
    if prefix:
        lib = next((Path(prefix) / name for name in ("lib", "lib64") if any((Path(prefix) / name).glob("libisal_crypto.*"))), None)
        if not lib or not (Path(prefix) / "include/isa-l_crypto.h").exists():
            sys.exit(f"ISAL_PREFIX={prefix} has no include/isa-l_crypto.h and lib/libisal_crypto.*")
        full = max((path.name for path in lib.glob("libisal_crypto.so.*")), key=len, default="")
        arguments = [f"-I{prefix}/include", f"-L{lib}", f"-Wl,-rpath,{lib}", "-lisal_crypto"]
        return arguments, full.removeprefix("libisal_crypto.so.") or "of unknown version"
    ask = lambda *what: subprocess.run(["pkg-config", *what, "libisal_crypto"], capture_output=True, text=True)
    if not shutil.which("pkg-config") or ask("--exists").returncode:
        sys.exit("isa-l_crypto is not installed: pkg-config does not know libisal_crypto, and ISAL_PREFIX is not set")
    lib = ask("--variable=libdir").stdout.strip()
    return [*ask("--cflags", "--libs").stdout.split(), f"-Wl,-rpath,{lib}"], ask("--modversion").stdout.strip()


def build(shash, room):
    """isa-l's program, its version, and shash."""
    if platform.machine() not in ("x86_64", "AMD64"):
        sys.exit(f"the entry points that are compared are those of x86-64, and this is {platform.machine()}")
    arguments, version = library()
    command = ["cc", "-O2", "-Wno-deprecated-declarations", "-o", str(room / "isal"), str(Path(__file__).with_name("isal.c")), *arguments]
    if not shutil.which("cc"):
        sys.exit("there is no C compiler cc")
    if subprocess.run(command).returncode:
        sys.exit("isal.c could not be compiled against isa-l_crypto " + version)
    if not shash:
        cargo_build("-p", "pfh-digest", "--features", "peers", "--example", "shash")
        shash = target() / "examples/shash"
    return str(room / "isal"), version, str(shash)


def expected():
    """{name: all digests in order, as isal.c prints them}."""
    pool = bytes((i ^ i >> 9) & 0xFF for i in range(MESSAGES * (SIZE + SKEW)))
    messages = [pool[i * (SIZE + SKEW) :][:SIZE] for i in range(MESSAGES)]
    return {name: "".join(hashlib.new(name, message).hexdigest() for message in messages) for name in NAMES}


def lines(command, **environment):
    return [json.loads(line) for line in execute(command, environment=environment).output.splitlines()]


def of_isal(command, name, digests):
    """[(candidate, minimum, median)] of the library, once its digests are right."""
    found = lines([*command, name])
    for line in found:
        if line["digests"] != digests:
            sys.exit(f"isa-l_crypto's {line['by']} gives other digests of {name} than hashlib")
    return [("isa-l " + line["by"], line["min_ns_per_byte"], line["median_ns_per_byte"]) for line in found]


def of_shash(command, name, known, **environment):
    found = [line for line in lines([*command, name], **environment) if line.get("by") in known]
    if {line["by"] for line in found} != set(known):
        sys.exit(f"shash does not measure {' and '.join(known)} for {name}")
    return [(known[line["by"]], line["min_ns_per_byte"], line["median_ns_per_byte"]) for line in found]


def measure(said, isal, shash):
    """{name: {candidate: (minimum, median)}}."""
    digests, samples = expected(), {name: {} for name in NAMES}
    isal, shash = [isal, str(said.samples)], [shash, "hot", str(said.samples)]
    os.environ.pop("PFH_ISA", None)
    for _ in range(said.rounds):
        for name in random.sample(list(NAMES), len(NAMES)):
            programs = [
                lambda: of_isal(isal, name, digests[name]),
                lambda: of_shash(shash, name, {"many": PFH, "openssl": OPENSSL}),
            ]
            if "avx512f" in record.cpu("flags").split():
                programs.append(lambda: of_shash(shash, name, {"many": LOWERED}, PFH_ISA="sha-ni"))
            for program in random.sample(programs, len(programs)):
                for candidate, least, middle in program():
                    samples[name].setdefault(candidate, []).append((least, middle))
    figure = lambda runs: (min(least for least, _ in runs), statistics.median(middle for _, middle in runs))
    return {name: {candidate: figure(runs) for candidate, runs in by.items()} for name, by in samples.items()}


def table(said, found, version):
    rows, absent = [], []
    for name, by in found.items():
        if name in ("sha1", "sha256") and "sha_ni" in record.cpu("flags").split() and "isa-l _sse_ni" not in by:
            absent.append(NAMES[name])
        order = sorted(by, key=lambda candidate: (candidate != PFH, candidate != LOWERED, candidate != OPENSSL, candidate != "isa-l default"))
        for candidate in order:
            times = [round(by[candidate][i] / by[ours][i], 2) if ours in by else None for ours in (PFH, LOWERED) for i in (0, 1)]
            rows.append([NAMES[name], candidate, *(round(figure, 4) for figure in by[candidate]), *times])
    columns = ["function", "by", "min ns/B", "median ns/B", "times pfh", "of medians", "times pfh without AVX-512", "of medians"]
    notes = [
        f"{said.rounds} rounds of programs in random order, {said.samples} samples in each; processor time; medians of the rounds' medians",
        "isa-l default: the library's own dispatcher; isa-l _…: the entry points of that instruction set, forced",
        "digests: isa-l_crypto's are hashlib's, in every round; pfh's are OpenSSL's",
        *[f"this build of isa-l_crypto does not export `_sse_ni` of {name}: what matters without AVX-512 is missing" for name in absent],
    ]
    title = f"{MESSAGES} messages of 4 KiB in the cache: pfh beside isa-l_crypto {version}"
    return record.table(title, columns, rows, notes=notes)


def main(words):
    ask = record.arguments("isal", __doc__, rounds=9)
    ask.add_argument("--samples", type=int, default=21, help="samples in each program (%(default)s)")
    ask.add_argument("--shash", type=Path, help="the example shash, built with its feature peers (built here)")
    said = record.parse(ask, words)
    with tempfile.TemporaryDirectory() as room:
        isal, version, shash = build(said.shash, Path(room))
        found = table(said, measure(said, isal, shash), version)
    record.finish("isal", said, [found], [["openssl", "version"]])
