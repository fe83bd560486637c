"""Ctrl-C ends every function of the package that can take long, within a moment, as it ends Python's own.

The functions are those that the package names: a new one is pressed here, or is named as short.
"""

import gzip
import inspect
import io
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import threading
import time

import pyarrow.parquet
import pytest

import pfh
import pfh.audit
import pfh.cluster
from pfh.compat import blake3, hashlib, ppdeep, ssdeep, tlsh

MODULES = {"pfh": pfh, "audit": pfh.audit, "cluster": pfh.cluster, "blake3": blake3, "hashlib": hashlib, "ppdeep": ppdeep, "ssdeep": ssdeep, "tlsh": tlsh}
#: Bytes of files that nobody reads to their end.
ENDLESS = 1 << 42
#: Seconds from the signal to the exception. Measured are some 0.05; the rest is for a busy machine.
SOON = 2.5

#: Calls that take long, by the name of the function. `large` has no end, `listed` has very many names, `fifo` no writer, `server` no answer.
LONG = {
    "pfh.acquire": "pfh.acquire('large')",
    "pfh.cat": "pfh.cat('endless.tar!/large')",
    "pfh.cat_to": "pfh.cat_to('endless.tar!/large', 'to')",
    "pfh.check": "pfh.check('list')",
    "pfh.compare": "pfh.compare(['large', 'small'], 'sdhash')",
    "pfh.create_bag": "pfh.create_bag('unbagged')",
    "pfh.diff": "pfh.diff('list', 'here')",
    "pfh.dups": "pfh.dups(['large', 'same'])",
    "pfh.export": "pfh.export('fifo', 'bodyfile', 'to')",
    "pfh.extract": "pfh.extract('endless.tar', 'to')",
    "pfh.file_digest": "pfh.file_digest(open('large', 'rb'), 'md5')",
    "pfh.hash_file": "pfh.hash_file('large', 'md5')",
    "pfh.hash_files": "list(pfh.hash_files(['small', 'large'], 'md5'))",
    "pfh.hash_many": "pfh.hash_many([bytes(1 << 20)] * 40_000, 'sha512')",
    "pfh.group_similar": "pfh.group_similar(['large', 'small'], 'sdhash')",
    "pfh.list_files": "pfh.list_files('listed.tar.gz')",
    "pfh.match_sectors": "pfh.match_sectors('large', 'blocks.pfhknown', [512], any_offset=True)",
    "pfh.match": "pfh.match('large', 'set.pfhknown')",
    "pfh.member_runs": "pfh.member_runs('listed.tar.gz!/none')",
    "pfh.new": "pfh.new('sha256', mapped())",
    "pfh.report": "pfh.report('fifo', 'page.html')",
    "pfh.update_bag": "pfh.update_bag('bag')",
    "pfh.update_manifest": "pfh.update_manifest('old')",
    "pfh.validate_bag": "pfh.validate_bag('bag')",
    "pfh.verify": "pfh.verify('large', digests={'sha256': '0' * 64})",
    "pfh.sha256": "pfh.sha256(mapped())",
    "pfh.ssdeep": "pfh.ssdeep(mapped())",
    "pfh.Files.__next__": "next(pfh.hash_files('large', 'md5'))",
    "pfh.Files._wait": "pfh.hash_files('large', 'md5')._wait(1) or pfh.hash_file('large', 'md5')",
    "pfh.Hash.update": "pfh.md5().update(mapped())",
    "pfh.HashTree.append": "pfh.HashTree('grown').append()",
    "pfh.HashTree.build": "pfh.HashTree('large', tree='tree').build()",
    "pfh.HashTree.check": "pfh.HashTree('grown').check()",
    "pfh.HashTree.receive": "pfh.HashTree('received').receive([(0, 'fifo')], length=9)",
    "pfh.HashTree.update": "(tree := built()) and tree.update([(0, 12 << 30)])",
    "pfh.Known.build": "pfh.Known.build('new.pfhknown', bad='listed.gz')",
    "pfh.Known.lookup": "pfh.Known.open('set.pfhknown').lookup([bytes(32)] * 20_000_000)",
    "pfh.Known.open": "pfh.Known.open('listed.gz')",
    "pfh.Similarity.hash": "pfh.tlsh.hash(mapped())",
    "audit.ask": "pfh.audit.ask(os.environ['SERVER'], 'kept')",
    "audit.challenge": "pfh.audit.challenge('fifo', 'to')",
    "audit.prove": "pfh.audit.prove('fifo', 'large', 'to')",
    "audit.verify": "pfh.audit.verify('fifo', 'fifo', 'fifo')",
    "pfh.Ticket.digest": "(lambda queue: queue.push(b'').digest())(pfh.Queue('sha256', wait=1e6))",
    "cluster.check": "pfh.cluster.check('list', 'RUN', engine())",
    "cluster.compare": "pfh.cluster.compare('many.parquet', 'tlsh', 'RUN', engine(), threshold=100)",
    "cluster.connect": "pfh.cluster.connect(os.environ['SERVER'].replace('http', 'tcp'))",
    "cluster.hash": "pfh.cluster.hash('large', 'RUN', engine(), ['md5'])",
    "cluster.match": "pfh.cluster.match('large', 'set.pfhknown', 'RUN', engine())",
    "blake3.blake3": "blake3.blake3(mapped())",
    "blake3.blake3.update": "blake3.blake3(max_threads=2).update(mapped())",
    "blake3.blake3.update_mmap": "blake3.blake3().update_mmap('large')",
    "hashlib.blake2b": "hashlib.blake2b(mapped(), digest_size=20)",
    "hashlib.blake2b.update": "hashlib.blake2b().update(mapped())",
    "hashlib.new": "hashlib.new('sha3_256', mapped())",
    "hashlib.sha3_256": "hashlib.sha3_256(mapped())",
    "hashlib.sha3_256.update": "hashlib.sha3_256().update(mapped())",
    "hashlib.shake_128": "hashlib.shake_128(mapped())",
    "hashlib.shake_128.update": "hashlib.shake_128().update(mapped())",
    "ppdeep.hash": "ppdeep.hash(memoryview(mapped()))",
    "ppdeep.hash_from_file": "ppdeep.hash_from_file('large')",
    "ssdeep.Hash.update": "ssdeep.Hash().update(memoryview(mapped()))",
    "ssdeep.hash": "ssdeep.hash(memoryview(mapped()))",
    "ssdeep.hash_from_file": "ssdeep.hash_from_file('large')",
    "tlsh.Tlsh.update": "tlsh.Tlsh().update(mapped())",
    "tlsh.hash": "tlsh.hash(mapped())",
}
#: Functions like another one, which is pressed.
LIKE = {
    "hashlib.blake2s": "hashlib.blake2b",
    "hashlib.blake2s.update": "hashlib.blake2b.update",
    **{f"hashlib.sha3_{bits}{verb}": f"hashlib.sha3_256{verb}" for bits in (224, 384, 512) for verb in ("", ".update")},
    "hashlib.shake_256": "hashlib.shake_128",
    "hashlib.shake_256.update": "hashlib.shake_128.update",
    **{f"tlsh.{name}": "tlsh.hash" for name in ("conservativehash", "forcehash", "oldconservativehash", "oldhash")},
}
#: Functions of a few values or of a digest, and those that wait for nothing.
SHORT = {
    *("pfh.disks", "audit.commit", "cluster.status", "ppdeep.compare", "ssdeep.compare", "tlsh.diff", "tlsh.diffxlen"),
    *("pfh.Cancel", "pfh.Cancel.cancel", "pfh.Column", "pfh.Files", "pfh.Files.close", "pfh.Hash", "pfh.HashTree", "pfh.Known", "pfh.Progress", "pfh.Queue", "pfh.Queue.push", "pfh.Similarity", "pfh.Ticket", "pfh.Ticket.is_ready"),
    *("pfh.Hash.copy", "pfh.Hash.digest", "pfh.Hash.hexdigest", "pfh.Similarity.compare", "pfh.Similarity.diff"),
    *(f"{thing}.{verb}" for thing in ("blake3.blake3",) for verb in ("copy", "digest", "hexdigest", "reset")),
    *(f"hashlib.{thing}.{verb}" for thing in ("blake2b", "blake2s", "sha3_224", "sha3_256", "sha3_384", "sha3_512", "shake_128", "shake_256") for verb in ("copy", "digest", "hexdigest")),
    # It ends by itself, within a minute.
    "pfh.selftest",
    *("ssdeep.Hash", "ssdeep.Hash.copy", "ssdeep.Hash.digest", "tlsh.Tlsh"),
    *(f"tlsh.Tlsh.{verb}" for verb in ("bucket_value", "checksum", "diff", "final", "fromTlshStr", "hexdigest", "toByteArray")),
}


def functions():
    """The functions and methods that the package names; of the algorithms' functions, which are two, one each."""
    found = set()
    for prefix, module in MODULES.items():
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isclass(thing):
                if thing is getattr(pfh, name, None) and prefix != "pfh" or issubclass(thing, Exception) or thing.__module__ == "pfh._values" or thing.__module__.startswith("pfh.cluster") or hasattr(thing, "__match_args__"):
                    # Results, and the parts of a run on a cluster.
                    continue
                found.add(f"{prefix}.{name}")
                found |= {f"{prefix}.{name}.{member}" for member, one in inspect.getmembers(thing, callable) if not member.startswith("_")}
            elif isinstance(thing, pfh.Similarity):
                found.add("pfh.ssdeep")
            elif getattr(thing, "__code__", None) is pfh.sha256.__code__:
                found.add("pfh.sha256")
            elif callable(thing) and thing not in vars(__import__("hashlib")).values() and getattr(pfh, name, None) is not thing:
                found.add(f"{prefix}.{name}")
            elif callable(thing) and prefix == "pfh":
                found.add(f"pfh.{name}")
    return found | {"pfh.Files.__next__", "pfh.Files._wait"}


def test_each_function_is_pressed_or_named_as_short():
    assert functions() == set(LONG) | set(LIKE) | SHORT
    assert not set(LONG) & (set(LIKE) | SHORT) and not set(LIKE) & SHORT and set(LIKE.values()) <= set(LONG)


def sparse(path, size=ENDLESS):
    with open(path, "wb") as file:
        file.truncate(size)


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    """Files without an end."""
    room = tmp_path_factory.mktemp("endless")
    for name in ("bag/data", "here", "unbagged/data"):
        (room / name).mkdir(parents=True)
    for name in ("large", "same", "bag/data/large", "here/large", "unbagged/data/large"):
        sparse(room / name)
    (room / "small").write_bytes(b"small" * 1000)
    (room / "list").write_text("0" * 64 + "  large\n")
    (room / "old").write_text("0" * 64 + "  large\n")
    (room / "bag" / "bagit.txt").write_text("BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n")
    (room / "bag" / "manifest-sha512.txt").write_text("0" * 128 + "  data/large\n")
    os.mkfifo(room / "fifo")
    # A tar with one large member; one with very many, and a list with very many lines, both packed.
    header = tarfile.TarInfo("large")
    header.size = ENDLESS
    (room / "endless.tar").write_bytes(header.tobuf(tarfile.GNU_FORMAT))
    os.truncate(room / "endless.tar", 512 + ENDLESS)
    headers = b"".join(tarfile.TarInfo(f"a/{number}").tobuf() for number in range(10_000))
    (room / "listed.tar.gz").write_bytes(gzip.compress(headers, 1) * 500)
    lines = b"".join(b"%064x\n" % number for number in range(100_000))
    (room / "listed.gz").write_bytes(gzip.compress(lines, 1) * 200)
    digests = [f"T1{random.getrandbits(280):070X}" for _ in range(200_000)]
    pyarrow.parquet.write_table(pyarrow.table({"path": [str(number) for number in range(len(digests))], "tlsh": digests}), room / "many.parquet")
    (room / "bad.txt").write_text("1" * 64 + "\n")
    before = os.getcwd()
    os.chdir(room)
    pfh.Known.build("set.pfhknown", bad="bad.txt")
    (room / "known").write_bytes(bytes(range(256)) * 8)
    subprocess.run([pathlib.Path(sys.executable).with_name("pfh"), "known", "build", "blocks.pfhknown", "--blocks", "512", "--bad", "known"], check=True)
    (room / "grown").write_bytes(b"x" * 100_000)
    pfh.HashTree("grown").build()
    pfh.audit.commit("grown", "kept")
    sparse(room / "grown")
    os.chdir(before)
    return room


@pytest.fixture(scope="module")
def server():
    """Accepts connections, and says nothing."""
    listening, kept = socket.create_server(("127.0.0.1", 0)), []

    def serve():
        while True:
            try:
                kept.append(listening.accept())
            except OSError:
                return

    threading.Thread(target=serve, daemon=True).start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    listening.close()


PROGRAM = """
import mmap, os, sys, time
import pfh, pfh.audit, pfh.cluster
from pfh.compat import blake3, hashlib, ppdeep, ssdeep, tlsh
def mapped():
    with open("large", "rb") as file:
        return mmap.mmap(file.fileno(), 1 << 36, access=mmap.ACCESS_READ)
def built():
    with open("built", "wb") as file:
        file.truncate(12 << 30)
    tree = pfh.HashTree("built")
    tree.build()
    print("begins", flush=True)
    return tree
def engine():
    made = pfh.cluster.connect("local:1")
    print("begins", flush=True)
    return made
if __name__ == "__main__":
    if %r:
        print("begins", flush=True)
    try:
        found = %s
        print("ended", repr(found)[:200], flush=True)
    except KeyboardInterrupt:
        print("interrupted", time.time(), flush=True)
"""


@pytest.mark.parametrize("name", LONG)
def test_ctrl_c_ends(name, room, server, tmp_path):
    # Each has files of its own, of the same content.
    shutil.copytree(room, tmp_path, copy_function=os.link, dirs_exist_ok=True)
    (tmp_path / "program.py").write_text(PROGRAM % ("built()" not in LONG[name] and "engine()" not in LONG[name], LONG[name]))
    environment = os.environ | {"SERVER": server}
    with subprocess.Popen([sys.executable, "program.py"], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "begins\n", process.stderr.read()
        time.sleep(0.5)
        pressed = time.time()
        process.send_signal(signal.SIGINT)
        try:
            said, errors = process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            pytest.fail(f"{name} went on for 30 s")
    assert said.startswith("interrupted "), (said, errors)
    assert float(said.split()[1]) - pressed < SOON


def test_an_update_that_is_interrupted_took_nothing(tmp_path):
    sparse(tmp_path / "large")
    program = f"""
import mmap, os, signal, threading, pfh
with open({str(tmp_path / "large")!r}, "rb") as file:
    mapped = mmap.mmap(file.fileno(), 1 << 36, access=mmap.ACCESS_READ)
for make in (pfh.sha256, pfh.ssdeep):
    hashed = make(b"before")
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        hashed.update(mapped)
        raise SystemExit("it ended")
    except KeyboardInterrupt:
        assert hashed.hexdigest() == make(b"before").hexdigest()
# A handler that does not raise uses the object while it is updated: it sees whole updates.
seen = []
signal.signal(signal.SIGINT, lambda *_: seen.append(hashed.hexdigest()))
hashed, bytes = pfh.sha256(), bytes(1 << 29)
threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
hashed.update(bytes)
assert hashed.hexdigest() == pfh.sha256(bytes).hexdigest()
assert set(seen) <= {{pfh.sha256().hexdigest(), hashed.hexdigest()}}, seen
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_file_digest_takes_the_rest():
    for opened in (io.BytesIO(b"abcdef"), io.BufferedReader(io.BytesIO(b"abcdef"))):
        opened.seek(3)
        assert pfh.file_digest(opened, "md5").digest() == pfh.md5(b"def").digest() and opened.read() == b""
        opened.seek(3)
        assert pfh.hash_file(opened, "md5").digests["md5"] == pfh.md5(b"def").digest()
