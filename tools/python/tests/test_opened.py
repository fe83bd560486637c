"""Files that are open already: those of fsspec and smart_open, from where they stand."""

import bz2
import functools
import gzip
import hashlib
import http.server
import io
import random
import threading

import fsspec
import pytest

import pfh

smart_open = pytest.importorskip("smart_open", reason="`target/python-venv/bin/pip install smart_open`")
CONTENT = random.Random(3).randbytes(3_000_000)


def sha(content):
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def places(tmp_path):
    """The same content where each package has it: name, and how it is opened."""
    (tmp_path / "plain").write_bytes(CONTENT)
    (tmp_path / "packed.gz").write_bytes(gzip.compress(CONTENT, 1))
    (tmp_path / "packed.bz2").write_bytes(bz2.compress(CONTENT, 1))
    memory = fsspec.filesystem("memory")
    memory.pipe("/opened/plain", CONTENT)
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=tmp_path)
    handler.log_message = lambda *_: None
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    yield {
        "fsspec memory": lambda: memory.open("/opened/plain", "rb"),
        "fsspec local": lambda: fsspec.filesystem("file").open(str(tmp_path / "plain"), "rb"),
        "fsspec gzip": lambda: fsspec.open(str(tmp_path / "packed.gz"), "rb", compression="gzip").open(),
        "smart_open local": lambda: smart_open.open(str(tmp_path / "plain"), "rb"),
        "smart_open gzip": lambda: smart_open.open(str(tmp_path / "packed.gz"), "rb"),
        "smart_open bz2": lambda: smart_open.open(str(tmp_path / "packed.bz2"), "rb"),
        "smart_open http": lambda: smart_open.open(f"{address}/plain", "rb"),
        "smart_open http, gzip": lambda: smart_open.open(f"{address}/packed.gz", "rb"),
        "BytesIO": lambda: io.BytesIO(CONTENT),
    }
    server.shutdown()
    server.server_close()


def test_the_rest_of_an_open_file_is_hashed(places):
    for name, opens in places.items():
        for at in (0, 1_000_001):
            for digest in (lambda file: pfh.hash_file(file, "sha256").hexdigests["sha256"], lambda file: list(pfh.hash_files(file, "sha256"))[0].hexdigests["sha256"]):
                with opens() as file:
                    assert len(file.read(at)) == at
                    assert digest(file) == sha(CONTENT[at:]), (name, at)
                    # It stays open, and stands at the end.
                    assert file.read(1) == b"", name
    assert len(places) == 9


def test_file_digest_of_files_of_other_packages(places):
    for name, opens in places.items():
        with opens() as file:
            assert pfh.file_digest(file, "sha256").hexdigest() == sha(CONTENT), name


def test_many_open_files_are_records_in_their_order(places, tmp_path):
    files = [opens() for opens in places.values()]
    records = list(pfh.hash_files(files, ["md5", "sha256"], threads=4))
    assert [record.number for record in records] == list(range(len(files)))
    assert {record.hexdigests["sha256"] for record in records} == {sha(CONTENT)} and {record.size for record in records} == {len(CONTENT)}
    assert records[0].path == "/opened/plain" and records[1].path.endswith("/plain") and records[-1].path == "<open file>"
    for file in files:
        assert file.read(1) == b""
        file.close()
    # Files that fsspec opens when it is their turn, and one of these is not there.
    memory = fsspec.filesystem("memory")
    memory.pipe("/opened/other", b"other")
    several = fsspec.open_files(["memory://opened/plain", "memory://opened/none", "memory://opened/other"], "rb")
    first, none, other = pfh.hash_files(several, "sha256")
    assert (first.hexdigests["sha256"], other.hexdigests["sha256"]) == (sha(CONTENT), sha(b"other"))
    assert none.code == "ENOENT" and none.path == "memory:///opened/none" and other.path == "memory:///opened/other"
    assert pfh.hash_file(fsspec.open("memory://opened/other", "rb"), "md5").size == 5


def test_what_is_no_open_file_in_binary_mode(places, tmp_path):
    (tmp_path / "text").write_text("text")
    with open(tmp_path / "text") as text, pytest.raises(pfh.UnreadError, match="binary"):
        pfh.hash_file(text, "md5")
    with io.BytesIO(b"x") as file:
        with pytest.raises(pfh.RequestError, match="without paths"):
            pfh.hash_files([file, tmp_path / "text"], "md5")
        with pytest.raises(pfh.RequestError, match="recursive"):
            pfh.hash_files([file], "md5", recursive=True)
    with pytest.raises(pfh.UnreadError, match="closed"):
        pfh.hash_file(file, "md5")
