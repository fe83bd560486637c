"""pfh cluster check: the results of pfh check, by any number of tasks."""

import json
import os
import pathlib
import subprocess

import pytest

pytest.importorskip("distributed", reason="Dask is not installed: `tools/python/check -k cluster_check` installs it")

from clusters import SLOW, parts, pfh, tree  # noqa: E402

import pfh as module  # noqa: E402
from pfh.cluster import Run  # noqa: E402

#: Units of few records, so that there are many.
ON = ["--files", "7", "--scheduler", "local:2"]


@pytest.fixture
def room(tmp_path):
    tree(tmp_path / "tree")
    pfh("hash", "-r", "tree", "-a", "sha256", "-o", "SUMS", "--no-progress", cwd=tmp_path)
    return tmp_path


def check(room, *words, code):
    """The result as JSON, beside the exit of the program's own check."""
    done = pfh("cluster", "check", *words, *ON, "--json", cwd=room, code=code)
    return json.loads(done.stdout), done.stderr


def of_program(room, *words):
    return pfh("check", "--no-progress", *words, cwd=room, code=None).returncode


@pytest.mark.parametrize("format", ["sums", "bsd", "hashdeep", "jsonl", "dfxml", "csv"])
def test_each_format_is_read_as_the_program_does(room, format):
    pfh("hash", "-r", "tree", "-a", "sha256,md5" if format not in ("sums", "bsd") else "sha256", "-f", format, "-o", "list", "--no-progress", cwd=room, code=None)
    # Hashdeep has no line for a name with a line feed.
    files = 67 if format == "hashdeep" else 68
    found, _ = check(room, "list", "--to", "run", code=0)
    assert of_program(room, "list") == 0
    assert found["verdict"] == "verified" and found["right"] == files and found["complete"]
    rows = Run(room / "run").table(worker=True).to_pylist()
    assert {row["found"] for row in rows} == {"right"} and [row["number"] for row in rows] == list(range(files))
    assert len(parts(room / "run")) == 10


def test_what_differs_is_named(room):
    (room / "tree" / "large").write_bytes(b"other")
    (room / "tree" / "empty").unlink()
    found, _ = check(room, "SUMS", "--to", "run", code=1)
    assert (found["verdict"], found["right"], found["wrong"], found["absent"], found["unread"]) == ("differs", 66, 1, 1, 0)
    assert of_program(room, "SUMS") == 1
    rows = {row["path"]: row for row in Run(room / "run").table().to_pylist()}
    assert rows["tree/large"]["found"] == "wrong" and rows["tree/large"]["cause"] is None
    assert rows["tree/empty"]["found"] == "absent" and "ENOENT" in rows["tree/empty"]["cause"]
    own = dict(module.check(room / "SUMS", root=room).files)
    words = {"right": "right", "wrong": "wrong", "absent": "missing", "unread": "unread"}
    assert {os.fsdecode(row["path_bytes"]): words[row["found"]] for row in Run(room / "run").table().to_pylist()} == own
    # A file that is put back is found by --again, which reads nothing else.
    (room / "tree" / "empty").write_bytes(b"")
    (room / "tree" / "000").unlink(missing_ok=True)
    found, _ = check(room, "SUMS", "--to", "run", "--again", code=1)
    assert (found["right"], found["wrong"], found["absent"]) == (67, 1, 0)
    pfh("cluster", "verify", "run", cwd=room)


def test_a_manifest_that_is_not_understood_is_not_verified(room):
    with open(room / "SUMS", "a") as file:
        file.write("not a record\n")
    for option, code, verdict in ((None, 3, "incomplete"), ("--strict", 1, "differs"), ("--lenient", 0, "verified")):
        words = ["SUMS"] if option is None else ["SUMS", option]
        found, said = check(room, *words, "--to", f"run{option}", code=code)
        assert found["verdict"] == verdict and of_program(room, *words) == code
    (room / "none").write_text("")
    check(room, "none", "--to", "none-run", code=3)
    pfh("cluster", "check", "nowhere", "--to", "new", cwd=room, code=3)
    pfh("cluster", "check", "SUMS", "--strict", "--lenient", "--to", "new", cwd=room, code=2)
    assert not (room / "new").exists()


def test_names_start_where_the_program_finds_them(room, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    found, _ = check(elsewhere, room / "SUMS", "--to", "beside", code=0)
    assert found["right"] == 68
    os.rename(room / "tree", elsewhere / "tree")
    found, _ = check(room, "SUMS", "--root", elsewhere, "--to", "rooted", code=0)
    assert found["right"] == 68
    absolute = subprocess.run(["sha256sum", elsewhere / "tree" / "large"], capture_output=True).stdout
    (room / "absolute").write_bytes(absolute)
    found, _ = check(room, "absolute", "--to", "absolute-run", code=0)
    assert found["right"] == 1


def test_a_seal_is_verified_first(room):
    pfh("hash", "-r", "tree", "-a", "sha256", "-o", "sealed", "--seal", "--no-progress", cwd=room)
    check(room, "sealed", "--to", "good", code=0)
    data = (room / "sealed").read_bytes()
    (room / "sealed").write_bytes(data.replace(b"tree/large", b"tree/empty"))
    assert of_program(room, "sealed") == 1
    pfh("cluster", "check", "sealed", "--to", "bad", *ON, cwd=room, code=1)
    assert not (room / "bad").exists()


def test_a_run_is_of_one_manifest(room):
    check(room, "SUMS", "--to", "run", code=0)
    assert b"verified" in pfh("cluster", "check", "SUMS", *ON, "--to", "run", cwd=room).stdout
    with open(room / "SUMS", "a") as file:
        file.write(module.sha256(b"").hexdigest() + "  tree/empty\n")
    pfh("cluster", "check", "SUMS", *ON, "--to", "run", cwd=room, code=2)


FACTS = json.loads((pathlib.Path(__file__).resolve().parents[3] / "tests" / "conformance" / "facts.json").read_text())["exits"]


def test_each_fact_has_the_verdict_of_the_program(tmp_path):
    """The facts of the conformance table: what a list states of a tree, and what happened since."""
    made = pathlib.Path(__file__).resolve().parents[3] / "tests" / "conformance" / "room.sh"
    subprocess.run(["bash", made, os.environ.get("PFH_NATIVE", "pfh")], cwd=tmp_path, check=True, capture_output=True)
    seen = {}
    # Each starts a cluster of its own.
    facts = FACTS if SLOW else {fact: FACTS[fact] for fact in ("equal", "changed", "missing", "a-blank", "no-record", "cut")}
    for fact in facts:
        at = tmp_path / "facts" / fact
        done = pfh("cluster", "check", "l", "--root", "t", "--to", "run", *ON, "--json", cwd=at, code=None)
        verdict = json.loads(done.stdout)["verdict"] if done.stdout else None
        assert (verdict == "verified") == (done.returncode == 0), (fact, verdict, done.stderr)
        seen[fact] = done.returncode
    assert seen == facts
