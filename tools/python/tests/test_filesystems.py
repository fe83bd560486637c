"""File systems of dissect and dfVFS, walked and hashed: the answers are those of hashlib over what was put into the images."""

import hashlib
import io
import os
import pathlib
import random
import shutil
import subprocess
import threading
import time

import pytest

import pfh

os.environ["PATH"] += ":/sbin:/usr/sbin"
FORENSIC = "`target/python-venv/bin/pip install -r tools/python/tests/requirements-forensic.txt`"
target = pytest.importorskip("dissect.target", reason=FORENSIC)
pytest.importorskip("dfvfs", reason=FORENSIC)

from dissect.fve import luks  # noqa: E402
from dissect.ntfs import NTFS  # noqa: E402
from dissect.target.filesystem import VirtualFile, VirtualFilesystem  # noqa: E402
from dissect.target.filesystems.extfs import ExtFilesystem  # noqa: E402
from dissect.target.filesystems.ntfs import NtfsFilesystem  # noqa: E402
from dfvfs.lib import definitions  # noqa: E402
from dfvfs.path import factory  # noqa: E402
from dfvfs.resolver import resolver  # noqa: E402

NASTY = b"\xff\xfe name"
FILES = {
    b"a": b"",
    b"b.bin": random.Random(1).randbytes(3_000_000),
    b"dir/deeper/c d\n": b"three",
    b"dir/" + NASTY: b"no text",
    "dir/\u00fcber".encode(): b"umlaut",
    b"dir.x": b"sorted behind dir/",
}


@pytest.fixture(scope="module")
def ext4(tmp_path_factory):
    """An image of ext4 with files, a link out of the tree, and a FIFO."""
    if not shutil.which("mke2fs"):
        pytest.skip("no mke2fs")
    room = tmp_path_factory.mktemp("ext4")
    tree = os.fsencode(room / "tree")
    for name, content in FILES.items():
        path = os.path.join(tree, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        pathlib.Path(os.fsdecode(path)).write_bytes(content)
    os.symlink("b.bin", os.path.join(tree, b"link"))
    os.symlink("/", os.path.join(tree, b"root"))
    os.mkfifo(os.path.join(tree, b"pipe"))
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-d", tree, room / "image", "32M"], check=True)
    return room / "image"


@pytest.fixture(scope="module")
def ntfs(tmp_path_factory):
    """An image of NTFS: a file with another stream."""
    if not (shutil.which("mkntfs") and shutil.which("ntfscp")):
        pytest.skip("no mkntfs")
    room = tmp_path_factory.mktemp("ntfs")
    with open(room / "image", "wb") as image:
        image.truncate(16 << 20)
    subprocess.run(["mkntfs", "-Q", "-q", "-F", room / "image"], check=True, capture_output=True)
    for name, content in ((b"large.bin", FILES[b"b.bin"]), (b"small.txt", b"small")):
        (room / "content").write_bytes(content)
        subprocess.run(["ntfscp", "-f", room / "image", room / "content", name], check=True, capture_output=True)
    (room / "content").write_bytes(b"hidden")
    subprocess.run(["ntfscp", "-f", "-N", "zone", room / "image", room / "content", b"small.txt"], check=True, capture_output=True)
    return room / "image"


def dfvfs_of(image, kind):
    raw = factory.Factory.NewPathSpec(definitions.TYPE_INDICATOR_OS, location=str(image))
    raw = factory.Factory.NewPathSpec(definitions.TYPE_INDICATOR_RAW, parent=raw)
    return resolver.Resolver.OpenFileSystem(factory.Factory.NewPathSpec(kind, location="/", parent=raw))


def sha(content):
    return hashlib.sha256(content).hexdigest()


def outcomes(files):
    """Digests, reasons and causes by the bytes of the names."""
    records = list(files)
    names = [os.fsencode(record.path) for record in records]
    assert len(set(names)) == len(names) and [record.number for record in records] == list(range(len(records)))
    return {name: record.hexdigests["sha256"] if isinstance(record, pfh.Hashed) else getattr(record, "reason", None) or record.code for name, record in zip(names, records)}


def test_a_walk_of_dissect_has_every_entry_once(ext4):
    with open(ext4, "rb") as image:
        files = pfh.hash_files("/", "sha256", filesystem=ExtFilesystem(image), recursive=True)
        seen = outcomes(files)
    assert {name.removeprefix(b"/"): value for name, value in seen.items()} == {name: sha(content) for name, content in FILES.items()} | {
        b"link": "symbolic link",
        b"root": "symbolic link",
        b"pipe": "FIFO",
    }
    # In the order of the tree itself.
    tree = os.fsencode(ext4.with_name("tree"))
    assert [os.fsencode(record.path).removeprefix(tree) for record in pfh.hash_files(tree, "sha256", recursive=True)] == list(seen)
    # pfh's own reader has the same digests.
    inside = {name.partition(b"!")[2]: value for name, value in outcomes(pfh.hash_files(ext4, "sha256", inside=True, members=True)).items()}
    assert {name: inside[name] for name in seen if len(seen[name]) == 64} == {name: value for name, value in seen.items() if len(value) == 64}
    assert files.summary["skipped"] == 3 and files.summary["failed"] == 0


@pytest.mark.parametrize("kind", ["EXT", "TSK"])
def test_a_walk_of_dfvfs_has_every_entry_once(ext4, kind):
    seen = outcomes(pfh.hash_files("/", "sha256", filesystem=dfvfs_of(ext4, getattr(definitions, f"TYPE_INDICATOR_{kind}")), recursive=True, threads=4))
    text = {name: value for name, value in seen.items() if NASTY not in name}
    expected = {b"/" + name: sha(content) for name, content in FILES.items() if NASTY not in name}
    assert {name: text.get(name) for name in expected} == expected
    assert (text[b"/link"], text[b"/root"], text[b"/pipe"]) == ("symbolic link", "symbolic link", "FIFO")
    # A name that it cannot decode is an error in its place, or is there: nothing is missing in silence.
    others = {name: value for name, value in seen.items() if name not in expected and name not in (b"/link", b"/root", b"/pipe")}
    assert others, kind
    digests = [value for value in others.values() if value == sha(b"no text")]
    assert digests or any(len(value) < 64 for value in others.values()), others


def test_streams_of_ntfs(ntfs):
    with open(ntfs, "rb") as image:
        for filesystem in (NtfsFilesystem(image), NTFS(image), dfvfs_of(ntfs, definitions.TYPE_INDICATOR_NTFS)):
            for streams in (False, True):
                seen = outcomes(pfh.hash_files("/", "sha256", filesystem=filesystem, recursive=True, streams=streams))
                assert seen[b"/large.bin"] == sha(FILES[b"b.bin"]) and seen[b"/small.txt"] == sha(b"small"), seen
                assert (seen.get(b"/small.txt:zone") == sha(b"hidden")) is streams and (b"/$Secure:$SDS" in seen) is streams, seen
                assert all(len(value) == 64 or value == "not a file" for value in seen.values()), seen


def test_names_files_and_directories_as_operands(ext4):
    with open(ext4, "rb") as image:
        filesystem = ExtFilesystem(image)
        seen = outcomes(pfh.hash_files(["dir/deeper", "b.bin", "none", "dir", "link"], "sha256", filesystem=filesystem))
        assert seen == {b"dir/deeper": "is-directory", b"b.bin": sha(FILES[b"b.bin"]), b"none": "ENOENT", b"dir": "is-directory", b"link": "symbolic link"}
        for asked in ({"include": "*.x"}, {"follow": True}, {"inside": True}, {"cache": "c"}):
            with pytest.raises(pfh.RequestError, match=next(iter(asked))):
                pfh.hash_files("/", "sha256", filesystem=filesystem, recursive=True, **asked)


def test_a_path_of_a_target_is_none_of_this_machine(ext4, tmp_path):
    with open(ext4, "rb") as image:
        filesystem = ExtFilesystem(image)
        tree = target.Target()
        tree.fs.mount("/", filesystem)
        # There is a file of that name here.
        here = tmp_path / "b.bin"
        here.write_bytes(b"of this machine")
        tree.fs.mount(str(tmp_path), filesystem)
        path = tree.fs.path(str(here))
        assert os.fspath(path) == str(here)
        assert pfh.hash_file(path, "sha256").hexdigests["sha256"] == sha(FILES[b"b.bin"])
        seen = outcomes(pfh.hash_files(tree.fs.path(str(tmp_path)).glob("*.*"), "sha256"))
        assert seen == {os.fsencode(here): sha(FILES[b"b.bin"]), os.fsencode(tmp_path / "dir.x"): sha(FILES[b"dir.x"])}
        assert outcomes(pfh.hash_files("/dir.x", "sha256", filesystem=tree)) == {b"/dir.x": sha(FILES[b"dir.x"])}
        with pytest.raises(pfh.RequestError, match="of this machine"):
            pfh.hash_files([path, here], "sha256")


def test_an_open_file_of_dissect_is_read_from_its_place(ext4):
    with open(ext4, "rb") as image:
        file = ExtFilesystem(image).path("/b.bin").open("rb")
        file.seek(1_000_000)
        assert pfh.hash_file(file, "sha256").hexdigests["sha256"] == sha(FILES[b"b.bin"][1_000_000:])
        assert pfh.file_digest(ExtFilesystem(image).path("/dir.x").open("rb"), "sha256").hexdigest() == sha(FILES[b"dir.x"])


def test_a_volume_that_dissect_decrypts(ext4, tmp_path):
    ciphers = pytest.importorskip("cryptography.hazmat.primitives.ciphers")
    if not shutil.which("cryptsetup"):
        pytest.skip("no cryptsetup")
    key, plain = random.Random(2).randbytes(64), ext4.read_bytes()
    (tmp_path / "key").write_bytes(key)
    (tmp_path / "pass").write_bytes(b"secret")
    with open(tmp_path / "luks", "wb") as image:
        image.truncate(2 << 20)
    words = "luksFormat --batch-mode --type luks1 --cipher aes-xts-plain64 --key-size 512 --iter-time 1"
    subprocess.run(["cryptsetup", *words.split(), "--volume-key-file", tmp_path / "key", tmp_path / "luks", tmp_path / "pass"], check=True)
    header = (tmp_path / "luks").read_bytes()
    start = 512 * int.from_bytes(header[104:108], "big")
    sectors = []
    for number in range(len(plain) // 512):
        mode = ciphers.modes.XTS(number.to_bytes(16, "little"))
        sectors.append(ciphers.Cipher(ciphers.algorithms.AES(key), mode).encryptor().update(plain[512 * number : 512 * number + 512]))
    (tmp_path / "luks").write_bytes(header[:start].ljust(start, b"\0") + b"".join(sectors))
    with open(tmp_path / "luks", "rb") as image:
        volume = luks.LUKS(image)
        volume.unlock_with_passphrase("secret")
        assert pfh.hash_file(volume.open(), "sha256").hexdigests["sha256"] == sha(plain)
        seen = outcomes(pfh.hash_files("/dir", "sha256", filesystem=ExtFilesystem(volume.open()), recursive=True))
    assert seen[b"/dir/" + NASTY] == sha(b"no text") and len(seen) == 3


class Torn(io.RawIOBase):
    """A file whose content ends before its stated size, or fails."""

    def __init__(self, size, error=None):
        self.size, self.left, self.error = size, b"x" * 1000, error

    def readable(self):
        return True

    def seekable(self):
        return True

    def seek(self, _to, _whence=0):
        return 0

    def tell(self):
        return 0

    def readinto(self, room):
        data, self.left = self.left[: len(room)], self.left[len(room) :]
        if not data and self.error:
            raise self.error
        room[: len(data)] = data
        return len(data)


class Raw(VirtualFile):
    """Content as it is, without a buffer."""

    def open(self):
        return self.entry


def virtual(contents):
    filesystem = VirtualFilesystem()
    for name, content in contents.items():
        filesystem.map_file_entry(name, Raw(filesystem, name, content))
    return filesystem


def test_sizes_are_not_trusted_and_errors_stay_in_their_place():
    filesystem = virtual({"d/a": Torn(1000), "d/b": Torn(1001), "d/c": Torn(999), "d/e": Torn(1000, OSError(5, "gone")), "d/f": Torn(1000, ValueError("damaged"))})
    records = {record.path: record for record in pfh.hash_files("d", "sha256", filesystem=filesystem, recursive=True)}
    assert records["d/a"].hexdigests["sha256"] == sha(b"x" * 1000)
    assert [records[name].stage for name in ("d/b", "d/c")] == ["check", "check"], records
    assert (records["d/e"].code, records["d/e"].stage) == ("EIO", "read") and "damaged" in str(records["d/f"].error())


def test_a_directory_that_cannot_be_listed_to_its_end():
    filesystem = virtual({"d/a": Torn(1000), "d/below/b": Torn(1000), "z": Torn(1000)})
    below = filesystem.get("d/below")
    scan = below.scandir

    def broken():
        yield from scan()
        raise ValueError("half a directory")

    below.scandir = broken
    seen = list(pfh.hash_files(["d", "z"], "sha256", filesystem=filesystem, recursive=True))
    assert [record.path for record in seen] == ["d/a", "d/below", "d/below/b", "z"]
    assert isinstance(seen[1], pfh.Failed) and "half a directory" in str(seen[1].error()) and isinstance(seen[2], pfh.Hashed)


def test_a_directory_that_contains_itself_ends():
    filesystem = virtual({"d/below/b": Torn(1000)})
    filesystem.get("d/below").add("up", filesystem.get("d"))
    seen = list(pfh.hash_files("d", "sha256", filesystem=filesystem, recursive=True))
    assert [(record.path, type(record).__name__) for record in seen] == [("d/below/b", "Hashed"), ("d/below/d", "Failed")]


def test_one_thread_at_a_time_reads_a_file_system():
    inside, most = 0, 0
    guard = threading.Lock()

    class Counted(Torn):
        def readinto(self, room):
            nonlocal inside, most
            with guard:
                inside += 1
                most = max(most, inside)
            time.sleep(0.001)
            count = super().readinto(memoryview(room)[:200])
            with guard:
                inside -= 1
            return count

    filesystem = virtual({f"d/{number}": Counted(1000) for number in range(50)})
    files = list(pfh.hash_files("d", "sha256", filesystem=filesystem, recursive=True, threads=4))
    assert len(files) == 50 and all(isinstance(record, pfh.Hashed) for record in files) and most == 1
