"""Objects of stores in the module, the wheel's command and a cluster: a wheel with the feature remote, and S3Proxy, a real server.

tools/python/check -k test_remote
"""

import hashlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

import pyarrow
import pytest

import pfh

try:
    pfh.hash_files(["s3://"], "md5").close()
except ValueError as refused:
    pytest.skip(f"this wheel reads no stores ({refused}): `tools/python/check -k test_remote`", allow_module_level=True)
if shutil.which("s3proxy") is None:
    pytest.skip("S3Proxy is not installed: `.ci/run` installs it", allow_module_level=True)

OBJECTS = {f"pre/many/{number:02}": f"object {number}".encode() for number in range(40)}
OBJECTS |= {"pre/large": bytes(range(256)) * 40_000, "pre/ü space": b"name"}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A bucket with objects; the environment names its server."""
    room = tmp_path_factory.mktemp("store")
    (room / "data" / "bucket").mkdir(parents=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {
        "s3proxy.authorization": "none",
        "s3proxy.ignore-unknown-headers": "true",
        "s3proxy.endpoint": f"http://127.0.0.1:{port}",
        "jclouds.provider": "filesystem",
        "jclouds.filesystem.basedir": str(room / "data"),
    }
    (room / "s3proxy.conf").write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
    server = subprocess.Popen(["s3proxy", "--properties", room / "s3proxy.conf"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    names = {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_REGION": "us-east-1"}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in names.items():
            patch.setenv(name, value)
        for attempt in range(600):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                assert server.poll() is None and attempt < 599
                time.sleep(0.1)
        for name, data in OBJECTS.items():
            url = f"http://127.0.0.1:{port}/bucket/{urllib.request.quote(name)}"
            urllib.request.urlopen(urllib.request.Request(url, data, method="PUT")).close()
        yield OBJECTS
    server.kill()
    server.wait()


def digest(data):
    return hashlib.sha256(data).digest()


def test_objects_are_records(store):
    records = list(pfh.hash_files("s3://bucket/pre", "sha256"))
    hashed = {record.path: record["sha256"] for record in records if isinstance(record, pfh.Hashed)}
    assert hashed == {f"s3://bucket/{name}": digest(data) for name, data in store.items()}
    assert all(record.mtime_ns is None for record in records if isinstance(record, pfh.Hashed))
    # The server lists its folder as an object: a key that ends with a slash, and no bytes.
    assert [record.path for record in records if not isinstance(record, pfh.Hashed)] == ["s3://bucket/pre/many/"]
    table = pyarrow.table(pfh.hash_files(["s3://bucket/pre/large", "s3://bucket/none"], ["md5"]))
    assert table.column("status").to_pylist() == ["hashed", "failed"]


def test_an_address_may_mean_one_object_alone(store):
    (record,) = pfh.hash_files("s3://bucket/pre/large", "sha256", exactly=True)
    assert record.size == len(store["pre/large"])
    (record,) = pfh.hash_files("s3://bucket/pre/man", "sha256", exactly=True)
    assert isinstance(record, pfh.Failed) and "no such object" in record.cause


def command(*words, cwd, code=0):
    done = subprocess.run([sys.executable, "-m", "pfh", *words], cwd=cwd, capture_output=True, timeout=600)
    assert done.returncode == code, done.stderr.decode()
    return done.stdout


def test_the_command_hashes_and_checks(store, tmp_path):
    listed = command("hash", "--no-progress", "-o", "SUMS", "s3://bucket/pre", cwd=tmp_path) or (tmp_path / "SUMS").read_bytes()
    assert sorted(listed.decode().splitlines()) == sorted(f"{digest(data).hex()}  s3://bucket/{name}" for name, data in store.items())
    command("check", "--allow-outside", "--no-progress", "SUMS", cwd=tmp_path)
    assert command("check", "--no-progress", "s3://bucket/pre", cwd=tmp_path).count(b": OK\n") == len(store)


@pytest.mark.parametrize("where", [["s3://bucket/pre"], ["here", "s3://bucket/pre", "s3://bucket/none"]])
def test_a_cluster_has_the_rows_of_one_run(store, tmp_path, where):
    pytest.importorskip("distributed", reason="Dask is not installed: `tools/python/check -k test_remote` installs it")
    from pfh.cluster import Run

    (tmp_path / "here").write_bytes(b"a file beside them")
    code = 3 if "s3://bucket/none" in where else 0
    run = ["--unit", "100KB", "--files", "9", "--to", "RUN", "--scheduler", "local:2", "--no-progress"]
    command("cluster", "hash", *where, *run, cwd=tmp_path, code=code)
    assert len(list((tmp_path / "RUN/parts").glob("*.parquet"))) > 3
    assert command("cluster", "list", "RUN", cwd=tmp_path, code=code) == command("hash", "--no-progress", *where, cwd=tmp_path, code=code)
    here = os.getcwd()
    os.chdir(tmp_path)
    try:
        wanted = pyarrow.table(pfh.hash_files(where, "sha256"))
    finally:
        os.chdir(here)
    assert Run(tmp_path / "RUN").table().drop_columns(["stage", "cause"]).equals(wanted.drop_columns(["stage", "cause"]))
    # Nothing is left to do; and a set that knows one object.
    command("cluster", "hash", *where, *run, cwd=tmp_path, code=code)
    (tmp_path / "known").write_text(digest(store["pre/large"]).hex() + "\n")
    words = ["cluster", "match", *where, "-k", "known", "--class", "notable", "--to", "MATCHED", "--scheduler", "local:2", "--no-progress", "--json"]
    # A file of a notable list is known-bad, exit 1; an object that is not there counts more.
    counts = json.loads(command(*words, cwd=tmp_path, code=code or 1))
    assert (counts["verdict-known-bad"], counts["hashed"]) == (1, len(store) + ("here" in where))
    matched = Run(tmp_path / "MATCHED").table()
    found = [(path, sets) for path, sets in zip(*(matched.column(name).to_pylist() for name in ("path", "sets"))) if sets]
    assert found == [("s3://bucket/pre/large", [{"name": "known", "class": "notable"}])]
