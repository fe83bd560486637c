"""pfh.compat against the packages whose names it has. CPython's own tests of hashlib are in test_cpython."""

import hashlib
import random
import sys
import threading

import pytest

import pfh
from pfh.compat import hashlib as our_hashlib
from pfh.compat import ppdeep as our_ppdeep
from pfh.compat import ssdeep as our_ssdeep
from pfh.compat import tlsh as our_tlsh
from pfh.compat.blake3 import blake3 as our_blake3

DATA = random.Random(7).randbytes(5 << 20)
LENGTHS = [0, 1, 49, 50, 63, 64, 65, 255, 256, 1023, 1024, 1025, 4096, 131_072, 131_073, len(DATA)]


def same(one, other, *arguments, **options):
    """Both give the same value, or both raise an exception of one kind."""
    results = []
    for function in (one, other):
        try:
            results.append(function(*arguments, **options))
        except Exception as error:
            results.append(next(kind for kind in (OverflowError, BufferError, TypeError, ValueError, OSError) if isinstance(error, kind)))
    assert results[0] == results[1], (arguments, options)
    return results[0]


@pytest.mark.parametrize("mode", [{}, {"key": bytes(range(32))}, {"derive_key_context": "a context"}, {"max_threads": 4}, {"max_threads": -1}])
def test_blake3(mode, tmp_path):
    theirs = pytest.importorskip("blake3").blake3
    (tmp_path / "file").write_bytes(DATA)
    (tmp_path / "empty").write_bytes(b"")
    for length in LENGTHS:
        a, b = our_blake3(DATA[:length], **mode), theirs(DATA[:length], **mode)
        assert a.digest() == b.digest() and a.hexdigest(100) == b.hexdigest(100)
        assert a.digest(77, seek=2**40 + 5) == b.digest(77, seek=2**40 + 5) and a.digest(length=3, seek=61) == b.digest(length=3, seek=61)
        c, d = a.copy(), b.copy()
        assert c.update(b"more").digest() == d.update(b"more").digest() != a.digest()
        assert a.reset().update(memoryview(DATA)[:length]).digest() == b.digest()
    for name in ("file", "empty"):
        assert our_blake3(b"x", **mode).update_mmap(tmp_path / name).digest() == theirs(b"x", **mode).update_mmap(tmp_path / name).digest()
    for name in ("name", "digest_size", "block_size", "key_size", "AUTO"):
        assert getattr(our_blake3, name) == getattr(theirs, name)
    # The package's own tests ask for a version of three parts.
    assert len(sys.modules["pfh.compat.blake3"].__version__.split(".")) == 3
    same(lambda: our_blake3().update_mmap("/nowhere/x"), lambda: theirs().update_mmap("/nowhere/x"))


@pytest.mark.parametrize(
    ("arguments", "options"),
    [((), {"key": b"short"}), ((), {"key": bytes(32), "derive_key_context": "x"}), (("text",), {}), ((5,), {}), ((), {"max_threads": 0}), ((), {"max_threads": -2})]
    + [((), {"spam": 1}), ((), {"key": "x" * 32}), ((), {"derive_key_context": b"x"})],
)
def test_blake3_refuses_what_the_package_refuses(arguments, options):
    theirs = pytest.importorskip("blake3").blake3
    assert same(lambda *a, **o: our_blake3(*a, **o).digest(), lambda *a, **o: theirs(*a, **o).digest(), *arguments, **options) in (TypeError, ValueError)


def test_blake3_in_threads():
    whole = our_blake3(max_threads=4)
    threads = [threading.Thread(target=whole.update, args=(bytes(1 << 20),)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert whole.digest() == pfh.blake3(bytes(8 << 20)).digest()


@pytest.mark.parametrize("name", ["blake2b", "blake2s"])
def test_blake2_with_random_parameters(name):
    ours, theirs, chance = getattr(our_hashlib, name), getattr(hashlib, name), random.Random(name)
    most = theirs.MAX_DIGEST_SIZE
    for number in range(400):
        # Within the bounds, at them, and just beyond.
        choices = {
            "digest_size": [1, most - 1, most, most + 1, 0],
            "key": [b"", b"k", bytes(most), bytes(most + 1)],
            "salt": [b"", b"salt", bytes(theirs.SALT_SIZE), bytes(theirs.SALT_SIZE + 1)],
            "person": [b"", b"pers", b"p" * theirs.PERSON_SIZE, bytes(theirs.PERSON_SIZE + 1)],
            "fanout": [0, 1, 2, 255, 256, -1],
            "depth": [1, 2, 255, 0, 256],
            "leaf_size": [0, 1, 4096, 2**32 - 1, 2**32, -1],
            "node_offset": [0, 1, 2**32, 2**48 - 1, 2**48, 2**64 - 1, 2**64, -1],
            "node_depth": [0, 1, 255, 256, -1],
            "inner_size": [0, 32, most, most + 1, -1],
            "last_node": [False, True, 5],
        }
        wrong = 0.02 if number % 2 else 0.0
        options = {}
        for option, values in choices.items():
            good = [value for value in values if same(lambda **o: bool(ours(**o)), lambda **o: bool(theirs(**o)), **{option: value}) is True]
            if chance.random() < 0.4:
                options[option] = chance.choice(values if chance.random() < wrong else good)
        data = DATA[: chance.choice(LENGTHS[:-1])]
        same(lambda *a, **o: ours(*a, **o).hexdigest(), lambda *a, **o: theirs(*a, **o).hexdigest(), data, **options)
    a, b = ours(DATA[:100], digest_size=20, key=b"k"), theirs(DATA[:100], digest_size=20, key=b"k")
    c, d = a.copy(), b.copy()
    for one in (c, d):
        one.update(b"more")
    assert c.digest() == d.digest() and a.digest() == b.digest()
    for attribute in ("name", "digest_size", "block_size", "MAX_DIGEST_SIZE", "MAX_KEY_SIZE", "PERSON_SIZE", "SALT_SIZE"):
        assert getattr(a, attribute) == getattr(b, attribute), attribute


def test_hashlib_has_the_names_of_the_module(tmp_path):
    for name in hashlib.__all__:
        assert hasattr(our_hashlib, name), name
    assert our_hashlib.algorithms_guaranteed == hashlib.algorithms_guaranteed <= our_hashlib.algorithms_available
    for name in hashlib.algorithms_guaranteed:
        length = (20,) if name.startswith("shake") else ()
        a, b = our_hashlib.new(name, DATA[:1000]), hashlib.new(name, DATA[:1000], usedforsecurity=False)
        assert a.hexdigest(*length) == b.hexdigest(*length)
        # CPython 3.14's name of the message.
        for c in (getattr(our_hashlib, name)(data=DATA[:1000]), our_hashlib.new(name, data=DATA[:1000])):
            assert c.hexdigest(*length) == b.hexdigest(*length)
        assert (a.name, a.digest_size, a.block_size) == (b.name, b.digest_size, b.block_size)
    (tmp_path / "file").write_bytes(DATA)
    with open(tmp_path / "file", "rb") as file:
        assert our_hashlib.file_digest(file, "sha256").digest() == hashlib.sha256(DATA).digest()
    assert len(our_hashlib.new("whirlpool", b"x").digest()) == 64


def test_tlsh():
    theirs = pytest.importorskip("tlsh")
    samples = [DATA[:length] for length in LENGTHS] + [bytes(600), b"ab" * 300, DATA[5000:6000], DATA[5100:6100]]
    digests = []
    for sample in samples:
        for name in ("hash", "forcehash", "conservativehash", "oldhash", "oldconservativehash"):
            same(getattr(our_tlsh, name), getattr(theirs, name), sample)
        digests.append(our_tlsh.hash(sample))
        a, b = our_tlsh.Tlsh(), theirs.Tlsh()
        for one in (a, b):
            one.update(sample[:33])
            one.update(sample[33:])
        if same(lambda: a.final(), lambda: b.final()) is None and same(lambda: a.is_valid, lambda: b.is_valid):
            assert a.hexdigest() == b.hexdigest()
            for name in ("lvalue", "q1ratio", "q2ratio"):
                assert getattr(a, name) == getattr(b, name), name
            assert [a.bucket_value(n) for n in range(128)] == [b.bucket_value(n) for n in range(128)]
            rooms = bytearray(36), bytearray(36)
            a.toByteArray(rooms[0])
            b.toByteArray(rooms[1])
            assert rooms[0] == rooms[1]
            again, others = our_tlsh.Tlsh(), theirs.Tlsh()
            again.fromTlshStr(a.hexdigest())
            others.fromTlshStr(a.hexdigest())
            other = our_tlsh.hash(DATA[:4096])
            assert again.diff(a) == others.diff(b) == 0 and again.diff(other) == others.diff(other)
        same(lambda: a.update(b"x"), lambda: b.update(b"x"))
    digests += [digests[-1][2:], "TNULL", "", "xyz", "T1" + "0" * 69]
    for a in digests:
        for b in digests:
            same(our_tlsh.diff, theirs.diff, a, b)
            same(our_tlsh.diffxlen, theirs.diffxlen, a, b)
    for wrong in ("zz", "TNULL"):
        same(our_tlsh.Tlsh().fromTlshStr, theirs.Tlsh().fromTlshStr, wrong)
    same(lambda: our_tlsh.Tlsh().hexdigest(), lambda: theirs.Tlsh().hexdigest())


def test_ppdeep_and_ssdeep(tmp_path):
    theirs = pytest.importorskip("ppdeep", reason="`target/python-venv/bin/pip install ppdeep`, then `tools/python/check -k ppdeep`")
    text = " ".join(str(number) for number in range(20_000))
    samples = [b"", b"a", b"some words that are few", DATA[:3000], DATA[:9000], text[:30_000], text[500:30_000]]
    digests = []
    for number, sample in enumerate(samples):
        digests.append(same(our_ppdeep.hash, theirs.hash, sample))
        (tmp_path / str(number)).write_bytes(sample.encode() if isinstance(sample, str) else sample)
        if sample:
            same(our_ppdeep.hash_from_file, theirs.hash_from_file, str(tmp_path / str(number)))
        assert our_ssdeep.hash(sample) == digests[-1]
        whole = our_ssdeep.Hash()
        whole.update(sample[:100])
        whole.copy().update(b"apart")
        whole.update(sample[100:])
        assert whole.digest() == digests[-1]
    for a in digests:
        for b in digests:
            # Scores are those of ssdeep 2.14.1, from which ppdeep's differ at times: docs/python.md.
            assert abs(our_ppdeep.compare(a, b) - theirs.compare(a, b)) <= 30 and our_ssdeep.compare(a.encode(), b) == our_ppdeep.compare(a, b)
    for wrong in (5, None):
        same(our_ppdeep.hash, theirs.hash, wrong)
        same(our_ppdeep.hash_from_file, theirs.hash_from_file, wrong)
        same(our_ppdeep.compare, theirs.compare, wrong, digests[-1])
    same(our_ppdeep.compare, theirs.compare, "spam", digests[-1])
    same(our_ppdeep.hash_from_file, theirs.hash_from_file, str(tmp_path / "none"))
    with pytest.raises(our_ssdeep.InternalError):
        our_ssdeep.compare("spam", digests[-1])
    runs = our_ssdeep.Hash()
    runs.update(b"a" * 4000 + DATA[:500] + b"b" * 4000)
    assert len(runs.digest(elimseq=True)) <= len(runs.digest()) and runs.digest(elimseq=True).startswith(runs.digest().split(":")[0])


def test_the_modules_can_stand_in_for_the_packages(monkeypatch):
    for name, module in {"tlsh": our_tlsh, "ppdeep": our_ppdeep, "ssdeep": our_ssdeep, "blake3": sys.modules["pfh.compat.blake3"]}.items():
        monkeypatch.setitem(sys.modules, name, module)
        names = {}
        exec(f"import {name} as module\nfrom {name} import *", names)
        assert names["module"] is module and set(module.__all__) <= set(names)
