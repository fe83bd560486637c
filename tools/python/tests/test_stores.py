"""Stores that refuse, break, hold versions or a great many keys. test_remote has the digests, and Rust's tests in tools/cli/tests/cli/remote faults between program and server."""

import concurrent.futures
import hashlib
import http.server
import os
import shutil
import socket
import subprocess
import sys
import textwrap
import threading
import time
import urllib.parse
import urllib.request

import pytest

import pfh


class Store(http.server.BaseHTTPRequestHandler):
    """A bucket by Amazon's protocol, as much of it as is asked, with faults by key."""

    protocol_version = "HTTP/1.1"
    #: Keys and contents; a number instead is that of keys that are listed alone.
    objects: dict = {}
    #: Entity tags that are not the MD5, by key.
    tags: dict = {}
    #: Versions by key, the newest first: names and contents.
    versions: dict = {}
    #: Faults by key: how often, and which.
    faults: dict = {}
    lock = threading.Lock()

    def log_message(self, *_):
        pass

    def send(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        path, _, query = self.path.partition("?")
        key = urllib.parse.unquote(path).removeprefix("/bucket").lstrip("/")
        if not key and "list-type" in query:
            return self.list(urllib.parse.parse_qs(query))
        asked = urllib.parse.parse_qs(query, keep_blank_values=True)
        if not key and "versions" in asked:
            return self.list_versions(asked.get("prefix", [""])[0])
        data = dict(self.versions.get(key, [])).get(asked["versionId"][0]) if "versionId" in asked else self.objects.get(key)
        if data is None:
            return self.send(404, b"<Error><Code>NoSuchKey</Code></Error>")
        with self.lock:
            count, what = self.faults.get(key, (0, ""))
            self.faults[key] = (count - 1, what)
        if count > 0 and what == "busy":
            return self.send(503, b"<Error><Code>SlowDown</Code></Error>")
        tag = self.tags.get(key) or hashlib.md5(data).hexdigest()
        if count > 0 and what == "replaced":
            tag = "another"
        wanted = self.headers.get("If-Match")
        if wanted and wanted.strip('"') != tag:
            return self.send(412, b"<Error><Code>PreconditionFailed</Code></Error>")
        first, last, status = 0, len(data) - 1, 200
        if asked := self.headers.get("Range"):
            start, _, end = asked.removeprefix("bytes=").partition("-")
            first, last, status = int(start), min(last, int(end or last)), 206
        self.send_response(status)
        self.send_header("ETag", f'"{tag}"')
        self.send_header("Last-Modified", "Wed, 01 Jan 2025 00:00:00 GMT")
        if status == 206:
            self.send_header("Content-Range", f"bytes {first}-{last}/{len(data)}")
        body = data[first : last + 1]
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "HEAD":
            return None
        if count > 0 and what == "cut":
            self.wfile.write(body[: len(body) // 2])
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return None
        self.wfile.write(body)

    def list(self, query):
        prefix, after = query.get("prefix", [""])[0], int(query.get("continuation-token", ["0"])[0])
        many = self.objects.get("")
        if isinstance(many, int):
            keys = [(f"many/{number:08}", 5, "x") for number in range(after, min(after + 1000, many))]
            following = after + 1000 if after + 1000 < many else None
        else:
            found = [(key, len(data), self.tags.get(key) or hashlib.md5(data).hexdigest()) for key, data in sorted(self.objects.items()) if key.startswith(prefix)]
            keys, following = found[after : after + 1000], after + 1000 if after + 1000 < len(found) else None
        entries = "".join(
            f"<Contents><Key>{key}</Key><LastModified>2025-01-01T00:00:00.000Z</LastModified><ETag>&quot;{tag}&quot;</ETag><Size>{size}</Size><StorageClass>STANDARD</StorageClass></Contents>"
            for key, size, tag in keys
        )
        token = f"<NextContinuationToken>{following}</NextContinuationToken>" if following else ""
        head = f"<Name>bucket</Name><Prefix>{prefix}</Prefix><KeyCount>{len(keys)}</KeyCount><MaxKeys>1000</MaxKeys><IsTruncated>{str(bool(following)).lower()}</IsTruncated>"
        xml = f'<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">{head}{token}{entries}</ListBucketResult>'
        self.send(200, xml.encode(), Content_Type="application/xml")


    def list_versions(self, prefix):
        entry = "<Version><Key>{}</Key><VersionId>{}</VersionId><ETag>&quot;{}&quot;</ETag><Size>{}</Size></Version>"
        found = [(key, name, hashlib.md5(data).hexdigest(), len(data)) for key, kept in sorted(self.versions.items()) if key.startswith(prefix) for name, data in kept]
        xml = "<ListVersionsResult><IsTruncated>false</IsTruncated>{}</ListVersionsResult>".format("".join(entry.format(*one) for one in found))
        self.send(200, xml.encode(), Content_Type="application/xml")


def environment(port):
    return {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_REGION": "us-east-1"}


@pytest.fixture
def store(monkeypatch):
    handler = type("Handler", (Store,), {"objects": {}, "tags": {}, "versions": {}, "faults": {}})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for name, value in environment(server.server_port).items():
        monkeypatch.setenv(name, value)
    yield handler
    server.shutdown()
    server.server_close()


def digest(data):
    return hashlib.sha256(data).digest()


@pytest.mark.parametrize("what", ["busy", "cut"])
def test_what_passes_changes_no_digest(store, what):
    store.objects |= {"pre/small": b"small", "pre/large": os.urandom(11 << 20)}
    store.faults |= {key: (3, what) for key in store.objects}
    found = {one.path: one["sha256"] for one in pfh.hash_files("s3://bucket/pre", "sha256") if isinstance(one, pfh.Hashed)}
    assert found == {f"s3://bucket/{key}": digest(data) for key, data in store.objects.items()}
    assert all(count < 1 for count, _ in store.faults.values())


def test_an_object_that_is_another_than_listed_has_no_digest(store):
    store.objects |= {"pre/kept": b"kept", "pre/replaced": os.urandom(9 << 20)}
    store.faults |= {"pre/replaced": (10**9, "replaced")}
    records = {one.path.rpartition("/")[2]: one for one in pfh.hash_files("s3://bucket/pre", "sha256")}
    assert records["kept"]["sha256"] == digest(b"kept")
    assert isinstance(records["replaced"], pfh.Failed) and records["replaced"].code == "changed"


def test_what_is_not_there_is_no_file(store):
    with pytest.raises(FileNotFoundError) as caught:
        pfh.hash_file("s3://bucket/none", "md5")
    assert caught.value.code == "not-found" and caught.value.errno == 2 and caught.value.filename == "s3://bucket/none"


def test_many_keys_are_listed_in_bounded_memory(store):
    """The walk takes one of 300,000 keys: it needs no more memory than with 3,000."""
    program = """
        import resource, sys, pfh
        files = list(pfh.hash_files("s3://bucket/many", "md5", include="00000007", memory=8 << 20))
        print(len(files), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    """
    used = []
    store.objects["many/00000007"] = b"seven"
    for many in (3_000, 300_000):
        store.objects[""] = many
        done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stderr
        count, kilobytes = map(int, done.stdout.split())
        assert count == 1
        used.append(kilobytes)
    assert used[1] - used[0] < 30_000, used


def port_of_nobody():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def wait(port, server):
    for attempt in range(600):
        try:
            return socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            assert server.poll() is None and attempt < 599
            time.sleep(0.1)


def test_wrong_credentials_are_a_permission_error(tmp_path, monkeypatch):
    """By S3Proxy, which checks signatures."""
    if shutil.which("s3proxy") is None:
        pytest.skip("S3Proxy is not installed: `.ci/run` installs it")
    (tmp_path / "data" / "bucket").mkdir(parents=True)
    (tmp_path / "data" / "bucket" / "key").write_bytes(b"content")
    port = port_of_nobody()
    settings = {"s3proxy.authorization": "aws-v2-or-v4", "s3proxy.identity": "a", "s3proxy.credential": "b", "s3proxy.ignore-unknown-headers": "true"}
    settings |= {"s3proxy.endpoint": f"http://127.0.0.1:{port}", "jclouds.provider": "filesystem", "jclouds.filesystem.basedir": str(tmp_path / "data")}
    (tmp_path / "conf").write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
    server = subprocess.Popen(["s3proxy", "--properties", tmp_path / "conf"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait(port, server)
        for name, value in environment(port).items():
            monkeypatch.setenv(name, value)
        assert pfh.hash_file("s3://bucket/key", "sha256")["sha256"] == digest(b"content")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
        for address in ("s3://bucket/key", "s3://bucket"):
            (record,) = pfh.hash_files(address, "sha256")
            assert isinstance(record, pfh.Failed) and record.code == "denied", record
            assert isinstance(record.error(), PermissionError)
    finally:
        server.kill()
        server.wait()


def test_a_bucket_with_versions_has_the_newest(tmp_path, monkeypatch):
    """By moto's server: multipart uploads, versions, markers of deletion."""
    pytest.importorskip("moto.server", reason="`target/python-venv/bin/pip install 'moto[s3,server]'`, then `tools/python/check -k versions`")
    import boto3

    port = port_of_nobody()
    server = subprocess.Popen([sys.executable, "-m", "moto.server", "-p", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait(port, server)
        for name, value in environment(port).items():
            monkeypatch.setenv(name, value)
        s3 = boto3.client("s3", endpoint_url=f"http://127.0.0.1:{port}")
        s3.create_bucket(Bucket="bucket")
        s3.put_bucket_versioning(Bucket="bucket", VersioningConfiguration={"Status": "Enabled"})
        for text in (b"first", b"second"):
            s3.put_object(Bucket="bucket", Key="pre/versions", Body=text)
        s3.put_object(Bucket="bucket", Key="pre/deleted", Body=b"x")
        s3.delete_object(Bucket="bucket", Key="pre/deleted")
        parts = [os.urandom(5 << 20), os.urandom(123)]
        upload = s3.create_multipart_upload(Bucket="bucket", Key="pre/parts")["UploadId"]
        tags = []
        for number, part in enumerate(parts, 1):
            tags.append({"PartNumber": number, "ETag": s3.upload_part(Bucket="bucket", Key="pre/parts", PartNumber=number, UploadId=upload, Body=part)["ETag"]})
        s3.complete_multipart_upload(Bucket="bucket", Key="pre/parts", UploadId=upload, MultipartUpload={"Parts": tags})
        found = {one.path: one["sha256"] for one in pfh.hash_files("s3://bucket/pre", "sha256")}
        assert found == {"s3://bucket/pre/versions": digest(b"second"), "s3://bucket/pre/parts": digest(b"".join(parts))}
        with pytest.raises(FileNotFoundError):
            pfh.hash_file("s3://bucket/pre/deleted", "md5")
        # The body of an answer is an open file.
        body = s3.get_object(Bucket="bucket", Key="pre/parts")["Body"]
        assert pfh.hash_file(body, "sha256")["sha256"] == digest(b"".join(parts))
    finally:
        server.kill()
        server.wait()


VERSIONS = {"pre/a": [("v2", b"second"), ("v1", b"first")], "pre/b": [("w1", b"alone")], "pre/a?versionId=v1": [("x1", b"a key")]}


@pytest.fixture
def versioned(store):
    """A bucket of versions, with a key that ends like the name of another one's."""
    store.versions |= VERSIONS
    store.objects |= {key: kept[0][1] for key, kept in VERSIONS.items()}
    return store


def test_every_version_has_a_name_that_is_read_back(versioned):
    wanted = {f"s3://bucket/{key}?versionId={name}": digest(data) for key, kept in VERSIONS.items() for name, data in kept}
    assert {one.path: one["sha256"] for one in pfh.hash_files("s3://bucket/pre", "sha256", versions=True)} == wanted
    assert len(wanted) == 4 and {path: pfh.hash_file(path, "sha256")["sha256"] for path in wanted} == wanted
    newest = {one.path: one["sha256"] for one in pfh.hash_files("s3://bucket/pre", "sha256")}
    assert newest == {"s3://bucket/pre/a": digest(b"second"), "s3://bucket/pre/b": digest(b"alone"), "s3://bucket/pre/a?versionId=v1?versionId=": digest(b"a key")}
    assert {path: pfh.hash_file(path, "sha256")["sha256"] for path in newest} == newest
    with pytest.raises(FileNotFoundError):
        pfh.hash_file("s3://bucket/pre/b?versionId=v2", "md5")


def test_versions_are_judged_matched_and_compared(versioned, tmp_path):
    judged = pfh.check("s3://bucket/pre", versions=True)
    assert judged.verified == 4 and judged.verdict == "verified" and pfh.check("s3://bucket/pre").verified == 3
    (tmp_path / "bad").write_text(f"{digest(b'first').hex()}  first\n")
    known = pfh.match("s3://bucket/pre", tmp_path / "bad", cls="bad", versions=True)
    assert [one.path for one in known.files if one.verdict.status == "known-bad"] == ["s3://bucket/pre/a?versionId=v1"] and known.exit == 1
    assert pfh.match("s3://bucket/pre", tmp_path / "bad", cls="bad").exit == 0
    versioned.versions["pre/b"].append(("w0", b"first"))
    pairs, _ = pfh.compare("s3://bucket/pre", "sha256", versions=True)
    equal = ("s3://bucket/pre/a?versionId=v1", "s3://bucket/pre/b?versionId=w0")
    assert [(pair.a, pair.b) for pair in pairs] == [equal]
    (group,) = pfh.dups("s3://bucket/pre", versions=True)
    assert tuple(copy["path"] for copy in group["copies"]) == equal
    (cluster,) = pfh.group_similar("s3://bucket/pre", "sha256", versions=True)
    assert tuple(sorted(member["path"] if isinstance(member, dict) else member for member in cluster["members"])) == equal


@pytest.mark.parametrize(
    "ask",
    [
        lambda: pfh.hash_files("here", "md5", versions=True),
        lambda: pfh.match("here", "here", versions=True),
        lambda: pfh.compare("here", "md5", versions=True),
        lambda: pfh.group_similar("here", "md5", versions=True),
        lambda: pfh.dups("here", versions=True),
        lambda: pfh.check("here", versions=True),
        lambda: pfh.hash_files("s3://bucket/a", "md5", versions=True, exactly=True),
    ],
)
def test_versions_are_of_stores(ask, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").write_text(f"{'0' * 32}  a\n")
    with pytest.raises(pfh.RequestError, match="versions"):
        ask()


def test_several_readers_share_a_store(store):
    store.objects |= {f"pre/{number:03}": os.urandom(number * 100) for number in range(64)}
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        runs = list(pool.map(lambda _: list(pfh.hash_files("s3://bucket/pre", "sha256")), range(4)))
    assert runs[0] == runs[1] == runs[2] == runs[3] and len(runs[0]) == 64
