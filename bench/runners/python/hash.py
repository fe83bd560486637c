"""pfh bench runner: Python, hashlib.  Protocol: ../README.md"""
import hashlib
import platform
import ssl
import sys
import time

ALGORITHMS = {"md5": "md5", "sha1": "sha1", "sha256": "sha256", "sha512": "sha512", "sha3-256": "sha3_256"}


def usage(reason):
    sys.stderr.write(f"hash: {reason}\nusage: hash [--json] REPEAT WARMUP ALGO FILE\nALGO: {' '.join(ALGORITHMS)}\n")
    sys.exit(2)


def count(text, least):
    if not text.isascii() or not text.isdigit() or int(text) < least:
        usage("REPEAT must be 1 or more, WARMUP 0 or more")
    return int(text)


def main(arguments):
    json = arguments[:1] == ["--json"]
    arguments = arguments[json:]
    if len(arguments) != 4:
        usage("four operands are needed")
    repeat, warmup = count(arguments[0], 1), count(arguments[1], 0)
    name = ALGORITHMS.get(arguments[2]) or usage("unknown algorithm")
    try:
        with open(arguments[3], "rb") as file:
            data = file.read()
    except OSError as error:
        usage(f"cannot read FILE: {error.strerror}")
    if json:
        print(f'{{"runtime":"{platform.python_implementation()}","version":"{platform.python_version()}",'
              f'"provider":"{ssl.OPENSSL_VERSION}","algorithm":"{arguments[2]}","bytes":{len(data)}}}')
    for index in range(-warmup, repeat):
        cpu, wall = time.process_time_ns(), time.perf_counter_ns()
        hasher = hashlib.new(name, usedforsecurity=False)
        hasher.update(data)
        digest = hasher.digest()
        wall, cpu = time.perf_counter_ns() - wall, time.process_time_ns() - cpu
        if index < 0:
            continue
        if json:
            print(f'{{"index":{index},"digest":"{digest.hex()}","wall_ns":{wall},"cpu_ns":{cpu}}}')
        else:
            print(index, digest.hex(), wall // 1_000_000)


main(sys.argv[1:])
