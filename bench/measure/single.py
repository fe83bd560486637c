"""One message under every algorithm, at each level of PFH_ISA, beside OpenSSL (and b3sum), in turns.

    bench/run single [--pfh PFH] [--former PFH] [--megabytes 256] [--rounds 5] [--isa auto,avx2,sse4.1,portable] [--algorithms NAME,...]

CPU seconds of whole programs on one thread over one file of random bytes in memory, least and median, as MB/s, and the ratio to OpenSSL's
medians: below 1, pfh is the faster one. Digests of all programs and levels are compared before a time counts. A program's start and its
reading are part of both. The kernels alone beside RustCrypto and AWS-LC are `cargo run --release -p pfh-digest --features peers --example single`, lanes
beside isa-l_crypto `bench/run isal`.
"""

import os
import subprocess
import tempfile
from pathlib import Path

from . import record, turns
from .files import noise
from .program import find, pfh
from .turns import Contender, take_turns

# Where OpenSSL has another name than pfh.
OPENSSL = {"blake2b": "blake2b512", "blake2s": "blake2s256"}
ALGORITHMS = "md5,sha1,sha256,sha512,sha512-256,sha3-256,sha3-512,blake2b,blake2s,ripemd160,sm3,blake3,kt128"


def first_word(output):
    return {"file": next(line for line in output.decode().splitlines() if not line.startswith("#")).split()[0]}


def last_word(output):
    return {"file": output.decode().split()[-1]}


def contenders(algorithm, said, program, file):
    for name, binary in [("pfh", program), ("former pfh", said.former)]:
        for isa in said.isa.split(",") if binary else []:
            level = {} if isa == "auto" else {"PFH_ISA": isa}
            yield Contender(f"{name}, {isa}", [binary, "hash", "-a", algorithm, "-t", "1", file], first_word, level)
    openssl, b3sum = find("openssl"), find("b3sum")
    word = OPENSSL.get(algorithm, algorithm)
    if openssl and subprocess.run([openssl, "dgst", f"-{word}"], stdin=subprocess.DEVNULL, capture_output=True).returncode == 0:
        yield Contender("openssl", [openssl, "dgst", f"-{word}", file], last_word)
    if b3sum and algorithm == "blake3":
        yield Contender("b3sum", [b3sum, "--no-mmap", "--num-threads", "1", file], first_word)


def main(words):
    ask = record.arguments("single", __doc__, rounds=5)
    ask.add_argument("--former", type=Path, help="another build to compare with")
    ask.add_argument("--megabytes", default=256, type=int, help="size of the file, of 2^20 bytes (%(default)s)")
    ask.add_argument("--isa", default="auto,avx2,sse4.1,portable", help="levels of PFH_ISA (%(default)s)")
    ask.add_argument("--algorithms", default=ALGORITHMS, help="which (%(default)s)")
    said = record.parse(ask, words)
    program, rows = pfh(said), []
    with tempfile.NamedTemporaryFile(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as file:
        noise(file.name, said.megabytes << 20)
        for algorithm in said.algorithms.split(","):
            runs = take_turns(list(contenders(algorithm, said, program, file.name)), said.rounds)
            other = next((runs[name] for name in ("openssl", "b3sum") if name in runs), None)
            for name, some in runs.items():
                least, median = turns.least(some, "cpu"), turns.median(some, "cpu")
                rates = [round((said.megabytes << 20) / seconds / 1e6) for seconds in (least, median)]
                ratios = [round(mine / turns_of(other, "cpu"), 2) if other else None for mine, turns_of in ((least, turns.least), (median, turns.median))]
                rows.append([algorithm, name, round(least, 3), round(median, 3), *rates, *ratios])
    columns = ["algorithm", "program", "CPU s, least", "median", "MB/s, best", "median", "ratio, least", "median"]
    notes = [f"{said.megabytes} MiB in memory, {said.rounds} rounds; digests equal in each algorithm; ratios to OpenSSL's, under blake3 to b3sum's"]
    record.finish("single", said, [record.table("one message", columns, rows, notes=notes)], [[program, "--version"], ["openssl", "version"]])
