"""Trees of objects against lists and directories: check, diff, audit, update and duplicates by address."""

import hashlib
import json
import os
import pathlib
import subprocess
import sys

import pytest
from test_stores import store  # noqa: F401  (a fixture)

import pfh

try:
    pfh.hash_files(["s3://"], "md5").close()
except ValueError as refused:
    pytest.skip(f"this wheel reads no stores ({refused}): `tools/python/check -k store_trees`", allow_module_level=True)

OBJECTS = {"pre/a": b"one", "pre/d/b": b"two" * 1000, "pre/d/c": b"three", "pre/empty": b"", "pre2/x": b"not below"}


@pytest.fixture
def bucket(store, tmp_path, monkeypatch):  # noqa: F811
    store.objects |= OBJECTS
    monkeypatch.chdir(tmp_path)
    for name, data in OBJECTS.items():
        path = tmp_path / "copy" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return store


def run(*words):
    done = subprocess.run([pathlib.Path(sys.executable).with_name("pfh"), *words], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def classes(*words):
    """The classes of names by `--json`, and the exit."""
    code, out, err = run(*words, "--json")
    rows = [json.loads(line) for line in out.splitlines()]
    return {(row["class"], row["path"]) for row in rows if "class" in row}, code, err


def sums(prefix, objects):
    return "".join(f"{hashlib.sha256(data).hexdigest()}  {prefix}{name}\n" for name, data in objects.items() if not name.startswith("pre2"))


def test_check_compares_objects_with_their_store(bucket):
    done = pfh.check("s3://bucket/pre")
    assert done and (done.verdict, done.verified, done.expected) == ("verified", 4, 4)
    assert done.by_algorithm == {"md5 (etag)": 4} and {word for _, word in done.files} == {"right"}
    assert done.rows[-1]["type"] == "summary" and done.rows[0]["path"].startswith("s3://bucket/pre/")
    # Of one object by several addresses, and of one alone.
    assert pfh.check(["s3://bucket/pre/a", "s3://bucket/pre2/"]).verified == 2
    code, out, _ = run("check", "s3://bucket/pre", "--json")
    assert code == 0 and [json.loads(line) for line in out.splitlines()] == done.rows


def test_check_of_a_store_that_holds_other_bytes(bucket):
    bucket.tags = {"pre/a": hashlib.md5(b"another").hexdigest()}
    done = pfh.check("s3://bucket/pre")
    assert not done and done.verdict == "differs" and ("s3://bucket/pre/a", "wrong") in done.files
    bucket.tags = {"pre/a": "opaque"}
    done = pfh.check("s3://bucket/pre")
    assert not done and done.conclusion == "incomplete" and ("s3://bucket/pre/a", "nothing-to-compare-with") in done.files
    assert done.not_compared and pfh.check("s3://bucket/pre", lenient=True)


def test_check_refuses_arguments_of_manifests(bucket, tmp_path):
    (tmp_path / "LIST").write_text(sums("", {"x": b"x"}))
    for given in ({"root": "."}, {"strict": True}, {"audit": True}, {"share": "1/2"}, {"key": "k"}, {"algorithms": "md5"}):
        with pytest.raises(pfh.RequestError, match=next(iter(given))):
            pfh.check("s3://bucket/pre", **given)
    with pytest.raises(pfh.RequestError, match="apart"):
        pfh.check(["LIST", "s3://bucket/pre"])
    with pytest.raises(pfh.RequestError, match="part_size"):
        pfh.check("LIST", part_size=1 << 20)
    with pytest.raises(pfh.RequestError, match="audited"):
        pfh.check("LIST", root="s3://bucket/pre")
    absent = pfh.check("s3://bucket/none")
    assert not absent and absent.verdict == "incomplete" and absent.files == [("s3://bucket/none", "unread")]


@pytest.mark.parametrize("prefix", ["s3://bucket/", "", "./", "evidence/"])
def test_an_audit_finds_new_changed_and_missing_objects(bucket, tmp_path, prefix):
    (tmp_path / "LIST").write_text(sums(prefix, OBJECTS))
    address = "s3://bucket/pre" if prefix == "s3://bucket/" else "s3://bucket/"
    below = set() if prefix == "s3://bucket/" else {("new", f"{prefix.removeprefix('./')}pre2/x")}
    found, code, err = classes("check", "--audit", "LIST", address)
    assert code == (1 if below else 0) and {row for row in found if row[0] != "matched"} == below, err
    bucket.objects["pre/new"] = b"new"
    bucket.objects["pre/a"] = b"changed"
    bucket.objects["pre/moved"] = bucket.objects.pop("pre/d/c")
    found, code, err = classes("check", "--audit", "LIST", address)
    name = lambda key: prefix.removeprefix("./") + key
    wanted = {("new", name("pre/new")), ("modified", name("pre/a")), ("moved", name("pre/moved"))} | below
    assert code == 1 and {row for row in found if row[0] != "matched"} == wanted, (found, err)
    audit = pfh.check("LIST", root=address, audit=True)
    assert audit.verdict == "differs" and (name("pre/new"), "new") in audit.files


def test_diff_of_addresses(bucket, tmp_path):
    (tmp_path / "LIST").write_text(sums("s3://bucket/", OBJECTS))
    (tmp_path / "RELATIVE").write_text(sums("copy/", OBJECTS))
    for sides in (["LIST", "s3://bucket/pre"], ["s3://bucket/pre", "copy/pre"], ["copy/pre", "s3://bucket/pre/"], ["RELATIVE", "s3://bucket/pre"], ["s3://bucket/pre", "LIST"]):
        found, code, err = classes("diff", *sides, "--only", "same,changed,added,removed,moved,copied,error")
        assert code == 0 and {row[0] for row in found} == {"same"} and len(found) == 4, (sides, found, err)
    bucket.objects |= {"pre/new": b"new", "pre/a": b"changed"}
    del bucket.objects["pre/d/b"]
    wanted = {("added", "new"), ("changed", "a"), ("removed", "d/b")}
    for side in ("LIST", "copy/pre"):
        found, code, err = classes("diff", side, "s3://bucket/pre")
        assert code == 1 and found == wanted, (side, found, err)
    assert {(row["class"], row["path"]) for row in pfh.diff("copy/pre", "s3://bucket/pre")} == wanted
    # A console's key for a folder does not count as a file.
    bucket.objects["pre/folder/"] = b""
    assert classes("diff", "copy/pre", "s3://bucket/pre")[0] == wanted
    for words in (["--metadata"], ["--cache", "c"], ["--inside"]):
        code, _, err = run("diff", "copy/pre", "s3://bucket/pre", *words)
        assert code == 2 and "s3://bucket/pre" in err, (words, err)
    assert not (tmp_path / "c").exists() and run("diff", "s3://bucket/pre", "s3://bucket/pre/")[0] == 3


@pytest.mark.parametrize("prefix", ["s3://bucket/", "evidence/"])
def test_update_of_a_list_of_objects(bucket, tmp_path, prefix):
    (tmp_path / "LIST").write_text(sums(prefix, OBJECTS))
    address = "s3://bucket/pre"
    code, _, err = run("hash", "--update", "LIST", address)
    assert code == 0 and (tmp_path / "LIST").read_text() == sums(prefix, OBJECTS), err
    bucket.objects |= {"pre/new": b"new", "pre/a": b"changed"}
    del bucket.objects["pre/d/b"]
    found, code, err = classes("hash", "--update", "LIST", address)
    assert code == 0 and found == {("new", f"{prefix}pre/new"), ("changed", f"{prefix}pre/a"), ("gone", f"{prefix}pre/d/b")}, (found, err)
    kept = {name: data for name, data in bucket.objects.items() if not name.startswith("pre2")}
    assert sorted((tmp_path / "LIST").read_text().splitlines()) == sorted(sums(prefix, kept).splitlines())
    if prefix == "s3://bucket/":
        assert run("check", "--allow-outside", "LIST")[0] == 0
    for words in (["--trust-times"], ["--cache", "c"], ["--include", "*"]):
        code, _, err = run("hash", "--update", "LIST", address, *words)
        assert code == 2 and address in err, (words, err)
    # Nothing is taken off the list where the store does not answer.
    before = (tmp_path / "LIST").read_text()
    code, _, err = run("hash", "--update", "LIST", "s3://none/pre")
    assert code != 0 and (tmp_path / "LIST").read_text() == before, err


def test_duplicates_among_objects_and_files(bucket, tmp_path):
    bucket.objects |= {"pre/again": OBJECTS["pre/d/b"], "pre/same size": b"owt" * 1000}
    asked = []
    handler = bucket.do_GET
    bucket.do_GET = lambda self: (asked.append((self.command, self.path)), handler(self))[1]
    found = pfh.dups(["s3://bucket/pre", "copy/pre", "s3://bucket/pre/d"])
    groups = {frozenset(copy["path"] for copy in row["copies"]) for row in found}
    alike = {frozenset({f"s3://bucket/pre/{name}", f"copy/pre/{name}"}) for name in ("a", "d/c")}
    assert groups == alike | {frozenset({"s3://bucket/pre/again", "s3://bucket/pre/d/b", "copy/pre/d/b"})} and found.exit == 0
    # Only objects of a size that another file has are read.
    bucket.objects["pre/alone"] = b"x" * 12_345
    asked.clear()
    pfh.dups("s3://bucket/pre")
    assert not [path for command, path in asked if command == "GET" and "alone" in path]
    assert [path for command, path in asked if command == "GET" and "again" in path]
    before = dict(bucket.objects)
    for words in (["--script", "s"], ["--action", "hardlink", "--script", "s"], ["--keep", "oldest"], ["--chunks", "cdc"]):
        code, _, err = run("dups", "s3://bucket/pre", "copy", *words)
        assert code == 2 and "s3://bucket/pre" in err, (words, err)
    assert not (tmp_path / "s").exists() and bucket.objects == before
    with pytest.raises(pfh.RequestError, match="nothing is done"):
        pfh.dups("s3://bucket/pre", action="hardlink")


def test_a_listing_that_is_cut_is_no_good_verdict(bucket, tmp_path):
    """A store that breaks off in the listing: neither missing files nor an all-clear."""
    bucket.objects |= {f"pre/many/{number:04}": b"x" for number in range(1500)}
    (tmp_path / "LIST").write_text(sums("s3://bucket/", bucket.objects))
    pages = bucket.list

    def cut(self, query):
        return self.send(200, b"<html>log in</html>", Content_Type="text/html") if "continuation-token" in query else pages(self, query)

    bucket.list = cut
    for words in (["check", "--audit", "LIST", "s3://bucket/pre"], ["diff", "LIST", "s3://bucket/pre"], ["dups", "s3://bucket/pre"], ["check", "s3://bucket/pre"]):
        code, _, err = run(*words)
        assert code in (1, 3) and "s3://bucket/pre" in err, (words, code, err)
        if words[0] in ("dups",) or words[1] != "--audit" and words[0] == "check":
            assert code == 3
    before = (tmp_path / "LIST").read_text()
    code, _, err = run("hash", "--update", "LIST", "s3://bucket/pre")
    assert code == 3 and (tmp_path / "LIST").read_text() == before, err


@pytest.mark.skipif(os.environ.get("PFH_NATIVE") is None, reason="no program beside the wheel")
def test_addresses_are_refused_where_files_are_taken(bucket):
    for words in (["verify", "s3://bucket/x"], ["bag", "validate", "s3://bucket/x"], ["known", "build", "o", "--bad", "s3://bucket/x"]):
        code, _, err = run(*words)
        assert code == 2 and "object" in err, (words, err)
