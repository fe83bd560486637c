"""Records and results are values: they pickle, compare, sort, hash, match by position, and make tables."""

import copy
import inspect
import pickle

import pyarrow
import pytest

import pfh
import pfh.audit

KINDS = {pfh.Hashed, pfh.Skipped, pfh.Failed, pfh.Pair, pfh.Related, pfh.Verdict, pfh.Matched, pfh.Matches, pfh.Rows, pfh.Checked, pfh.TreeState, pfh.Acquired, pfh.Verified}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """At least one result of each kind, made by the jobs."""
    room = tmp_path_factory.mktemp("values")
    text = " ".join(str(number) for number in range(5000)).encode()
    (room / "tree").mkdir()
    (room / "tree" / "a").write_bytes(text)
    (room / "tree" / "b").write_bytes(text[:10_000] + b"changed" + text[10_000:])
    (room / "tree" / "link").symlink_to("a")
    (room / "sums").write_text(f"{pfh.sha256(text).hexdigest()}  {room}/tree/a\n")
    found = list(pfh.hash_files([room / "tree", room / "none"], ["md5", "ssdeep"], recursive=True))
    found += pfh.compare(room / "tree", "ssdeep", recursive=True)[0]
    found += pfh.compare(room / "tree", recursive=True)[0]
    known = pfh.Known.build(room / "set", bad=room / "sums")
    found += known.lookup(pfh.sha256(text).digest())
    matches = pfh.match(room / "tree", room / "set", recursive=True)
    found += [*matches, matches, pfh.check(room / "sums"), pfh.list_files(room / "tree", recursive=True)]
    found += [pfh.HashTree(room / "tree" / "a", tree=room / "a.pfhtree").build()]
    found += [pfh.acquire(room / "tree" / "a", room / "image"), pfh.verify(room / "image")]
    return found


def test_every_kind_is_there(results):
    assert {type(one) for one in results} == KINDS


def test_they_pickle_copy_compare_and_hash(results):
    for one in results:
        for other in [pickle.loads(pickle.dumps(one)), copy.copy(one), copy.deepcopy(one)]:
            assert other == one and hash(other) == hash(one) and type(other) is type(one) and other is not one
            assert bool(other) == bool(one) and repr(other) == repr(one)
        assert one != object() and one != results
    # No two of them are the same.
    assert len(set(results)) == len(results)


def test_two_runs_are_equal_and_another_file_is_not(tmp_path):
    (tmp_path / "a").write_bytes(b"one")
    first, second = pfh.hash_file(tmp_path / "a", "md5"), pfh.hash_file(tmp_path / "a", "md5")
    assert first == second and len({first, second}) == 1
    (tmp_path / "a").write_bytes(b"two")
    assert pfh.hash_file(tmp_path / "a", "md5") != first


def test_they_match_by_position(results):
    for one in results:
        match one:
            case pfh.Hashed(number, path, size, _, digests):
                assert (number, path, size, digests) == (one.number, one.path, one.size, one.digests)
            case pfh.Skipped(_, _, reason):
                assert reason == "symbolic link"
            case pfh.Failed(_, _, stage):
                assert stage == "open"
            case pfh.Pair(a, b, score):
                assert a.endswith("a") and b.endswith("b") and score > 90
            case pfh.Related(a, b, relation, score):
                assert a.endswith("a") and b.endswith("b") and relation == "nearly-equal" and score >= 80
            case pfh.Verdict(status, sets):
                assert status == "known-bad" and sets == [("sums", "bad")]
            case pfh.Matched(path, verdict, record):
                assert path == record.path and (verdict is None) == isinstance(record, pfh.Skipped)


def test_they_sort(results):
    records = [one for one in results if isinstance(one, pfh.Hashed | pfh.Skipped | pfh.Failed)]
    assert sorted(reversed(records)) == records and records[0] < records[1] <= records[1] and records[1] >= records[0]
    pairs = [pfh.Pair(a, b, score, why, None, False) for a, b, score, why in [("a", "b", 90, None), ("a", "b", 90, "saturated"), ("a", "b", 91, None), ("b", "a", 0, None)]]
    assert sorted(reversed(pairs)) == pairs
    with pytest.raises(TypeError):
        assert pairs[0] < records[0]


def test_they_do_not_change(results):
    for one in results:
        with pytest.raises(AttributeError):
            setattr(one, one.__match_args__[0], 1)
        with pytest.raises(AttributeError):
            one.another = 1


def test_their_representation_is_an_expression(results):
    names = {kind.__name__: kind for kind in KINDS}
    for one in results:
        if not isinstance(one, pfh.Acquired):
            assert eval(repr(one), names) == one


def test_dictionaries_have_the_columns_of_the_arrow_table(results, tmp_path):
    (tmp_path / "a").write_bytes(b"text" * 1000)
    (tmp_path / "link").symlink_to("a")
    paths, names = [tmp_path, tmp_path / "none"], ["sha256", "ssdeep"]
    rows = [record.asdict() for record in pfh.hash_files(paths, names, recursive=True)]
    table = pyarrow.table(pfh.hash_files(paths, names, recursive=True))
    columns = [name for name in table.column_names if name != "path_bytes"]
    wanted = table.select(columns).to_pylist()
    for row, expected in zip(rows, wanted, strict=True):
        # The reason of a skipped file is its cause in the table.
        cause = row.get("cause", row.get("reason"))
        assert {name: cause if name == "cause" else row.get(name) for name in columns} == expected
    for one in results:
        assert isinstance(one.asdict(), dict) and one.asdict()


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_frames_of_records_have_columns(results, package):
    frames = pytest.importorskip(package, reason=f"`target/python-venv/bin/pip install {package}`, then `tools/python/check -k values`")
    hashed = [one for one in results if isinstance(one, pfh.Hashed)]
    frame = frames.DataFrame(hashed)
    assert list(frame.columns) == ["number", "path", "size", "mtime_ns", "digests"] and list(frame["path"]) == [one.path for one in hashed]
    frame = frames.DataFrame([one.asdict() for one in hashed])
    assert list(frame["md5"]) == [one["md5"] for one in hashed] and list(frame["ssdeep"]) == [one.hexdigests["ssdeep"] for one in hashed]
    pairs = frames.DataFrame([one for one in results if isinstance(one, pfh.Pair)])
    assert list(pairs.columns) == ["a", "b", "score", "degenerate", "once_in", "rarer"]


def test_a_check_has_rows(tmp_path):
    (tmp_path / "a").write_bytes(b"a")
    (tmp_path / "sums").write_text(f"{pfh.sha256(b'a').hexdigest()}  {tmp_path}/a\n{pfh.sha256(b'b').hexdigest()}  {tmp_path}/b\n")
    rows = pfh.check(tmp_path / "sums").rows
    assert [(row["path"], row["result"]) for row in rows[:-1]] == [(f"{tmp_path}/a", "ok"), (f"{tmp_path}/b", "missing")]
    assert rows[-1]["type"] == "summary" and rows[-1]["verdict"]
    audit = pfh.check(tmp_path / "sums", audit=True)
    assert {row["class"] for row in audit.rows[:-1]} >= {"matched", "missing"}


def test_the_documentation_has_each_field():
    for kind in KINDS:
        for field in kind.__match_args__:
            assert len(inspect.getdoc(getattr(kind, field))) > 8, f"{kind.__name__}.{field}"
        assert kind.__module__ == "pfh"
