"""The other jobs: similarity, known sets, manifests, trees, acquisition."""

import hashlib
import json
import os
import random
import subprocess
import sys
import tarfile

import pytest
import tlsh
from hypothesis import given
from hypothesis import strategies as st

import pfh
import pfh.audit


def run(*words, **settings):
    return subprocess.run([sys.executable, "-m", "pfh", *words], capture_output=True, **settings)


def text(seed, length=40_000):
    words = random.Random(seed)
    return bytes(words.choice(b"abcdefghijklmnopqrstuvwxyz     \n") for _ in range(length))


@given(st.binary(min_size=300, max_size=3000))
def test_tlsh_is_that_of_py_tlsh(data):
    theirs = tlsh.hash(data)
    assert pfh.tlsh.hash(data) == theirs
    other = text(1)
    if theirs != "TNULL":
        assert pfh.tlsh.compare(pfh.tlsh(data), pfh.tlsh(other)) == tlsh.diff(theirs, tlsh.hash(other))
        assert pfh.tlsh.diff(theirs, theirs) == 0


@pytest.mark.parametrize("method", [pfh.ssdeep, pfh.sdhash, pfh.mrsh_v2])
def test_similar_texts_are_similar(method):
    one, other = text(1), text(2)
    near = one[:20_000] + b"something else" + one[20_000:]
    digest = method.hash(one)
    assert digest == method(one).hexdigest() == pfh.new(method.name, one).hexdigest()
    assert method.compare(digest, digest) == 100
    assert method.compare(digest, method(near)) > 50 > method.compare(digest, method.hash(other))
    with pytest.raises(ValueError):
        method.compare(digest, "no digest")
    with pytest.raises(ValueError):
        pfh.Similarity("sha256")


def test_no_digest_is_no_score():
    assert pfh.tlsh.hash(b"short") == "TNULL" and pfh.sdhash.hash(b"short") == "none"
    with pytest.raises(ValueError, match="no digest"):
        pfh.tlsh.compare("TNULL", pfh.tlsh(text(1)))


def test_compare_finds_the_pairs(tmp_path):
    one = text(1)
    (tmp_path / "a").write_bytes(one)
    (tmp_path / "b").write_bytes(one[:30_000])
    (tmp_path / "c").write_bytes(text(2))
    paths = [tmp_path / name for name in ("a", "b", "c", "missing")]
    pairs, left_out = pfh.compare(paths, "ssdeep")
    assert [(pair.a, pair.b) for pair in pairs] == [(str(tmp_path / "a"), str(tmp_path / "b"))]
    assert pairs[0].score == pfh.ssdeep.compare(pfh.ssdeep(one), pfh.ssdeep(one[:30_000]))
    assert [failed.code for failed in left_out] == ["ENOENT"]
    assert pfh.compare(paths[:2], "ssdeep", threshold=100)[0] == []
    assert len(pfh.compare([tmp_path / "a", tmp_path / "a"], "sha256")[0]) == 1


def test_known_sets(tmp_path):
    (tmp_path / "bad.txt").write_text(f"{pfh.sha256(b'evil').hexdigest()}  evil\nno record\n")
    (tmp_path / "good.txt").write_text(f"{pfh.sha256(b'fine').hexdigest()}  fine\n")
    known = pfh.Known.build(tmp_path / "set.pfhknown", bad=tmp_path / "bad.txt", good=[tmp_path / "good.txt"])
    assert len(known.gaps) == 1 and "bad.txt:2" in known.gaps[0]
    assert sorted((cls, records) for _, cls, records in known.sets) == [("bad", 1), ("good", 1)]
    again = pfh.Known.open(tmp_path / "set.pfhknown")
    digests = [pfh.sha256(word).digest() for word in (b"evil", b"fine", b"else")]
    for sets in (known, again):
        assert [v.status for v in sets.lookup(digests)] == ["known-bad", "known-good", "unknown"]
        assert sets.lookup(digests[0].hex())[0].sets == [("bad", "bad")]
        assert sets.lookup([pfh.md5(b"evil").digest()])[0].status == "nothing-to-compare-with"
    listed = pfh.Known.open(tmp_path / "bad.txt", cls="notable")
    assert listed.lookup(digests)[0].status == "known-bad"
    with pytest.raises(ValueError):
        known.lookup("not hexadecimal")
    with pytest.raises(pfh.UnreadError):
        pfh.Known.open(tmp_path / "missing")
    # A file that is not a set is not replaced.
    (tmp_path / "precious").write_text("precious")
    with pytest.raises(pfh.RequestError):
        pfh.Known.build(tmp_path / "precious", bad=tmp_path / "bad.txt")
    assert (tmp_path / "precious").read_text() == "precious"

    for name, data in (("1", b"evil"), ("2", b"fine"), ("3", b"else")):
        (tmp_path / name).write_bytes(data)
    rows = pfh.match([tmp_path / name for name in "123"] + [tmp_path / "gone"], tmp_path / "set.pfhknown")
    assert [row.verdict and row.verdict.status for row in rows] == ["known-bad", "known-good", "unknown", None]
    assert isinstance(rows[3].record, pfh.Failed)
    assert (len(rows), rows.exit, bool(rows), rows.messages) == (4, 1, False, [])
    assert pfh.match(tmp_path / "2", tmp_path / "set.pfhknown")
    assert pfh.match([tmp_path / "2", tmp_path / "gone"], tmp_path / "set.pfhknown").exit == 3
    (tmp_path / "empty").write_text("")
    with pytest.raises(pfh.UnreadError, match="nothing to compare with"):
        pfh.match(tmp_path / "1", tmp_path / "empty", cls="bad")


def test_a_torn_list_is_no_answer(tmp_path):
    (tmp_path / "evil").write_bytes(b"evil")
    digest = pfh.sha256(b"evil").hexdigest()
    (tmp_path / "torn").write_text(f"{digest[:50]}  evil\n{digest[:40]}\n{pfh.sha256(b'x').hexdigest()}  x\n")
    program = run("match", "-k", "torn", "--class", "bad", "evil", cwd=tmp_path)
    assert program.returncode == 3
    with pytest.raises(pfh.UnreadError) as raised:
        pfh.match(tmp_path / "evil", tmp_path / "torn", cls="bad")
    assert "torn:1" in str(raised.value) or "torn:2" in str(raised.value)
    rows = pfh.match(tmp_path / "evil", tmp_path / "torn", cls="bad", partial=True)
    assert [row.verdict.status for row in rows] == ["unknown"]
    assert rows.exit == 3 and "torn:1" in rows.messages[0]
    # A second set that holds nothing.
    (tmp_path / "good").write_text(f"{digest}  evil\n")
    (tmp_path / "empty").write_text("")
    with pytest.raises(pfh.UnreadError, match="holds no digest"):
        pfh.match(tmp_path / "evil", [tmp_path / "good", tmp_path / "empty"], cls="bad")
    assert pfh.match(tmp_path / "evil", tmp_path / "good", cls="bad")[0].verdict.status == "known-bad"


def test_pairs_are_those_of_the_program(tmp_path):
    one, other = random.Random(1).randbytes(400_000), random.Random(2).randbytes(20_000)
    files = {"twice": one + one, "other": other, "a": b"hello", "b": b"hello", "c": one[:60_000], "d": one[:60_000]}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    for method in ("mrsh-v2", "sdhash", "ssdeep", "tlsh"):
        for more in ([], ["--saturated"]):
            program = run("compare", "--json", "-a", method, *more, *sorted(files), cwd=tmp_path)
            rows = [json.loads(line) for line in program.stdout.splitlines()]
            expected = sorted((row["a"], row["b"]) for row in rows)
            pairs, left_out = pfh.compare([tmp_path / name for name in sorted(files)], method, saturated=bool(more))
            found = sorted((os.path.basename(pair.a), os.path.basename(pair.b)) for pair in pairs)
            assert found == expected and not left_out, (method, more)
            assert ("a", "b") in found and ("c", "d") in found
    # Lists are read as lists, and a torn one is not an answer.
    assert run("hash", "-a", "ssdeep", "-f", "ssdeep", "-o", "list", "c", "d", "twice", cwd=tmp_path).returncode == 0
    pairs, _ = pfh.compare(tmp_path / "list", "ssdeep")
    assert {(pair.a, pair.b) for pair in pairs} >= {("c", "d")}
    with open(tmp_path / "list", "a") as torn:
        torn.write("3:torn\n")
    with pytest.raises(pfh.UnreadError, match="list"):
        pfh.compare(tmp_path / "list", "ssdeep")


def test_check_of_stated_columns(tmp_path):
    (tmp_path / "f").write_bytes(b"x\n")
    md5, sha256 = (hashlib.new(name, b"x\n").hexdigest() for name in ("md5", "sha256"))
    (tmp_path / "list").write_text(f"7;f;{sha256};{md5}\n")
    assert pfh.check(tmp_path / "list", columns="-,name,-,md5").by_algorithm == {"md5": 1}
    assert pfh.check(tmp_path / "list", columns=["-", "name", "sha256", "md5"]).good
    assert not pfh.check(tmp_path / "list", columns=["size", "name", "sha256", "-"]).good
    for nothing in ([], 3):
        with pytest.raises((pfh.RequestError, TypeError)):
            pfh.check(tmp_path / "list", columns=nothing)
    with pytest.raises(pfh.RequestError, match="columns"):
        pfh.check("s3://bucket/prefix", columns="name")


def test_check(tmp_path):
    for name in "ab":
        (tmp_path / name).write_text(name)
    assert run("hash", "-a", "sha256", "-o", "list", "a", "b", cwd=tmp_path).returncode == 0
    done = pfh.check(tmp_path / "list")
    assert done and (done.verdict, done.verified, done.expected) == ("verified", 2, 2)
    assert done.by_algorithm == {"sha256": 2} and done.files == [("a", "right"), ("b", "right")]
    (tmp_path / "b").write_text("c")
    done = pfh.check(tmp_path / "list")
    assert not done and done.verdict == "differs" and done.files[1] == ("b", "wrong")
    (tmp_path / "c").write_text("c")
    classes = dict(pfh.check(tmp_path / "list", root=tmp_path, audit=True).files)
    assert {name[-1]: cls for name, cls in classes.items()}["c"] in ("new", "copied")
    (tmp_path / "nothing").write_text("")
    assert pfh.check(tmp_path / "nothing").verdict == "nothing-to-compare-with"
    with pytest.raises(pfh.UnreadError) as raised:
        pfh.check(tmp_path / "missing")
    assert raised.value.path == str(tmp_path / "missing") and "ENOENT" in raised.value.cause


def test_levels_of_findings(tmp_path):
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "a").write_bytes(b"x")
    (tmp_path / "list").write_text(f"{hashlib.sha256(b'x').hexdigest()}  a\n")
    (tmp_path / "d" / "new").write_bytes(b"y")
    listed = {"root": tmp_path / "d", "audit": True}
    strict = pfh.check(tmp_path / "list", **listed)
    assert not strict and {"audit/new": "error"} == {row["id"]: row["level"] for row in strict.rows if "id" in row}
    lowered = pfh.check(tmp_path / "list", level={"audit/new": "warn"}, **listed)
    assert lowered and {"audit/new": "warn"} == {row["id"]: row["level"] for row in lowered.rows if "id" in row}
    assert pfh.diff(tmp_path / "d", tmp_path / "list").exit == 1
    assert pfh.diff(tmp_path / "d", tmp_path / "list", level={"diff/removed": "warn"}).exit == 0
    (tmp_path / "a.sit").write_bytes(b"StuffIt (c)1997-..............")
    assert pfh.list_files(tmp_path / "a.sit").exit == 3
    assert pfh.list_files(tmp_path / "a.sit", level={"inside/unopened": "warn"}).exit == 0
    for name in ["a", "b"]:
        (tmp_path / "d" / name).write_bytes(b"same")
    (tmp_path / "d" / "link").symlink_to("a")
    assert pfh.dups(tmp_path / "d").exit == 0
    raised = pfh.dups(tmp_path / "d", level={"skip/link": "error"})
    assert raised.exit == 3 and {"skip/link": "error"} == {row["id"]: row["level"] for row in raised.rows if "id" in row}
    with tarfile.open(tmp_path / "t.tar", "w") as archive:
        archive.add(tmp_path / "d", "d")
    for place, level, code, word in [("one", None, 3, "error"), ("two", {"extract/not-made": "warn"}, 0, "warn")]:
        made = pfh.extract(tmp_path / "t.tar", tmp_path / place, level=level)
        assert made.exit == code and {"extract/not-made": word} == {row["id"]: row["level"] for row in made.rows if "id" in row}
    (tmp_path / "bag" / "data").mkdir(parents=True)
    for name in ["a", "A"]:
        (tmp_path / "bag" / "data" / name).write_bytes(b"x")
    assert pfh.create_bag(tmp_path / "bag", level={"bag/warning": "error"}).exit == 3
    assert pfh.validate_bag(tmp_path / "bag").exit == 0
    assert pfh.validate_bag(tmp_path / "bag", level={"bag/warning": "error"}).exit == 3
    for job in [pfh.verify, pfh.acquire, pfh.validate_bag, pfh.create_bag, pfh.update_bag]:
        with pytest.raises(ValueError, match="always count"):
            job(tmp_path / "list", level={"verify/differs": "warn"})
    for level in [{"check/differs": "ignore"}, {"no/such": "warn"}, {"audit/new": "loud"}]:
        with pytest.raises(ValueError, match="always count|no finding|not a level"):
            pfh.check(tmp_path / "list", level=level)


def test_check_of_a_share(tmp_path):
    for at in range(10):
        (tmp_path / f"{at}").write_text("x" * 100)
    assert run("hash", "-a", "sha256", "-o", "list", *map(str, range(10)), cwd=tmp_path).returncode == 0
    assert pfh.check(tmp_path / "list").shares == []
    seen = []
    for _ in range(5):
        done = pfh.check(tmp_path / "list", share="1/5", state=tmp_path / "kept")
        assert done and (done.verified, done.expected) == (2, 2)
        seen += [name for name, _ in done.files]
    assert sorted(seen) == [str(at) for at in range(10)] and not (tmp_path / "list.checked").exists()
    (share,) = done.shares
    assert (share["read"], share["files"], share["bytes"], share["total"], share["never"]) == (2, 10, 200, 1000, 0)
    assert 0 <= share["oldest"] < 600
    # The program goes on where the package was.
    seen = run("check", "--share", "20%", "--state", "kept", "--json", "list", cwd=tmp_path)
    assert seen.returncode == 0 and json.loads(seen.stdout.splitlines()[-1])["share"]["never"] == 0
    assert pfh.check(tmp_path / "list", limit=3600).shares[0]["read"] == 10
    for wrong in [{"share": "2/1"}, {"share": "all"}, {"limit": -1}, {"limit": float("nan")}, {"state": "kept"}]:
        with pytest.raises(ValueError):
            pfh.check(tmp_path / "list", **wrong)
    with pytest.raises(pfh.RequestError):
        pfh.check(tmp_path / "list", share="1/2", audit=True)


def macs(name, key):
    """The functions of a keyed tree as docs/spec/tree.md has them, by hashlib and hmac."""
    import hmac

    return lambda *parts: hmac.digest(key, b"".join(parts), name)


def root_of(mac, data, leaf):
    """The root of a binary tree of pairs, by recursion."""
    u64 = lambda number: number.to_bytes(8, "little")
    parts = [data[at : at + leaf] for at in range(0, len(data), leaf)] or [b""]
    values = [mac(b"pfh tree 1: leaf", u64(index), u64(len(part)), part) for index, part in enumerate(parts)]

    def over(values):
        if len(values) == 1:
            return values[0], 0
        half = 1 << (len(values) - 1).bit_length() - 1
        (left, level), (right, _) = over(values[:half]), over(values[half:])
        return mac(b"pfh tree 1: node", u64(level), left, right), level + 1

    return mac(b"pfh tree 1: root", u64(leaf), u64(len(data)), over(values)[0])


@pytest.mark.parametrize(("algorithm", "name"), [("hmac-sha256", "sha256"), ("hmac-sha3-256", "sha3_256")])
def test_keyed_hash_tree(tmp_path, algorithm, name):
    disk, key, other = tmp_path / "disk", tmp_path / "key", tmp_path / "other"
    secret = bytes(range(40))
    key.write_bytes(secret)
    other.write_bytes(bytes(40))
    tree = pfh.HashTree(disk, key_file=key)
    for length in (0, 1, 1024, 1025, 5000, 100_000):
        data = bytes(number * 31 % 251 for number in range(length))
        disk.write_bytes(data)
        state = tree.build(algorithm=algorithm, leaf=1024)
        assert state.root == root_of(macs(name, secret), data, 1024).hex() and state.algorithm == algorithm
    changed = bytearray(data)
    changed[40_000] ^= 1
    disk.write_bytes(changed)
    assert tree.check().corrupt == [(39_936, 40_960)]
    assert tree.update([(40_000, 40_001)]).root == root_of(macs(name, secret), bytes(changed), 1024).hex()
    with open(disk, "ab") as file:
        file.write(b"more")
    root = tree.append().root
    assert root == root_of(macs(name, secret), bytes(changed) + b"more", 1024).hex() and tree.check(root=root)
    assert secret[:8] not in tree.tree.read_bytes()
    for key_file in (None, other):
        refused = pfh.HashTree(disk, key_file=key_file)
        for verb in (refused.check, refused.append, lambda: refused.update([(0, 1)])):
            with pytest.raises(pfh.RequestError, match=algorithm):
                verb()
    with pytest.raises(pfh.RequestError):
        pfh.HashTree(disk).build(algorithm=algorithm)
    with pytest.raises(pfh.RequestError):
        tree.build()
    # The auditor needs the key, the server does not.
    pfh.audit.commit(disk, tmp_path / "kept", identity="disk", key_file=key)
    pfh.audit.challenge(tmp_path / "kept", tmp_path / "question")
    pfh.audit.prove(tmp_path / "question", disk, tmp_path / "answer")
    asked = (tmp_path / "kept", tmp_path / "question", tmp_path / "answer")
    assert pfh.audit.verify(*asked, key_file=key)
    for key_file in (None, other):
        with pytest.raises(pfh.RequestError):
            pfh.audit.verify(*asked, key_file=key_file)


def test_hash_tree_of_a_transfer(tmp_path):
    data = bytes(number * 31 % 251 for number in range(100_000))
    (tmp_path / "front").write_bytes(data[:33_333])
    (tmp_path / "back").write_bytes(data[33_333:])
    front, back = (0, tmp_path / "front"), (33_333, tmp_path / "back")
    tree = pfh.HashTree(tmp_path / "disk")
    with pytest.raises(pfh.Error, match="0:33333"):
        tree.receive([back], length=100_000)
    state = tree.receive([front, (*back, None)], length=100_000)
    assert state.root == pfh.blake3(data).hexdigest() and tree.file.read_bytes() == data
    assert tree.check(root=state.root) and not (tmp_path / "disk.receipt").exists()
    with pytest.raises(pfh.RequestError, match="exists"):
        tree.receive([front, back])
    again = tree.receive([back, (*front, 33_333)], algorithm="kt128", memory=1 << 20, replace=True)
    assert again.root == pfh.new("kt128", data).hexdigest()
    (tmp_path / "other").write_bytes(b"!")
    with pytest.raises(pfh.DiffersError):
        pfh.HashTree(tmp_path / "new").receive([front, back, (5, tmp_path / "other")])
    for part in [(), (1,), (1, 2, 3, 4)]:
        with pytest.raises(ValueError):
            tree.receive([part])


def test_keyed_blake3_hash_tree(tmp_path):
    (tmp_path / "key").write_bytes(b"whats the Elvish word for friend")
    (tmp_path / "disk").write_bytes(bytes(100_000))
    root = pfh.HashTree(tmp_path / "disk", key_file=tmp_path / "key").build(algorithm="blake3-keyed").root
    (record,) = pfh.hash_files(tmp_path / "disk", "blake3-keyed", key_file=tmp_path / "key")
    assert record["blake3-keyed"].hex() == root
    (tmp_path / "short").write_bytes(bytes(31))
    with pytest.raises(pfh.RequestError, match="32 bytes"):
        pfh.HashTree(tmp_path / "disk", key_file=tmp_path / "short").build(algorithm="blake3-keyed")


def test_hash_tree(tmp_path):
    disk = tmp_path / "disk"
    disk.write_bytes(bytes(100_000))
    tree = pfh.HashTree(disk)
    built = tree.build()
    assert built.root == pfh.blake3(bytes(100_000)).hexdigest() and built.length == 100_000
    assert os.fspath(tree.tree) == f"{disk}.pfhtree" and tree.check(root=built.root)
    with open(disk, "r+b") as file:
        file.seek(40_000)
        file.write(b"!")
    state = tree.check()
    assert not state and state.corrupt == [(32768, 49152)]
    with pytest.raises(pfh.DiffersError) as raised:
        tree.check(root=built.root)
    assert raised.value.path == str(disk)
    assert tree.update([(40_000, 40_001)]).root == pfh.blake3(disk.read_bytes()).hexdigest()
    with open(disk, "ab") as file:
        file.write(b"more")
    assert tree.append().length == 100_004 and tree.check()
    with pytest.raises(ValueError):
        tree.update()
    with pytest.raises(pfh.Error):
        pfh.HashTree(tmp_path / "missing").build()


def test_acquire(tmp_path):
    disk = tmp_path / "disk"
    disk.write_bytes(os.urandom(300_000))
    done = pfh.acquire(disk, tmp_path / "disk.img", verify=True, examiner="Ada", algorithms="sha256")
    assert done.complete and done.verified and done.bytes == 300_000 and done.unreadable == []
    assert done.digests == {"sha256": pfh.sha256(disk.read_bytes()).hexdigest()}
    assert (tmp_path / "disk.img").read_bytes() == disk.read_bytes()
    assert run("verify", tmp_path / "disk.img").returncode == 0 and done.log
    with pytest.raises(pfh.RequestError):
        pfh.acquire(disk, disk)
    with pytest.raises(pfh.Error):
        pfh.acquire(tmp_path / "missing", tmp_path / "other.img")
    assert not (tmp_path / "other.img").exists()


# The private key of RFC 8410 (10.3) under the passphrase `secret`, by OpenSSL 3.0.
ENCRYPTED = """-----BEGIN ENCRYPTED PRIVATE KEY-----
MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhbug7jlyoKfQICCAAw
DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEELbCz2hg0/QgBrE1f5DrVqgEQO8N
mc0a7HnU4ng7KAUTsbV+U4NaIJOGk2UrKJBLaFmnd0p0cC19jTPCCaVJHIrxF2ft
nINSSfzDjb916S5kytQ=
-----END ENCRYPTED PRIVATE KEY-----
"""
PUBLIC = "19bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1"


def test_acquire_without_targets_and_with_an_encrypted_key(tmp_path):
    disk, key = tmp_path / "disk", tmp_path / "key.pem"
    disk.write_bytes(os.urandom(100_000))
    key.write_text(ENCRYPTED)
    (tmp_path / "key.pub").write_text(PUBLIC)
    done = pfh.acquire(disk, algorithms="sha256")
    assert done.digests == {"sha256": pfh.sha256(disk.read_bytes()).hexdigest()}
    assert done.log is None and done.hidden is None and done.health == ({}, {}) and done.timestamp is None
    with pytest.raises(pfh.Error):
        pfh.acquire(disk, tmp_path / "a.img", key=key, passphrase=b"wrong")
    assert not (tmp_path / "a.img").exists()
    # Nobody listens at this port: the log is finished without a stamp.
    more = tmp_path / "more"
    more.mkdir()
    done = pfh.acquire(
        disk,
        tmp_path / "a.E01",
        log=tmp_path / "named.log",
        key=key,
        passphrase=b"secret",
        timestamp="http://127.0.0.1:9/",
        then=[more],
    )
    assert done.timestamp is None and any("no time stamp" in event for event in done.events)
    assert os.fspath(done.log) == str(tmp_path / "named.log.jsonl")
    # The image is as the log has it; the stamp that was asked for is missed.
    verified = pfh.verify(tmp_path / "a.E01", log=done.log, key=tmp_path / "key.pub")
    assert not verified and verified.verdict == "nothing-to-compare-with" and "time stamp was asked for" in repr(verified)


def test_this_machine_is_tested(tmp_path):
    done = pfh.selftest(tmp_path, size=1 << 20)
    groups = {row["group"] for row in done.rows}
    assert groups == {"machine", "digests", "known", "files", "speed"}
    assert done.exit in (0, 3) and done.summary["wrong"] == 0
    assert bool(done) == (done.exit == 0)
    # Each instruction set in a process of its own.
    levels = [row for row in done.rows if row["group"] == "digests" and row["standing"] == "holds"]
    assert levels[0]["name"] == "portable" and len(levels) >= 2
    assert not list(tmp_path.iterdir())
    with pytest.raises(pfh.UnreadError):
        pfh.selftest(tmp_path / "none")
