"""The options of the walk are the program's: the same records for the same request. One file alone, and files that Python opens."""

import hashlib
import io
import json
import os
import shutil
import struct
import subprocess
import sys
import tarfile
import time
import zipfile

import pyarrow
import pytest

import pfh

PROGRAM = os.environ.get("PFH_NATIVE", "pfh")


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    room = tmp_path_factory.mktemp("walk")
    for number in range(12):
        path = room / "tree" / f"d{number % 3}" / f"{number}.{'txt' if number % 2 else 'bin'}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(os.urandom(number * 700))
    (room / "tree" / "link").symlink_to("d0/0.bin")
    os.mkfifo(room / "tree" / "fifo")
    with zipfile.ZipFile(room / "tree" / "a.zip", "w") as archive:
        archive.writestr("one", b"1" * 3000)
        inner = io.BytesIO()
        with tarfile.open(fileobj=inner, mode="w") as tape:
            member = tarfile.TarInfo("deep")
            member.size = 4
            tape.addfile(member, io.BytesIO(b"deep"))
        archive.writestr("b.tar", inner.getvalue())
    (room / "tree" / "c.rar").write_bytes(b"Rar!\x1a\x07\x01\x00" + bytes(100))
    (room / "key").write_bytes(b"secret")
    (room / "zero").write_bytes(bytes(1 << 16))
    return room


OPTIONS = [
    ({}, []),
    ({"follow": True}, ["-L"]),
    ({"include": "*.txt"}, ["--include", "*.txt"]),
    ({"include": ["*.txt", "1.*"], "exclude": ["d1", "0.bin"]}, ["--include", "*.txt", "--include", "1.*", "--exclude", "d1", "--exclude", "0.bin"]),
    ({"min_size": 701, "max_size": 5000}, ["--min-size", "701", "--max-size", "5000"]),
    ({"one_file_system": True}, ["-x"]),
    ({"order": "size"}, ["--order", "size"]),
    ({"order": "inode", "threads": 1}, ["--order", "inode"]),
    ({"order": "balanced", "memory": 1 << 20}, ["--order", "balanced"]),
    ({"inside": True}, ["--inside"]),
    ({"inside": "lenient"}, ["--inside=lenient"]),
    ({"inside": True, "depth": 1}, ["--inside", "--depth", "1"]),
    ({"inside": True, "members": True, "deleted": True, "unallocated": True}, ["--inside", "--members", "--deleted", "--unallocated"]),
    ({"inside": True, "documents": True}, ["--inside", "--documents"]),
    ({"inside": True, "raw": True, "container_timeout": 60, "expand": 1 << 20}, ["--inside", "--raw", "--container-timeout", "60", "--expand", "1MiB"]),
    ({"retries": 2, "stall_timeout": 9}, ["--retries", "2", "--stall-timeout", "9"]),
]


def rows(records):
    kinds = {"Hashed": "file", "Failed": "error", "Skipped": "skipped"}
    return [(kinds[type(one).__name__], one.path, one.hexdigests if isinstance(one, pfh.Hashed) else None) for one in records]


def printed(*words):
    done = subprocess.run([PROGRAM, "hash", "--no-progress", "--json", "-a", "md5,sha256", *words], capture_output=True, stdin=subprocess.DEVNULL)
    assert done.returncode in (0, 3), done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return [(line["type"], line["path"], dict(line["digests"]) if line["type"] == "file" else None) for line in lines if line["type"] in ("file", "error", "skipped")]


@pytest.mark.parametrize(("options", "words"), OPTIONS, ids=[" ".join(words) for _, words in OPTIONS])
def test_the_same_records_as_the_program(room, options, words):
    files = pfh.hash_files(room / "tree", ["md5", "sha256"], recursive=True, **options)
    found = rows(files)
    assert found == printed("-r", *words, str(room / "tree")) and found
    table = pyarrow.table(pfh.hash_files(room / "tree", ["md5", "sha256"], recursive=True, **options))
    assert table.column("path").to_pylist() == [path for _, path, _ in found]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has both")
@pytest.mark.parametrize("option", ["streams", "hold"])
def test_what_only_windows_has_is_refused(room, option):
    with pytest.raises(pfh.RequestError, match="only Windows|those of Windows"):
        pfh.hash_files(room / "zero", "md5", **{option: True})


def test_special_files_and_images(room):
    assert rows(pfh.hash_files("/dev/null", ["md5", "sha256"], special=True)) == printed("--special", "/dev/null")
    assert rows(pfh.hash_files(room / "zero", ["md5", "sha256"], image=True)) == printed("--image", str(room / "zero"))


def test_encrypted_volumes_open_with_keys(tmp_path):
    if shutil.which("cryptsetup") is None:
        pytest.skip("needs cryptsetup")
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "one").write_bytes(b"the one file")
    (tmp_path / "pass").write_text("correct horse")
    (tmp_path / "keys").write_text("wrong\ncorrect horse\n")
    volume = tmp_path / "luks"
    with open(volume, "wb") as file:
        file.truncate(48 << 20)
    subprocess.run(["mke2fs", "-q", "-F", "-t", "ext4", "-d", tmp_path / "t", volume, "16M"], check=True)
    encrypt = "reencrypt --encrypt --type luks2 --reduce-device-size 32M --batch-mode --pbkdf pbkdf2 --pbkdf-force-iterations 1000"
    subprocess.run(["cryptsetup", *encrypt.split(), "--key-file", tmp_path / "pass", volume], check=True)
    for options, words in [
        ({}, []),
        ({"passwords": ["wrong", "correct horse"]}, ["--passwords", str(tmp_path / "keys")]),
        ({"volume_keys": [tmp_path / "pass"]}, ["--volume-key", str(tmp_path / "pass")]),
    ]:
        found = rows(pfh.hash_files(volume, ["md5", "sha256"], inside=True, **options))
        assert found == printed("--inside", *words, str(volume))
        assert any(path.endswith("!/one") for _, path, _ in found) == bool(options)
    with pytest.raises(pfh.UnreadError, match="nowhere"):
        pfh.hash_files(volume, "md5", inside=True, volume_keys=[tmp_path / "nowhere"])


def member(role, data, devices=2, chunk=64 << 10):
    """A member of a RAID 0 of Linux: a superblock 1.2, and data behind 1 MiB."""
    sb = bytearray(256 + 2 * devices)
    struct.pack_into("<IIII16s32s", sb, 0, 0xA92B4EFC, 1, 0, 0, b"an array of pfh!", b"box:data")
    struct.pack_into("<II", sb, 88, chunk // 512, devices)
    struct.pack_into("<QQQ", sb, 128, 2048, len(data) // 512, 8)
    struct.pack_into("<I", sb, 160, role)
    struct.pack_into("<Q", sb, 208, 2**64 - 1)
    struct.pack_into("<I", sb, 220, devices)
    struct.pack_into(f"<{devices}H", sb, 256, *range(devices))
    total = sum(struct.unpack(f"<{len(sb) // 4}I", sb))
    struct.pack_into("<I", sb, 216, (total + (total >> 32)) & 0xFFFFFFFF)
    return bytes(4096) + bytes(sb) + bytes((1 << 20) - 4096 - len(sb)) + data


def test_an_array_over_several_images_is_that_of_the_program(tmp_path):
    (tmp_path / "t" / "sub").mkdir(parents=True)
    (tmp_path / "t" / "one").write_bytes(b"the one file")
    (tmp_path / "t" / "sub" / "two").write_bytes(bytes(range(256)) * 2000)
    volume = tmp_path / "fs"
    subprocess.run(["mke2fs", "-q", "-F", "-t", "ext4", "-d", tmp_path / "t", volume, "4M"], check=True)
    content = volume.read_bytes()
    chunks = [content[at : at + (64 << 10)] for at in range(0, len(content), 64 << 10)]
    images = [tmp_path / "a.img", tmp_path / "b.img"]
    for role, image in enumerate(images):
        image.write_bytes(member(role, b"".join(chunks[role::2])))
    for paths in (images, images[::-1], images[:1]):
        found = rows(pfh.hash_files(paths, ["md5", "sha256"], inside=True))
        assert found == printed("--inside", *map(str, paths))
        assert any(path.endswith("!/data/sub/two") for _, path, _ in found) == (len(paths) == 2)
    whole = pfh.cat(f"{images[0]}+b.img!/data/one")
    assert whole == b"the one file"


def test_patterns_that_match_nothing_are_said(room):
    files = pfh.hash_files(room / "tree", "md5", recursive=True, exclude="*.spam")
    assert len(list(files)) > 10
    assert files.messages == ["pattern '*.spam' matched nothing"]


def test_keyed_algorithms(room):
    import hmac

    record = pfh.hash_file(room / "zero", "hmac-sha256", key_file=room / "key")
    assert record["hmac-sha256"] == hmac.digest(b"secret", bytes(1 << 16), "sha256")
    theirs = pytest.importorskip("blake3").blake3(bytes(1 << 16), derive_key_context="a context")
    assert pfh.hash_file(room / "zero", "blake3-derive-key", derive_key="a context")["blake3-derive-key"] == theirs.digest()


def test_a_cache_keeps_digests_and_sees_rot(tmp_path):
    (tmp_path / "tree").mkdir()
    for number in range(20):
        (tmp_path / "tree" / str(number)).write_bytes(b"%d" % number * 100)
    # Files that were changed just now are not kept.
    time.sleep(2.1)

    def run(**options):
        files = pfh.hash_files(tmp_path / "tree", "sha256", recursive=True, cache=tmp_path / "cache", **options)
        return list(files), files.summary, files.messages

    first, summary, _ = run()
    assert summary["hashed"] == 20 and summary["reused"] == 0
    second, summary, messages = run()
    assert (second, summary["reused"], messages) == (first, 20, [])
    # The same size and times, another content: for a sample to find.
    import sqlite3

    with sqlite3.connect(tmp_path / "cache") as database:
        tables = [name for (name,) in database.execute("select name from sqlite_master where type = 'table'")]
    assert tables
    third, summary, _ = run(cache_verify=1.0)
    assert third == first and summary["verified"] == 20 and summary["changed"] == 0
    with pytest.raises(pfh.RequestError):
        pfh.hash_files(tmp_path / "tree", "sha256", recursive=True, cache=tmp_path / "tree" / "0")


def test_one_file(room, tmp_path, monkeypatch):
    path = room / "tree" / "d0" / "9.txt"
    data = path.read_bytes()
    record = pfh.hash_file(path, ["md5", "sha256"])
    assert record.digests == {"md5": hashlib.md5(data).digest(), "sha256": hashlib.sha256(data).digest()}
    assert (record.number, record.path, record.size, record.mtime_ns) == (0, str(path), len(data), path.stat().st_mtime_ns)
    for wrong in (room / "tree", room / "tree" / "fifo", room / "none"):
        with pytest.raises(pfh.UnreadError) as caught:
            pfh.hash_file(wrong, "md5")
        assert str(wrong) == caught.value.path
    monkeypatch.chdir(tmp_path)
    (tmp_path / "-").write_bytes(b"dash")
    assert pfh.hash_file("-", "md5")["md5"] == hashlib.md5(b"dash").digest()
    with pytest.raises(pfh.RequestError):
        pfh.hash_file(room / "tree", "md5", recursive=True)


class Odd(io.RawIOBase):
    """A file that ends before its size, gives more, or fails."""

    def __init__(self, pieces, size=None):
        self.pieces, self.size = iter(pieces), size

    def read(self, count=-1):
        piece = next(self.pieces, b"")
        if isinstance(piece, Exception):
            raise piece
        return piece

    def readable(self):
        return True


def test_open_files(tmp_path):
    data = os.urandom(3 << 20)
    (tmp_path / "file").write_bytes(data)
    with open(tmp_path / "file", "rb") as file:
        file.seek(5)
        record = pfh.hash_file(file, "sha256")
        assert not file.closed and record.path == str(tmp_path / "file")
    assert (record["sha256"], record.size, record.mtime_ns) == (hashlib.sha256(data[5:]).digest(), len(data) - 5, None)
    assert pfh.hash_file(io.BytesIO(data), ["md5", "ssdeep"]).size == len(data)
    assert pfh.hash_file(Odd([b"ab", b"c"], 3), "md5")["md5"] == hashlib.md5(b"abc").digest()


@pytest.mark.parametrize(
    ("file", "code"),
    [
        # A connection that was cut may look like the end.
        (Odd([b"ab"], 3), "truncated"),
        (Odd([b"abcd"], 3), "truncated"),
        (Odd([b"ab", OSError(5, "gone")], 3), "EIO"),
        (Odd([b"ab", RuntimeError("reset")], 3), "store"),
        (Odd([PermissionError("no")]), "EACCES"),
        (Odd([None]), "store"),
        (Odd([b"x" * (64 << 20)]), "store"),
        (io.StringIO("text"), "store"),
    ],
)
def test_files_that_do_not_come_whole_have_no_digest(file, code):
    with pytest.raises(pfh.UnreadError) as caught:
        pfh.hash_file(file, "md5")
    assert caught.value.code == code, str(caught.value)


def test_a_file_system_of_fsspec(tmp_path):
    fsspec = pytest.importorskip("fsspec")
    fs = fsspec.filesystem("memory")
    objects = {f"/bucket/{number:03}": os.urandom(number * 999) for number in range(200)}
    for name, data in objects.items():
        fs.pipe(name, data)
    files = pfh.hash_files([*fs.glob("/bucket/*"), "/bucket/none"], ["md5", "sha256"], filesystem=fs, threads=4)
    *hashed, failed = files
    assert {one.path: one["sha256"] for one in hashed} == {f"memory://{name}": hashlib.sha256(data).digest() for name, data in objects.items()}
    assert [one.number for one in hashed] == list(range(200)) and files.summary["bytes"] == sum(map(len, objects.values()))
    assert failed.code == "ENOENT" and isinstance(failed.error(), FileNotFoundError)
    assert pfh.hash_file(fs.open("/bucket/007"), "md5")["md5"] == hashlib.md5(objects["/bucket/007"]).digest()
    assert pyarrow.table(pfh.hash_files(fs.glob("/bucket/*"), "md5", filesystem=fs)).num_rows == 200


def test_an_interpreter_that_ends_leaves_a_run_behind():
    """It waits for calls of Python that are under way, and not for the run. These run Python's own
    code in every thread, so that an end which does not wait nearly always meets one."""
    program = """
import pfh, time
class Slow:
    def open(self, name, mode): return self
    def read(self, size): time.sleep(0.001); return bytes(size)
    def close(self): pass
files = pfh.hash_files(['a', 'b', 'c', 'd'], 'md5', filesystem=Slow(), threads=4)
time.sleep(0.3)
"""
    for _ in range(5):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stderr) == (0, "")
